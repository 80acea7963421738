// Measures how long it takes to group a million hashes on one thread: random hashes, and clusters of similar hashes.
// With one million, fails if grouping by any of the tested distances takes longer than a minute.
// usage: gpuimg_near_hashes_bench [MILLIONS]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "report/image_hashes.hpp"

namespace {

using namespace gpuimg;
using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 60.0;  ///< for one million hashes

/// If `clusters` is true, only every second hash is random. Each of the other hashes differs by up to five bits from
/// one of a thousand centers.
std::vector<std::uint64_t> made_hashes(std::size_t count, bool clusters) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> hashes(count);
  std::vector<std::uint64_t> centers(1000);
  for (std::uint64_t& center : centers) {
    center = random();
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_near = clusters && i % 2 == 0;
    hashes[i] = is_near ? centers[i % centers.size()] : random();
    for (int flips = is_near ? 5 : 0; flips > 0; --flips) {
      hashes[i] ^= std::uint64_t{1} << random() % 64;
    }
  }
  return hashes;
}

/// Returns the time in seconds for the distance whose grouping takes longest.
double measure(const std::vector<std::uint64_t>& hashes, const char* what) {
  double slowest = 0.0;
  for (const int distance : {0, 2, 4, 6, 8, 10, 12, 14, 16}) {
    const auto began = Clock::now();
    const std::size_t groups = groups_of_near_hashes(hashes, distance).size();
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
    fmt::print("{:<9} distance {:>2}: {:>6.2f} s, {:>7} groups\n", what, distance, seconds, groups);
    slowest = std::max(slowest, seconds);
  }
  return slowest;
}

}  // namespace

int main(int count, char** words) {
  const double millions = count > 1 ? std::atof(words[1]) : 1.0;
  const auto hashes = static_cast<std::size_t>(millions * 1e6);
  const double slowest =
      std::max(measure(made_hashes(hashes, false), "random"), measure(made_hashes(hashes, true), "clusters"));
  return millions == 1.0 && slowest > kMostSeconds ? EXIT_FAILURE : EXIT_SUCCESS;
}
