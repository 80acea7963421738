// The CPU backend: checks arguments, and runs each operation in the backend's own task arena. Also measures the memory
// bandwidth that `bench` reports next to each operation's throughput.
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "operations.hpp"
#include "parallel_loops.hpp"
#include "pixel_memory.hpp"

namespace gpuimg {
namespace {

using cpu::pixels_of;

constexpr std::size_t kRowBytes = std::size_t{1} << 16;

double seconds_of_one_copy(ConstView from, View to) {
  const auto began = std::chrono::steady_clock::now();
  cpu::for_row_bands(from.width, from.height, [&](int begin, int end) {
    std::memcpy(to.row_bytes(begin), from.row_bytes(begin), static_cast<std::size_t>(end - begin) * kRowBytes);
  });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

/// Bytes read plus bytes written per second, using all threads of the current task arena. Median of several copies.
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

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : threads_(threads) { (void)arena_of(1); }

  [[nodiscard]] BackendKind kind() const override { return BackendKind::cpu; }
  [[nodiscard]] std::string name() const override { return "cpu"; }
  [[nodiscard]] bool memory_is_host() const override { return true; }

  [[nodiscard]] std::string description() const override {
    return "CPU, " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
  }

  Image new_image(int width, int height, PixelFormat format) override { return pool_->image(width, height, format); }

  Picture upload(ConstView pixels) override { return cpu::picture_of(pool_->copy_of(pixels)); }
  Picture upload(Image pixels) override { return cpu::picture_of(std::move(pixels)); }

  Image download(const Picture& picture) override { return pool_->copy_of(pixels_of(picture)); }
  Image download(Picture&& picture) override { return std::move(cpu::image_of(picture)); }

  Histogram histogram(const Picture& picture, const HistogramOptions& options) override {
    check(picture, options);
    return arena_for(picture).execute([&] { return cpu::histogram(pixels_of(picture), options); });
  }

  LevelCounts table_counts(const Picture& picture, const EqualizeOptions& options) override {
    check(picture, options);
    return arena_for(picture).execute([&] { return cpu::table_counts(pixels_of(picture), options); });
  }

  Picture equalize(const Picture& picture, const EqualizeOptions& options, LevelTables* used) override {
    check(picture, options);
    return run(picture, [&] { return cpu::equalize(pixels_of(picture), options, used, *pool_); });
  }

  Picture equalize(Picture&& picture, const EqualizeOptions& options, LevelTables* used) override {
    check(picture, options);
    arena_for(picture).execute([&] { cpu::equalize_in_place(cpu::image_of(picture).view(), options, used); });
    return std::move(picture);
  }

  WolfScale wolf_scale(const Picture& picture, const ThresholdOptions& options, int first_row, int end_row) override {
    check_wolf_scale(picture, options, first_row, end_row);
    return arena_for(picture).execute(
        [&] { return cpu::wolf_scale(pixels_of(picture), options, first_row, end_row, *pool_); });
  }

  Picture apply(const Picture& picture, const PictureOperation& operation) override {
    return std::visit(
        [&](const auto& options) {
          check(picture, options);
          return run(picture, [&] { return cpu::apply(pixels_of(picture), options, *pool_); });
        },
        operation);
  }

  void wait() override {}
  [[nodiscard]] std::size_t available_bytes() override { return std::numeric_limits<std::size_t>::max(); }

  double measure_copy_rate(std::size_t bytes) override {
    return arena_of(threads_).execute([&] { return measured_copy_rate(bytes); });
  }

 private:
  template <class Operation>
  Picture run(const Picture& picture, const Operation& operation) {
    return cpu::picture_of(arena_for(picture).execute(operation));
  }

  /// oneTBB starts as many threads as an arena has slots. So a small picture gets a small arena.
  tbb::task_arena& arena_for(const Picture& picture) {
    const ConstView pixels = pixels_of(picture);
    return arena_of(static_cast<int>(std::min<std::int64_t>(threads_, cpu::max_bands(pixels.width, pixels.height))));
  }

  /// An arena with slots for at least this many threads.
  tbb::task_arena& arena_of(int threads) {
    if (arena_ == nullptr || arena_->max_concurrency() < threads) {
      require_arena_memory();
      auto larger = std::make_unique<tbb::task_arena>(threads);
      larger->initialize();  // if done later, on first use, a failing allocation inside oneTBB would deadlock
      arena_ = std::move(larger);
    }
    return *arena_;
  }

  int threads_;
  std::unique_ptr<tbb::task_arena> arena_;
  std::shared_ptr<PixelPool> pool_ = std::make_shared<PixelPool>();
};

}  // namespace

std::unique_ptr<Backend> make_cpu_backend(int threads) {
  return std::make_unique<CpuBackend>(threads > 0 ? threads : tbb::info::default_concurrency());
}

}  // namespace gpuimg
