// One operation with validated options, and the steps before it, ready for any number of images. Each subcommand
// creates a job; single files and batches run it in the same way.
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
  codecs::PageRef page = {};  ///< of the input, with --page all; otherwise none
};

/// For reports: "stack.tif", or "stack.tif, page 3".
inline std::string shown_input(const ItemPaths& paths) {
  return paths.page.number == 0 ? paths.input : paths.input + ", page " + std::to_string(paths.page.number);
}

/// The memory, in bytes, that run() needs for a second image, which is read while the first one is in memory.
struct SecondImage {
  std::uint64_t pixels = 0;
  std::uint64_t decoding = 0;  ///< for its file and its decoder
  std::uint64_t others = 0;    ///< further memory once both images are read
};

/// The part of an item's work that runs in input order, whichever item was computed first. Often empty. It runs again
/// if memory runs out, so it must change nothing before its last allocation.
using InOrder = std::function<void()>;

class ImageJob {
 public:
  ImageJob() = default;
  ImageJob(const ImageJob&) = delete;
  ImageJob& operator=(const ImageJob&) = delete;
  virtual ~ImageJob() = default;

  /// Puts steps before those of the job.
  void run_after(const std::vector<EarlierStep>& earlier);

  /// The traits of the job's operations, in order, for an image of unknown shape.
  [[nodiscard]] virtual std::vector<OperationTraits> operations() const { return steps_.traits({}); }

  /// Throws Error{usage} if the name or extension of the output does not fit the result.
  virtual void check_name(const std::string& output) const = 0;

  /// Prints notes about options that have no effect on this output.
  virtual void note_options(const std::string& /*output*/, Verbosity /*verbosity*/) const {}

  /// The files that are written for `output`.
  [[nodiscard]] virtual std::vector<std::string> files_of(const std::string& output) const { return {output}; }

  /// Additional files, written once; only valid for a single image.
  [[nodiscard]] std::vector<std::string> side_files() const { return steps_.side_files(); }

  /// True if run() reports its progress to the worker's report.
  [[nodiscard]] bool can_be_watched() const { return steps_.can_be_watched(); }

  /// True if OUT is optional: the result is then printed.
  [[nodiscard]] virtual bool may_print() const { return false; }

  /// True if --json prints a line about each image, wherever the image goes.
  [[nodiscard]] virtual bool prints_json_lines() const { return false; }

  /// True if `output` is binary, so it must not go to a terminal.
  [[nodiscard]] virtual bool is_binary(const std::string& /*output*/) const { return true; }

  /// Extension, without a dot, of the output in a folder for this input.
  [[nodiscard]] virtual std::string extension_for(const std::string& input) const = 0;

  /// Extensions of input files in folders, in lower case, without a dot. Includes those of formats that gpuimg cannot
  /// read, so that such a file causes an error instead of being overlooked.
  [[nodiscard]] virtual std::vector<std::string> input_extensions() const { return steps_.input_extensions(); }

  /// The memory that run() needs for an image besides its pixels.
  [[nodiscard]] virtual ExtraBytes extra_bytes(const codecs::DeclaredImage& image,
                                               const std::string& /*output*/) const {
    return {image.bytes_per_pixel};
  }

  /// The second image that run() reads; `image` is the first one, at `paths`.
  [[nodiscard]] virtual SecondImage second_image(const ItemPaths& /*paths*/,
                                                 const codecs::DeclaredImage& /*image*/) const {
    return {};
  }

  /// True if, for this output, run() takes the image from Loader::load_rows and keeps no result in memory.
  [[nodiscard]] virtual bool visits_rows(const std::string& /*output*/) const { return false; }

  /// Reads data shared by all images; called once, before the first image.
  virtual void prepare(Worker& worker) { steps_.prepare(worker); }

  /// Reads and computes one image, and stages its outputs in the worker. Thread-safe if each thread has its own
  /// worker.
  virtual InOrder run(Worker& worker, const ItemPaths& paths) const = 0;

