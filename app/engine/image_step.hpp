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

/// What an image holds beside its pixels, in bytes per pixel. docs/batch.md, "Memory".
struct HeldBeside {
  std::uint64_t result = 0;     ///< 0 if it is computed in place, or is a few numbers
  std::uint64_t others = 0;     ///< levels, and what is made of the result before it is written
  std::uint64_t halo = 0;       ///< bytes: of rows above and below that a row of a result depends on, in all operations
  std::uint64_t of_thread = 0;  ///< bytes, beside what all codecs hold: rows that wait to be encoded
  std::uint64_t operations = 1;  ///< a number, not bytes: each may hold a band
  std::uint64_t sides = 0;       ///< bytes, beside `others`: of rows and columns, which grow with width and height
};

/// The image as a step gets it.
struct StepInput {
  ImageShape shape;
  const codecs::DecodedImage& file;  ///< what is known of the file, without its pixels
  std::string path;                  ///< of the file, as ItemPaths has it
};

/// A step for one image.
struct StepOfImage {
  Step step;                                                      ///< its traits are needed if the file decides them
  std::function<void(OutputWriter& writer)> save_more = nullptr;  ///< stages its side_files(), after it has run
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

  /// True if it tells the worker's report how far it is.
  [[nodiscard]] virtual bool can_be_watched() const { return false; }

  /// True if it reads its files by read(), and so can only be the first step.
  [[nodiscard]] virtual bool reads_files() const { return false; }
  [[nodiscard]] virtual codecs::DecodedImage read(Worker& /*worker*/, const std::string& /*path*/) const { return {}; }

  /// Extensions of the files that it reads, as ImageJob has them.
  [[nodiscard]] virtual std::vector<std::string> input_endings() const { return codecs::input_endings(); }

  /// When it gains by reading rows in bands, if it is the only step.
  [[nodiscard]] virtual RowsWhen rows_when() const { return RowsWhen::too_large; }

  /// True if its result is black and white. It then has no JPEG quality to keep, and is a PNG unless asked otherwise.
  [[nodiscard]] virtual bool is_bilevel() const { return false; }

  /// Reads data shared by all images; called once, before the first image.
  virtual void prepare(Worker& /*worker*/) {}

  /// Throws what for_image() does for the size of an image alone, which may be that in its file's header. `path`, as
  /// messages show it, begins the message.
  virtual void check_shape(const ImageShape& /*input*/, const std::string& /*path*/, const Worker& /*worker*/) const {}

  /// Throws Error{usage} if the image does not fit the options. Thread-safe if each thread has its own worker. The step
  /// must not outlive this object.
  [[nodiscard]] virtual StepOfImage for_image(const StepInput& input, Worker& worker) const = 0;
};

class ImageSteps {
 public:
  /// The steps of one image, and what they make.
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

  /// After the step that must come before it, if there is one.
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
  void refuse_reading_files() const;

  /// By the first step.
  [[nodiscard]] codecs::DecodedImage read(Worker& worker, const std::string& path) const {
    return steps_.front()->read(worker, path);
  }

  /// True if bands of rows can go through all steps: none needs the last rows for the first ones of its result, or the
  /// pixels on the host.
  [[nodiscard]] bool takes_bands() const;

  /// As the members of ImageStep: of all steps.
  void note_options(Verbosity verbosity) const;
  [[nodiscard]] std::vector<std::string> side_files() const;
  [[nodiscard]] bool can_be_watched() const;
  [[nodiscard]] RowsWhen rows_when() const;
  [[nodiscard]] bool is_bilevel() const;
  [[nodiscard]] std::vector<std::string> input_endings() const;
  void prepare(Worker& worker) const;

  /// Throws what the steps' check_shape() do, one after another.
  void check_shapes(ImageShape input, const std::string& path, const Worker& worker) const;

  /// Of each step, one after another.
  [[nodiscard]] std::vector<OperationTraits> traits(ImageShape input) const;

  /// The steps for an image that was read from `path`.
  [[nodiscard]] OfImage for_image(const codecs::DecodedImage& decoded, const std::string& path, Worker& worker) const;

 private:
  std::vector<std::shared_ptr<ImageStep>> steps_;
};

/// The largest image that a file may hold, by its header.
ImageShape largest_shape(const codecs::DeclaredImage& declared);

/// What operations hold, one after another, of an image of this shape.
HeldBeside held_by(const std::vector<OperationTraits>& operations, const ImageShape& input);

}  // namespace gpuimg
