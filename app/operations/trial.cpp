// Runs trials, and compares their results.
#include "operations/trial.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "operations/result_compare.hpp"

namespace gpuimg {

bool is_on(BackendKind kind, std::span<const BackendKind> only_on) {
  return only_on.empty() || std::find(only_on.begin(), only_on.end(), kind) != only_on.end();
}

bool Trial::is_on(BackendKind kind) const { return gpuimg::is_on(kind, only_on); }

std::span<const BackendKind> backends_with(const PictureOperation& operation) {
  static constexpr std::array kNotOpencl = {BackendKind::cpu, BackendKind::cuda};
  const auto lacked = [](const auto& options) {
    using Options = std::decay_t<decltype(options)>;
    return std::is_same_v<Options, ClaheOptions> || std::is_same_v<Options, WindowOptions> ||
           std::is_same_v<Options, ThresholdOptions> || std::is_same_v<Options, DenoiseOptions>;
  };
  return std::visit(lacked, operation) ? std::span<const BackendKind>(kNotOpencl) : std::span<const BackendKind>();
}

Trial trial(std::string name, const HistogramOptions& options, double bytes_per_pixel) {
  return {std::move(name),
          [options](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.histogram(picture, options);
          },
          bytes_per_pixel};
}

Trial trial(std::string name, const EqualizeOptions& options, double bytes_per_pixel) {
  return {std::move(name),
          [options](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.equalize(picture, options);
          },
          bytes_per_pixel};
}

Trial trial(std::string name, const PictureOperation& operation, double bytes_per_pixel) {
  return {std::move(name),
          [operation](Backend& backend, const Picture& picture) -> OperationResult {
            return backend.apply(picture, operation);
          },
          bytes_per_pixel, false, backends_with(operation)};
}

HostResult host_result(const Trial& trial, Backend& backend, const Picture& picture) {
  OperationResult result = trial.run(backend, picture);
  if (auto* histogram = std::get_if<Histogram>(&result)) {
    return std::move(*histogram);
  }
  return backend.download(std::get<Picture>(std::move(result)));
}

std::string difference(const Trial& trial, Backend& a, const Picture& on_a, Backend& b, const Picture& on_b) {
  const HostResult from_a = host_result(trial, a, on_a);
  const HostResult from_b = host_result(trial, b, on_b);
  return first_difference(from_a, a.name(), from_b, b.name());
}

}  // namespace gpuimg
