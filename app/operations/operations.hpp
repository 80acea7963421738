// The list of operations, used by the commands and their help, `auto`, --verify, doctor, bench, the parity tests and
// the fuzzers. A new operation is one entry in operations.cpp.
//
// Properties that depend on the options of an operation are in operation_traits.hpp and in gpuimg/ops. Commands declare
// which options name files (OptionSpec::reads_file).
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpuimg/backend.hpp"
#include "operations/operation_traits.hpp"

namespace gpuimg {

using OperationResult = std::variant<Histogram, Picture>;
using HostResult = std::variant<Histogram, Image>;

/// One operation with one set of options, as doctor, bench and the tests run it: once, or on two backends to compare.
struct Trial {
  std::string name;  ///< "equalize luma": the operation, then its options
  std::function<OperationResult(Backend&, const Picture&)> run;
  double bytes_per_pixel = 0.0;               ///< minimum number of bytes to read and write
  bool is_timed = false;                      ///< `bench` times it
  std::span<const BackendKind> only_on = {};  ///< the backends that have it; empty = all of them

  [[nodiscard]] bool is_on(BackendKind kind) const;
};

/// Runs a trial and downloads its result.
HostResult host_result(const Trial& trial, Backend& backend, const Picture& picture);

/// Runs a trial on two backends with the same pixels. Returns the first difference; empty if the results are equal.
std::string difference(const Trial& trial, Backend& a, const Picture& on_a, Backend& b, const Picture& on_b);

struct Operation {
  std::string_view name;     ///< the subcommand
  std::string_view summary;  ///< one line for --help

  /// The traits with the options that need the most device memory.
  OperationTraits (*largest)(const ImageShape& input);

  /// Trials of every option that applies to images of `format`. `bench` runs trials with is_timed on any image.
  std::vector<Trial> (*trials)(PixelFormat format);

  /// Checks a small result that was computed by hand.
  bool (*known_answer)(Backend& backend);

  /// True if the backend has any of its trials.
  [[nodiscard]] bool is_on(BackendKind kind) const;
};

/// All operations, in the order of help texts.
std::span<const Operation> operations();

/// The operation of a subcommand; nullptr if the subcommand is not an operation.
const Operation* find_operation(std::string_view name);

/// The trials of all operations that a backend has.
std::vector<Trial> trials_on(BackendKind backend, PixelFormat format);

/// The most device memory, in bytes per pixel, that any operation needs in addition to a 16-bit image with or without
/// alpha: for the result and intermediate data. Operations that enlarge are not included.
std::size_t most_device_bytes(bool has_alpha);

}  // namespace gpuimg
