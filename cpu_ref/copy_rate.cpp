// Measures memory bandwidth by timing plain copies.
#include "copy_rate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>

#include "gpuimg/image.hpp"
#include "row_bands.hpp"

namespace gpuimg::cpu {
namespace {

constexpr std::size_t kRowBytes = std::size_t{1} << 16;

double seconds_of_one_copy(ConstView from, View to) {
  const auto began = std::chrono::steady_clock::now();
  for_row_bands(from.width, from.height, [&](int begin, int end) {
    std::memcpy(to.row_bytes(begin), from.row_bytes(begin), static_cast<std::size_t>(end - begin) * kRowBytes);
  });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

double measured_copy_rate(std::size_t bytes) {
  const auto rows = static_cast<int>(std::clamp<std::size_t>(bytes / kRowBytes, 1, std::numeric_limits<int>::max()));
  Image from(static_cast<int>(kRowBytes), rows, PixelFormat{Sample::u8, 1});
  Image to(static_cast<int>(kRowBytes), rows, PixelFormat{Sample::u8, 1});
  std::memset(from.view().data, 1, from.size_bytes());
  std::memset(to.view().data, 2, to.size_bytes());
  std::array<double, 7> seconds{};
  for (double& each : seconds) {
    each = seconds_of_one_copy(from.view(), to.view());
  }
  std::sort(seconds.begin(), seconds.end());
  return 2.0 * static_cast<double>(from.size_bytes()) / seconds[seconds.size() / 2];
}

}  // namespace gpuimg::cpu