  /// True if run() processes all pages of its input.
  [[nodiscard]] virtual bool joins_pages() const { return false; }

  /// True if the images are merged into at most one output: run() returns the step that adds an image, and finish()
  /// writes the output if has_merged() says that an image was added. finish() may run again after a failure, so it must
  /// keep what it writes.
  [[nodiscard]] virtual bool merges() const { return false; }
  virtual void finish(Worker& /*worker*/, const std::string& /*output*/) const {}
  [[nodiscard]] virtual bool has_merged() const { return true; }

  /// True if a file that is read twice would count twice in the merged output.
  [[nodiscard]] virtual bool adds_up() const { return false; }

  /// Throws Error{usage} if the merged output cannot contain several images.
  virtual void check_several() const {}

  /// False if a single image needs no finish().
  [[nodiscard]] virtual bool merges_one() const { return merges(); }

  /// True if a resumed run may leave out images that are done. If images are merged, run() stores each image's
  /// contribution with ItemReport::keep_result, and again() returns the step that adds a stored contribution. `input`
  /// is the text of shown_input().
  [[nodiscard]] virtual bool can_resume() const { return !merges(); }
  [[nodiscard]] virtual InOrder again(const std::string& /*input*/, const std::string& /*result*/) const { return {}; }

 protected:
  /// The traits of the steps' operations, followed by `last`.
  [[nodiscard]] std::vector<OperationTraits> followed_by(const OperationTraits& last) const {
    std::vector<OperationTraits> all = steps_.traits({});
    all.push_back(last);
    return all;
  }

  /// A function that returns the traits of these options for a given image shape. Borrows the options.
  template <class Options>
  static auto traits_for(const Options& options) {
    return [&options](const ImageShape& input) { return traits_of(options, input); };
  }

  /// The memory that the steps and a last operation need for an image; `traits` describes the last operation.
  [[nodiscard]] ExtraBytes held_by_steps_and(const std::function<OperationTraits(const ImageShape&)>& traits,
                                             const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    std::vector<OperationTraits> all = steps_.traits(input);
    all.push_back(traits(all.empty() ? input : all.back().result));
    return held_by(all, input);
  }

  /// The memory that the steps need for an image.
  [[nodiscard]] ExtraBytes held_by_steps(const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    return held_by(steps_.traits(input), input);
  }

  /// The largest result of the steps.
  [[nodiscard]] ImageShape shape_after_steps(const codecs::DeclaredImage& image) const {
    const ImageShape input = largest_shape(image);
    const std::vector<OperationTraits> all = steps_.traits(input);
    return all.empty() ? input : all.back().result;
  }

  /// When the job reads rows in bands. Without earlier steps, as `alone` says; with earlier steps, only if the image is
  /// too large and the steps can run on bands.
  [[nodiscard]] RowsWhen rows_when(RowsWhen alone) const {
    return steps_.size() == 0 ? alone : steps_.takes_bands() ? RowsWhen::too_large : RowsWhen::never;
  }

  /// The image as Loader::load_rows returns it, or as the first step reads it.
  [[nodiscard]] codecs::DecodedImage load_rows(Worker& worker, const ItemPaths& paths, RowsWhen when) const {
    return steps_.reads_files() ? steps_.read(worker, paths.input) : worker.loader.load_rows(paths, *this, when);
  }

  /// Like load_rows(), but always loads the whole image.
  [[nodiscard]] codecs::DecodedImage load(Worker& worker, const ItemPaths& paths) const {
    return steps_.reads_files() ? steps_.read(worker, paths.input) : worker.loader.load(paths.input);
  }

  static void save_side_files(const ImageSteps::OfImage& made, Worker& worker) {
    for (const auto& save : made.save_more) {
      save(worker.writer);
    }
  }

  ImageSteps steps_;  ///< the steps before the job's own operation, or all steps of a job without one
};

}  // namespace gpuimg
