// Runs operations and their rivals on every distribution: first checks the results, then times them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/ceilings.hpp"
#include "bench/device_timer.hpp"
#include "bench/operation.hpp"
#include "bench/our_operations.hpp"
#include "bench/rivals.hpp"

namespace gpuimg::bench {

struct RivalResult {
  Library library;
  std::string name;
  Times times;
  std::string fault;  ///< empty if the result was correct
};

/// One operation on one distribution at one size.
struct Result {
  RivalSize size;
  Operation operation = Operation::hist_gray8;
  Distribution distribution = Distribution::noise;
  Times cold;                 ///< neither inputs nor results of consecutive calls are cached
  std::optional<Times> hot;   ///< the same input every time; small sizes only
  std::optional<Times> bare;  ///< cold, and launched on an idle stream, so launch time counts; small sizes only
  double ceiling_ms = 0.0;    ///< time of a plain stream of as many bytes; 0 for small sizes
  std::vector<RivalResult> rivals;
  std::string fault;  ///< empty if the result was correct
};

/// With smaller images, most of the time is launch overhead. So their target is a time, not a share of the stream's
/// rate.
inline constexpr std::size_t kSmallPixels = std::size_t{1} << 22;

class Measurement {
 public:
  /// `operations` are the operations to compare and time.
  Measurement(std::shared_ptr<cuda::Device> device, std::vector<OperationFacts> operations, int repeats);

  /// Compares the operations and their rivals with the CPU backend on every distribution. Returns the differences.
  /// Includes the textbook integral only if both sides of `size` are multiples of 4.
  std::vector<std::string> check_against_cpu(RivalSize size);

  std::vector<Result> at(RivalSize size);

  /// Times an empty kernel: first after a delay kernel, then on an idle stream.
  std::pair<Times, Times> empty_launch();

  [[nodiscard]] const std::vector<Ceiling>& ceilings() const { return ceilings_.all(); }

 private:
  Result measured(RivalSize size, const OperationFacts& facts, Distribution distribution);
  std::vector<std::uint64_t> checked_counts(const Picture& picture, Result& result);
  void check_picture(const Picture& picture, Result& result);
  RivalResult timed(const Rival& rival, const std::vector<Picture>& pictures, const std::vector<std::uint64_t>& counts);
  void time_ours(const std::vector<Picture>& pictures, Result& result);
  std::vector<Picture> rotated(Picture first) const;

  std::shared_ptr<cuda::Device> device_;
  std::vector<OperationFacts> operations_;
  int repeats_;
  std::size_t uncached_bytes_;
  DeviceTimer timer_;
  CeilingMeasurement ceilings_;
  OurOperations ours_;
};

}  // namespace gpuimg::bench
