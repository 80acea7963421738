// The steps of a run, from image to image: operations with checked options, ready for any number of images. A single
// operation is a list of one. docs/cli.md, "Several steps".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "engine/executor.hpp"
#include "engine/loader.hpp"
#include "engine/output_writer.hpp"
#include "operations/operation_traits.hpp"

namespace gpuimg {

struct Worker;

/// The memory that an image needs besides its pixels, in bytes per pixel unless stated otherwise. docs/batch.md,
/// "Memory".
struct ExtraBytes {
  std::uint64_t result = 0;      ///< 0 if it is computed in place, or is a few numbers
  std::uint64_t others = 0;      ///< levels, and conversions of the result before it is written
  std::uint64_t halo = 0;        ///< bytes: the halo rows of all operations, with their results and window sums
  std::uint64_t of_thread = 0;   ///< bytes per thread, besides what all codecs need: rows that wait to be encoded
  std::uint64_t operations = 1;  ///< a count, not bytes: each operation may hold a band
  std::uint64_t sides = 0;       ///< bytes, besides `others`: proportional to width plus height
  std::uint64_t tables = 0;      ///< bytes: tables of an operation, independent of the size of the image
};

/// A step's input image.
struct StepInput {
  ImageShape shape;
  const codecs::DecodedImage& file;  ///< the decoded file without its pixels
  std::string path;                  ///< of the input file, as in ItemPaths
};

/// A step for one image.
struct StepOfImage {
  Step step;                                                      ///< its traits must be set if they depend on the file
  std::function<void(OutputWriter& writer)> save_more = nullptr;  ///< stages side_files() after the step has run
};

class ImageStep {
 public:
  ImageStep() = default;
  ImageStep(const ImageStep&) = delete;
  ImageStep& operator=(const ImageStep&) = delete;
  virtual ~ImageStep() = default;

  /// The subcommand.
  [[nodiscard]] virtual std::string_view name() const = 0;

  [[nodiscard]] virtual OperationTraits traits(const ImageShape& input) const = 0;

  /// The step that must come right before this one; null for none.
  [[nodiscard]] virtual std::shared_ptr<ImageStep> before() const { return nullptr; }

  /// Prints notes about options of the step that have no effect.
  virtual void note_options(Verbosity /*verbosity*/) const {}

  /// Additional files, written once; only valid for a single image.
  [[nodiscard]] virtual std::vector<std::string> side_files() const { return {}; }

  /// True if the step reports its progress to the worker's report.
  [[nodiscard]] virtual bool can_be_watched() const { return false; }

  /// True if the step reads its files with read(); it can then only be the first step.
  [[nodiscard]] virtual bool reads_files() const { return false; }
  [[nodiscard]] virtual codecs::DecodedImage read(Worker& /*worker*/, const std::string& /*path*/) const { return {}; }

  /// Extensions of the files that the step reads, as in ImageJob::input_extensions.
  [[nodiscard]] virtual std::vector<std::string> input_extensions() const { return codecs::input_extensions(); }

  /// When reading rows in bands pays off, if this is the only step.
  [[nodiscard]] virtual RowsWhen rows_when() const { return RowsWhen::too_large; }

  /// True if the result is black and white. The output then does not keep the JPEG quality of the input, and is a PNG
  /// unless requested otherwise.
  [[nodiscard]] virtual bool is_bilevel() const { return false; }

  /// Reads data shared by all images; called once, before the first image.
  virtual void prepare(Worker& /*worker*/) {}

  /// Throws what for_image() would throw for this shape, which may come from the file's header. The message starts with
  /// `path`, which is already in the form that messages show.
  virtual void check_shape(const ImageShape& /*input*/, const std::string& /*path*/, const Worker& /*worker*/) const {}

  /// Throws Error{usage} if the image does not fit the options. Thread-safe if each thread has its own worker. The
  /// returned step must not outlive this object.
  [[nodiscard]] virtual StepOfImage for_image(const StepInput& input, Worker& worker) const = 0;
};

class ImageSteps {
 public:
  /// The steps of one image, and the shape of their result.
  struct OfImage {
    Steps steps;
    ImageShape result;
    std::vector<std::function<void(OutputWriter&)>> save_more;

    void add(std::string_view name, Step step, const OperationTraits& traits) {
      step.name = name;
      step.traits = traits;
      result = traits.result;
      steps.push_back(std::move(step));
    }
  };

  /// Adds the step, preceded by its before() if there is one.
  void add(std::shared_ptr<ImageStep> step) {
    if (std::shared_ptr<ImageStep> first = step->before(); first != nullptr) {
      steps_.push_back(std::move(first));
    }
    steps_.push_back(std::move(step));
  }
  void add_before(const ImageSteps& earlier) {
    steps_.insert(steps_.begin(), earlier.steps_.begin(), earlier.steps_.end());
  }
  [[nodiscard]] std::size_t size() const { return steps_.size(); }

  /// True if the first step reads the files.
  [[nodiscard]] bool reads_files() const { return !steps_.empty() && steps_.front()->reads_files(); }

  /// Throws Error{usage} if the first step reads the files, so that no step can come before it.
  void reject_reading_files() const;

  /// Reads a file with the first step.
  [[nodiscard]] codecs::DecodedImage read(Worker& worker, const std::string& path) const {
    return steps_.front()->read(worker, path);
  }

  /// True if all steps can run on bands of rows: no step needs its last input rows for its first result rows, and none
  /// needs the pixels on the host.
  [[nodiscard]] bool takes_bands() const;

  /// Like the members of ImageStep, for all steps together.
  void note_options(Verbosity verbosity) const;
  [[nodiscard]] std::vector<std::string> side_files() const;
  [[nodiscard]] bool can_be_watched() const;
  [[nodiscard]] RowsWhen rows_when() const;
  [[nodiscard]] bool is_bilevel() const;
  [[nodiscard]] std::vector<std::string> input_extensions() const;
  void prepare(Worker& worker) const;

  /// Calls check_shape() of each step in turn.
  void check_shapes(ImageShape input, const std::string& path, const Worker& worker) const;

  /// The traits of each step, in order.
  [[nodiscard]] std::vector<OperationTraits> traits(ImageShape input) const;

  /// The steps for an image that was read from `path`.
  [[nodiscard]] OfImage for_image(const codecs::DecodedImage& decoded, const std::string& path, Worker& worker) const;

 private:
  std::vector<std::shared_ptr<ImageStep>> steps_;
};

/// The largest image that a file may contain, according to its header.
ImageShape largest_shape(const codecs::DeclaredImage& declared);

/// The memory that the operations need when they run one after another on an image of this shape.
ExtraBytes held_by(const std::vector<OperationTraits>& operations, const ImageShape& input);

}  // namespace gpuimg
