// Verifies and times the operations.
#include "selftest/bench_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "selftest/selftest_operations.hpp"

namespace gpuimg {
namespace {

constexpr int kMinRuns = 7;
constexpr int kMostRuns = 101;
constexpr double kBudgetMs = 400.0;

template <class Work>
double elapsed_ms(const Work& work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
}

/// Median of repeated runs after one warm-up: at least kMinRuns, and more while the time budget lasts.
template <class Work>
double median_ms(const Work& work) {
  work();
  std::vector<double> times;
  double spent = 0.0;
  while (static_cast<int>(times.size()) < kMinRuns ||
         (spent < kBudgetMs && static_cast<int>(times.size()) < kMostRuns)) {
    times.push_back(elapsed_ms(work));
    spent += times.back();
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

BackendTiming timed(const SelftestOperation& operation, Backend& backend, const Picture& picture, double copy_rate) {
  BackendTiming timing;
  timing.backend = backend.name();
  timing.kernel_ms = median_ms([&] { operation.run(backend, picture); });
  const double bytes = operation.bytes_per_pixel(picture.format()) * static_cast<double>(picture.pixel_count());
  timing.gigabytes_per_second = bytes / (timing.kernel_ms * 1.0e6);
  timing.share_of_copy = timing.gigabytes_per_second * 1.0e9 / copy_rate;
  return timing;
}

}  // namespace

std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<Backend*>& backends,
                                  const std::vector<double>& copy_rates) {
  std::vector<Picture> pictures;
  std::vector<std::pair<double, double>> transfers_ms;
  for (Backend* backend : backends) {
    const double upload = median_ms([&] {
      [[maybe_unused]] const Picture dropped = backend->upload(image.pixels.view());
      backend->wait();
    });
    pictures.push_back(backend->upload(image.pixels.view()));
    const double download = median_ms([&] { (void)backend->download(pictures.back()); });
    transfers_ms.emplace_back(upload, download);
  }
  std::vector<BenchRow> rows;
  for (const SelftestOperation& operation : timed_operations()) {
    BenchRow row;
    row.image = image.name;
    row.operation = operation.name;
    if (backends.size() > 1) {
      row.compared = true;
      row.difference = operation.difference(*backends[0], pictures[0], *backends[1], pictures[1]);
    }
    for (std::size_t i = 0; i < backends.size(); ++i) {
      BackendTiming timing = timed(operation, *backends[i], pictures[i], copy_rates[i]);
      timing.upload_ms = transfers_ms[i].first;
      timing.download_ms = transfers_ms[i].second;
      row.timings.push_back(std::move(timing));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gpuimg
