// Runs gpuimg's operations for timing and checking.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/operation.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg::cuda {
class Device;
class Workspace;
}  // namespace gpuimg::cuda

namespace gpuimg::bench {

HistogramOptions histogram_options(Operation operation);

/// The PictureOperation of an operation that Backend::apply() runs.
PictureOperation picture_operation(Operation operation);

/// The result of an operation: either counts or a picture.
struct Outcome {
  std::optional<Histogram> histogram;
  std::optional<Picture> picture;
};

/// Runs an operation through the interface that the tool uses.
Outcome run(Backend& backend, Operation operation, const Picture& picture);

/// Calls operations one level below Backend, where the stream is accessible and no call waits for the device.
class OurOperations {
 public:
  explicit OurOperations(const std::shared_ptr<cuda::Device>& device);
  ~OurOperations();

  /// Queues the kernels of one operation. Histograms end with the counts in device memory.
  std::optional<Picture> queue(Operation operation, const Picture& picture);

  /// The counts of a histogram, or of the luma histogram that an equalization uses.
  Histogram counts(const Picture& picture, const HistogramOptions& options);

 private:
  void queue_counts(Operation operation, const Picture& picture);

  std::unique_ptr<cuda::Workspace> workspace_;
  std::unique_ptr<struct CountMemory> counts_;
};

/// Compares the results of two backends for one image. Returns an empty string if they are equal, else a description of
/// the difference.
std::string difference(Backend& ours, Backend& reference, Operation operation, const Image& image);

}  // namespace gpuimg::bench
