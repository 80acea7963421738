// One operation with one set of options, as doctor, bench and the tests run it: once, or on two backends to compare.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <variant>

#include "gpuimg/backend.hpp"

namespace gpuimg {

using OperationResult = std::variant<Histogram, Picture>;
using HostResult = std::variant<Histogram, Image>;

struct Trial {
  std::string name;  ///< "equalize luma": the operation, then its options
  std::function<OperationResult(Backend&, const Picture&)> run;
  double bytes_per_pixel = 0.0;               ///< minimum number of bytes that must be read and written
  bool is_timed = false;                      ///< by `bench`
  std::span<const BackendKind> only_on = {};  ///< the backends that have it; empty = all of them

  [[nodiscard]] bool is_on(BackendKind kind) const;
};

/// The backends that have it; empty = all of them.
std::span<const BackendKind> backends_with(const PictureOperation& operation);

/// True if `only_on` holds the backend, or is empty.
bool is_on(BackendKind kind, std::span<const BackendKind> only_on);

/// A trial that calls an operation with these options.
Trial trial(std::string name, const HistogramOptions& options, double bytes_per_pixel);
Trial trial(std::string name, const EqualizeOptions& options, double bytes_per_pixel);
Trial trial(std::string name, const PictureOperation& operation, double bytes_per_pixel);

/// Runs a trial and downloads its result.
HostResult host_result(const Trial& trial, Backend& backend, const Picture& picture);

/// Runs a trial on two backends that hold the same pixels. Returns the first difference; empty if the results are
/// equal.
std::string difference(const Trial& trial, Backend& a, const Picture& on_a, Backend& b, const Picture& on_b);

}  // namespace gpuimg
