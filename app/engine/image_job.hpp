// One operation with its options checked, ready for any number of images: what a subcommand makes of its arguments, and
// what one file and a folder of files run alike.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/command_context.hpp"

namespace gpuimg {

struct ItemPaths {
  std::string input;
  std::string output;
};

/// What is left to do for an item in the order of the inputs, whichever item was computed first; often nothing.
using InOrder = std::function<void()>;

class ImageJob {
 public:
  ImageJob() = default;
  ImageJob(const ImageJob&) = delete;
  ImageJob& operator=(const ImageJob&) = delete;
  virtual ~ImageJob() = default;

  /// Throws Error{usage} for an output whose name or ending says that it cannot hold the result.
  virtual void check_name(const std::string& output) const = 0;

  /// For people whose options have no effect on this one output.
  virtual void note_options(const std::string& /*output*/, Verbosity /*verbosity*/) const {}

  /// The files that are written for `output`.
  [[nodiscard]] virtual std::vector<std::string> files_of(const std::string& output) const { return {output}; }

  /// Files beside the outputs, written once: they suit one image alone.
  [[nodiscard]] virtual std::vector<std::string> side_files() const { return {}; }

  /// True if OUT may be missing: the result is then printed.
  [[nodiscard]] virtual bool may_print() const { return false; }

  /// True if `output` holds what a terminal cannot show.
  [[nodiscard]] virtual bool is_binary(const std::string& /*output*/) const { return true; }

  /// The ending, without dot, of the output in a folder for this input.
  [[nodiscard]] virtual std::string ending_for(const std::string& input) const = 0;

  /// Endings of files in a folder that are inputs, lower case, without dot.
  [[nodiscard]] virtual std::vector<std::string> input_endings() const;

  /// Bytes of a result a pixel, given those of the input.
  [[nodiscard]] virtual std::uint64_t result_bytes_per_pixel(std::uint64_t input_bytes) const { return input_bytes; }

  /// Reads what all images share, once, before the first of them.
  virtual void prepare(CommandContext& /*context*/) {}

  /// Reads, computes and leaves outputs staged in the context. May run on many threads at once, each with a context of
  /// its own.
  virtual InOrder run(CommandContext& context, const ItemPaths& paths) const = 0;

  /// True if all images make one output: run() returns what adds to it, and finish() writes it.
  [[nodiscard]] virtual bool merges() const { return false; }
  virtual void finish(CommandContext& /*context*/, const std::string& /*output*/) {}
};

}  // namespace gpuimg
