// Ceilings that device memory sets: plain streams that only read, or that read and write in a fixed ratio.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/device_timer.hpp"
#include "bench/operation.hpp"

namespace gpuimg::bench {

struct Ceiling {
  Stream stream;
  std::size_t bytes = 0;  ///< bytes read plus bytes written
  Times times;
  std::string shape;  ///< shape of the fastest kernel found

  [[nodiscard]] double gb_per_s() const { return static_cast<double>(bytes) / (1.0e6 * times.median_ms); }
};

/// Runs streams over one input and one output buffer. For each stream, tries several combinations of grid shape, unroll
/// factor and cache hint, then measures the fastest combination again. Buffers have at least 1 GiB, and consecutive
/// runs use different parts of the buffers, so no data is cached.
class CeilingMeasurement {
 public:
  struct Shape;

  explicit CeilingMeasurement(std::shared_ptr<cuda::Device> device);

  /// The time of `stream` over `pixels` pixels. Results are memoized.
  Ceiling of(const Stream& stream, std::size_t pixels);

  [[nodiscard]] const std::vector<Ceiling>& all() const { return measured_; }

  /// Frees the buffers.
  void release();

 private:
  Times timed(const Stream& stream, std::size_t vectors, const Shape& shape, int repeats);
  void grow(std::size_t read_bytes, std::size_t written_bytes);

  std::shared_ptr<cuda::Device> device_;
  DeviceTimer timer_;
  cuda::DeviceMemory input_;
  cuda::DeviceMemory output_;
  std::vector<Ceiling> measured_;
};

/// "read 3", "copy", "read 1 write 4": bytes per pixel.
std::string text_of(const Stream& stream);

}  // namespace gpuimg::bench
