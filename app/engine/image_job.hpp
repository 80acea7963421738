// One operation with validated options, ready for any number of images. Each subcommand creates one; single files and
// batches run it in the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command_parser.hpp"
#include "codecs/codec.hpp"
#include "engine/image_step.hpp"
#include "engine/worker.hpp"

namespace gpuimg {

struct ItemPaths {
  std::string input;
  std::string output;
  codecs::PageRef page = {};  ///< of the input; none if it is not a page of --page all
};

/// For reports: "stack.tif", or "stack.tif, page 3".
inline std::string shown_input(const ItemPaths& paths) {
  return paths.page.number == 0 ? paths.input : paths.input + ", page " + std::to_string(paths.page.number);
}

/// What run() holds of a second image, in bytes. It is read while the pixels of the first one are held.
struct SecondImage {
  std::uint64_t pixels = 0;
  std::uint64_t decoding = 0;  ///< its file, and what its decoder holds
  std::uint64_t others = 0;    ///< what is held beside both images once they are read
};

/// The part of an item's work that runs in input order, whichever item was computed first. Often empty. If memory runs
/// out, it runs again: it changes nothing before its last allocation.
using InOrder = std::function<void()>;

class ImageJob {
 public:
  ImageJob() = default;
  ImageJob(const ImageJob&) = delete;
  ImageJob& operator=(const ImageJob&) = delete;
  virtual ~ImageJob() = default;

  /// Puts steps before those of the job.
  void run_after(const std::vector<EarlierStep>& earlier);

  /// What its operations need, in order; the shape of the image is not known.
  [[nodiscard]] virtual std::vector<OperationTraits> operations() const { return steps_.traits({}); }

  /// Throws Error{usage} if the name or extension of the output does not fit the result.
  virtual void check_name(const std::string& output) const = 0;

  /// Prints notes about options that have no effect on this output.
  virtual void note_options(const std::string& /*output*/, Verbosity /*verbosity*/) const {}

  /// The files that are written for `output`.
  [[nodiscard]] virtual std::vector<std::string> files_of(const std::string& output) const { return {output}; }

  /// Additional files, written once; only valid for a single image.
  [[nodiscard]] std::vector<std::string> side_files() const { return steps_.side_files(); }

  /// True if run() tells the worker's report how far it is.
  [[nodiscard]] bool can_be_watched() const { return steps_.can_be_watched(); }

  /// True if OUT is optional: the result is then printed.
  [[nodiscard]] virtual bool may_print() const { return false; }

  /// True if --json prints a line about each image, wherever the image goes.
  [[nodiscard]] virtual bool prints_json_lines() const { return false; }

  /// True if `output` is binary, so it must not go to a terminal.
  [[nodiscard]] virtual bool is_binary(const std::string& /*output*/) const { return true; }

  /// Extension, without a dot, of the output in a folder for this input.
  [[nodiscard]] virtual std::string ending_for(const std::string& input) const = 0;

  /// Extensions of input files in folders, in lower case, without a dot. Includes those of formats that gpuimg cannot
  /// read: such a file fails by name instead of being overlooked.
  [[nodiscard]] virtual std::vector<std::string> input_endings() const { return steps_.input_endings(); }

  /// What run() holds of an image beside its pixels.
  [[nodiscard]] virtual HeldBeside held_beside(const codecs::DeclaredImage& image,
                                               const std::string& /*output*/) const {
    return {image.bytes_per_pixel};
  }

  /// The second image that run() reads; `image` is the first one, at `paths`.
  [[nodiscard]] virtual SecondImage second_image(const ItemPaths& /*paths*/,
                                                 const codecs::DeclaredImage& /*image*/) const {
    return {};
  }

  /// True if run() takes the image from Loader::load_rows for this output, and then holds no result.
  [[nodiscard]] virtual bool visits_rows(const std::string& /*output*/) const { return false; }

