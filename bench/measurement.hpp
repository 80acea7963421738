// Runs every operation and its rivals over every distribution: checked first, then timed.
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
  std::string fault;  ///< empty if its result was right
};

/// One operation on one distribution at one size.
struct Result {
  RivalSize size;
  Operation operation = Operation::hist_gray8;
  Distribution distribution = Distribution::noise;
  Times cold;                 ///< inputs and results of calls that follow each other are not in the cache
  std::optional<Times> hot;   ///< the same input again and again; small sizes only
  std::optional<Times> bare;  ///< cold, and begun on an idle stream, so that launches count; small sizes only
  double ceiling_ms = 0.0;    ///< of the plain stream of the same bytes; 0 for small sizes
  std::vector<RivalResult> rivals;
  std::string fault;  ///< empty if the result was right
};

/// Sizes below this are bound by launches and held against a time in place of a stream.
inline constexpr std::size_t kSmallPixels = std::size_t{1} << 22;

class Measurement {
 public:
  Measurement(std::shared_ptr<cuda::Device> device, int repeats);

  /// Every operation and rival on every distribution against the CPU backend. Returns what is wrong. A size whose
  /// sides are multiples of 4 includes the textbook integral.
  std::vector<std::string> check_against_cpu(RivalSize size);

  std::vector<Result> at(RivalSize size);

  /// An empty kernel between two events: queued, and on an idle stream.
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
  int repeats_;
  std::size_t uncached_bytes_;
  DeviceTimer timer_;
  CeilingMeasurement ceilings_;
  OurOperations ours_;
};

}  // namespace gpuimg::bench
