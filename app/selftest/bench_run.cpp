// Verifies and times the operations.
#include "selftest/bench_run.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "operations/operations.hpp"

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

/// An image on a backend.
struct Side {
  Backend* backend;
  Picture picture;
  double copy_rate;  ///< bytes per second
  double upload_ms;
  double download_ms;
};

BackendTiming timed(const Trial& trial, const Side& side) {
  BackendTiming timing;
  timing.backend = side.backend->name();
  timing.upload_ms = side.upload_ms;
  timing.download_ms = side.download_ms;
  timing.kernel_ms = median_ms([&] {
    [[maybe_unused]] const OperationResult dropped = trial.run(*side.backend, side.picture);
    side.backend->wait();
  });
  const double bytes = trial.bytes_per_pixel * static_cast<double>(side.picture.pixel_count());
  timing.gigabytes_per_second = bytes / (timing.kernel_ms * 1.0e6);
  timing.share_of_copy = timing.gigabytes_per_second * 1.0e9 / side.copy_rate;
  return timing;
}

/// Compares every backend that has the operation with the first one, then times each.
BenchRow row_of(const Trial& trial, const Operation& operation, const std::vector<Side>& sides) {
  BenchRow row;
  row.operation = trial.name;
  const Side* first = nullptr;
  for (const Side& side : sides) {
    if (!operation.is_on(side.backend->kind())) {
      continue;
    }
    if (first == nullptr) {
      first = &side;
    } else if (row.difference.empty()) {
      row.compared = true;
      row.difference = difference(trial, *first->backend, first->picture, *side.backend, side.picture);
    }
  }
  for (const Side& side : sides) {
    if (operation.is_on(side.backend->kind())) {
      row.timings.push_back(timed(trial, side));
    }
  }
  return row;
}

}  // namespace

std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<Backend*>& backends,
                                  const std::vector<double>& copy_rates) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < backends.size(); ++i) {
    Backend& backend = *backends[i];
    const double upload = median_ms([&] {
      [[maybe_unused]] const Picture dropped = backend.upload(image.pixels.view());
      backend.wait();
    });
    sides.push_back({&backend, backend.upload(image.pixels.view()), copy_rates[i], upload, 0.0});
    sides.back().download_ms = median_ms([&] { (void)backend.download(sides.back().picture); });
  }
  std::vector<BenchRow> rows;
  for (const Operation& operation : operations()) {
    for (const Trial& trial : operation.trials(image.pixels.format())) {
      if (trial.is_timed) {
        rows.push_back(row_of(trial, operation, sides));
        rows.back().image = image.name;
      }
    }
  }
  return rows;
}

}  // namespace gpuimg
