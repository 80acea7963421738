// Verifies and times the operations.
#include "selftest/bench_run.hpp"

#include <utility>

#include "operations/operations.hpp"
#include "selftest/median_time.hpp"

namespace gpuimg {
namespace {

/// An image on a backend.
struct Side {
  Backend* backend;
  double copy_rate;  ///< bytes per second
  Picture picture;
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
    if (!operation.is_on(side.backend->kind()) || !trial.is_on(side.backend->kind())) {
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
    if (operation.is_on(side.backend->kind()) && trial.is_on(side.backend->kind())) {
      row.timings.push_back(timed(trial, side));
    }
  }
  return row;
}

}  // namespace

std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<BenchSide>& on) {
  std::vector<Side> sides;
  for (const BenchSide& side : on) {
    Backend& backend = *side.backend;
    const double upload = median_ms([&] {
      [[maybe_unused]] const Picture dropped = backend.upload(image.pixels.view());
      backend.wait();
    });
    sides.push_back({&backend, side.copy_rate, backend.upload(image.pixels.view()), upload, 0.0});
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
