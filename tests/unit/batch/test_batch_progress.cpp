// The progress that a batch prints: the summary, the bar and the JSON events.
#include <gtest/gtest.h>

#include <cstddef>

#include "batch/progress.hpp"

namespace gpuimg::test_batch_progress {
namespace {

TEST(Progress, FormatsSummariesAndEvents) {
  const ProgressCounts counts{2000, 1998, 2, 0, 4'000'000};
  EXPECT_EQ(summary_line(counts, 41.2), "1,998 done, 2 failed, 0 skipped in 41.2 s (48.5 images/s)\n");
  const ProgressCounts early{1'234'567, 1, 0, 1000, 0};
  EXPECT_EQ(summary_line(early, 2.0),
            "1 done, 0 failed, 1,000 skipped, 1,233,566 not started in 2.0 s (0.5 images/s)\n");
  const ProgressCounts replacing{3, 3, 0, 0, 0, 1234};
  EXPECT_EQ(summary_line(replacing, 2.0), "3 done, 0 failed, 0 skipped, 1,234 replaced in 2.0 s (1.5 images/s)\n");
  EXPECT_EQ(progress_json({4, 2, 1, 0, 8'000'000}, 4.0, true),
            "{\"event\": \"end\", \"total\": 4, \"done\": 2, \"failed\": 1, \"skipped\": 0, \"seconds\": 4.000, "
            "\"images_per_second\": 0.500, \"megapixels_per_second\": 2.000, \"seconds_left\": 1.3}\n");
}

TEST(Progress, BarFitsTheTerminalWidth) {
  const ProgressCounts half{4, 2, 0, 0, 8'000'000};
  EXPECT_EQ(bar_line(half, 4.0, 79), "[==========          ] 2/4  0.5 images/s  2.0 MP/s  0:04 left");
  const ProgressCounts many{12'000, 6'000, 12, 0, 8'000'000};
  EXPECT_EQ(bar_line(many, 4.0, 79), "[=======        ] 6,012/12,000  1500.0 images/s  2.0 MP/s  0:03 left  12 failed");
  EXPECT_EQ(bar_line(many, 4.0, 59), "[==========          ] 6,012/12,000  0:03 left  12 failed");
  EXPECT_EQ(bar_line(many, 4.0, 40), "6,012/12,000  0:03 left  12 failed");
  EXPECT_EQ(bar_line(many, 4.0, 19), "6,012/12,000");
  EXPECT_EQ(bar_line(many, 4.0, 9), "50%");
  const ProgressCounts most{999'999'999, 999'999'998, 1, 0, 1'000'000'000'000};
  for (int columns = 0; columns < 200; ++columns) {
    for (const ProgressCounts& counts : {half, many, most, ProgressCounts{}}) {
      EXPECT_LE(bar_line(counts, 1e-9, columns).size(), static_cast<std::size_t>(columns));
      EXPECT_LE(bar_line(counts, 1e9, columns).size(), static_cast<std::size_t>(columns));
    }
  }
}

TEST(Progress, ShowsTheFractionOfASingleImage) {
  const ProgressCounts some{.total = 1, .part = 0.425};
  EXPECT_EQ(bar_line(some, 3.4, 79), "[========            ] 42%  0:04 left");
  EXPECT_EQ(bar_line(some, 3.4, 20), "42%  0:04 left");
  EXPECT_EQ(bar_line(some, 3.4, 5), "42%");
  EXPECT_EQ(bar_line({.total = 1, .part = 0.0}, 3.4, 79), "[                    ] 0%");
  EXPECT_EQ(bar_line({.total = 1, .done = 1, .part = 1.0}, 3.4, 79), "[====================] 100%  0:00 left");
  EXPECT_EQ(progress_json(some, 3.4, false),
            "{\"event\": \"progress\", \"total\": 1, \"done\": 0, \"failed\": 0, \"skipped\": 0, \"part\": 0.425, "
            "\"seconds\": 3.400, \"images_per_second\": 0.000, \"megapixels_per_second\": 0.000, \"seconds_left\": "
            "4.6}\n");
  for (int columns = 0; columns < 50; ++columns) {
    for (const double part : {0.0, 1e-9, 0.5, 1.0, 1.5}) {
      EXPECT_LE(bar_line({.total = 1, .part = part}, 1e9, columns).size(), static_cast<std::size_t>(columns));
    }
  }
}

}  // namespace
}  // namespace gpuimg::test_batch_progress