  /// Reads data shared by all images; called once, before the first image.
  virtual void prepare(Worker& worker) { steps_.prepare(worker); }

  /// Reads and computes one image, and stages its outputs in the worker. Thread-safe if each thread has its own
  /// worker.
  virtual InOrder run(Worker& worker, const ItemPaths& paths) const = 0;

  /// True if run() takes all pages of its input.
  [[nodiscard]] virtual bool joins_pages() const { return false; }

  /// True if no image has an output of its own, but all together have one or none: run() returns the step that adds an
  /// image, and finish() writes the output, if has_merged() says that an image was added. finish() may run again after
  /// a failure, so it keeps what it writes.
  [[nodiscard]] virtual bool merges() const { return false; }
  virtual void finish(Worker& /*worker*/, const std::string& /*output*/) const {}
  [[nodiscard]] virtual bool has_merged() const { return true; }

  /// True if a file that is read twice would count twice in the one output.
  [[nodiscard]] virtual bool adds_up() const { return false; }

  /// Throws Error{usage} if the one output cannot hold several images.
  virtual void check_several() const {}

  /// False if an image that is the only one needs no finish().
  [[nodiscard]] virtual bool merges_one() const { return merges(); }

  /// True if a resumed run may leave out images that are done. If images are merged, run() keeps what each adds by
  /// ItemReport::keep_result, and again() returns the step that adds it. `input` is as shown_input() has it.
  [[nodiscard]] virtual bool can_resume() const { return !merges(); }
  [[nodiscard]] virtual InOrder again(const std::string& /*input*/, const std::string& /*result*/) const { return {}; }

 protected:
  /// What the operations of the steps need, and then those of the job.
  [[nodiscard]] std::vector<OperationTraits> followed_by(const OperationTraits& last) const {
    std::vector<OperationTraits> all = steps_.traits({});
    all.push_back(last);
    return all;
  }

  /// The traits of options for any image that comes to them.
  template <class Options>
  static auto traits_for(const Options& options) {
    return [&options](const ImageShape& input) { return traits_of(options, input); };
  }

  /// What the steps and a last operation hold of an image; `traits` are those of the last one.
  [[nodiscard]] HeldBeside held_by_steps_and(const std::function<OperationTraits(const ImageShape&)>& traits,
                                             const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    std::vector<OperationTraits> all = steps_.traits(input);
    all.push_back(traits(all.empty() ? input : all.back().result));
    return held_by(all, input);
  }

  /// What the steps hold of an image.
  [[nodiscard]] HeldBeside held_by_steps(const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    return held_by(steps_.traits(input), input);
  }

  /// The largest result of the steps.
  [[nodiscard]] ImageShape shape_after_steps(const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    const std::vector<OperationTraits> all = steps_.traits(input);
    return all.empty() ? input : all.back().result;
  }

  /// How rows are read for a job that takes bands of any image `alone`, without steps before it.
  [[nodiscard]] RowsWhen rows_when(RowsWhen alone) const {
    return steps_.size() == 0 ? alone : steps_.takes_bands() ? RowsWhen::too_large : RowsWhen::never;
  }

  /// The image as Loader::load_rows has it, or as the first step reads it.
  [[nodiscard]] codecs::DecodedImage load_rows(Worker& worker, const ItemPaths& paths, RowsWhen when) const {
    return steps_.reads_files() ? steps_.read(worker, paths.input) : worker.loader.load_rows(paths, *this, when);
  }

  /// The same without rows.
  [[nodiscard]] codecs::DecodedImage load(Worker& worker, const ItemPaths& paths) const {
    return steps_.reads_files() ? steps_.read(worker, paths.input) : worker.loader.load(paths.input);
  }

  static void save_side_files(const ImageSteps::OfImage& made, Worker& worker) {
    for (const auto& save : made.save_more) {
      save(worker.writer);
    }
  }

  ImageSteps steps_;  ///< run first, or are all that is run
};

}  // namespace gpuimg
