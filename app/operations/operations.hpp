// The list of operations, read by the commands and their help, `auto`, --verify, doctor, bench, the parity tests and
// the fuzzers. A new operation is one entry in operations.cpp.
//
// What depends on an operation's options stands beside them in gpuimg/ops: defaults, check(), result_format(),
// halo_rows(). Which options name files is said where a command declares them (OptionSpec::reads_file).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "gpuimg/backend.hpp"
#include "operations/trial.hpp"

namespace gpuimg {

struct Operation {
  std::string_view name;     ///< the subcommand
  std::string_view summary;  ///< one line for --help

  int most_result_bits;  ///< per pixel of a 16-bit RGBA image; counts have none

  /// Every option that applies to images of `format`. `bench` times those with is_timed on any image.
  std::vector<Trial> (*trials)(PixelFormat format);

  /// Checks a small result that is known by hand.
  bool (*known_answer)(Backend& backend);

  /// The backends that have it; empty = all of them.
  std::span<const BackendKind> only_on = {};

  [[nodiscard]] bool is_on(BackendKind kind) const;
};

/// All operations, in the order of help texts.
std::span<const Operation> operations();

/// The operation of a subcommand; nullptr if it is none.
const Operation* find_operation(std::string_view name);

/// The trials of all operations that a backend has.
std::vector<Trial> trials_on(BackendKind backend, PixelFormat format);

/// The most bytes per pixel of any result.
std::size_t most_result_bytes();

}  // namespace gpuimg
