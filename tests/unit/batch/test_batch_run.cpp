// The batch pipeline, with jobs that fail on purpose: order, retries, early ends, memory limits. docs/batch.md.
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "batch/pipeline.hpp"
#include "io/output_file.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_batch_run {
namespace {

constexpr int kItems = 60;

/// A job without files. Counts the images that it processes at the same time.
class FakeJob final : public ImageJob {
 public:
  std::function<void(int item, int at_once)> work = [](int, int) {};
  mutable std::atomic<int> at_once = 0;
  mutable std::atomic<int> max_at_once = 0;
  mutable std::atomic<int> begun = 0;
  mutable std::vector<int> order;
  std::function<void(int item)> in_order = [](int) {};

  void check_name(const std::string&) const override {}
  [[nodiscard]] std::vector<std::string> files_of(const std::string&) const override { return {}; }
  [[nodiscard]] std::string extension_for(const std::string&) const override { return ""; }

  InOrder run(Worker&, const ItemPaths& paths) const override {
    const int item = std::stoi(paths.input);
    const int now = ++at_once;
    int max = max_at_once;
    while (max < now && !max_at_once.compare_exchange_weak(max, now)) {
    }
    ++begun;
    try {
      std::this_thread::sleep_for(std::chrono::microseconds(item * 7919 % 1500));
      work(item, now);
    } catch (...) {
      --at_once;
      throw;
    }
    --at_once;
    return [this, item] {
      in_order(item);
      order.push_back(item);
    };
  }
};

struct Case {
  FakeJob job;
  RunSettings settings;
  std::string manifest_path;
  Manifest manifest;

  RunOutcome run() {
    WorkPlan plan;
    for (int i = 0; i < kItems; ++i) {
      plan.items.push_back({std::to_string(i), "out", PlanState::to_do});
    }
    const test::TemporaryFolder folder;
    Progress progress(ProgressMode::none, kItems);
    const StopSignal stop([] {});
    ManifestWriter writer(folder / "run.jsonl", ManifestWriter::Mode::create);
    writer.write(manifest_line(RunRecord{"fake", "", "", kItems, kItems, {}}));
    GlobalOptions options;
    options.backend = BackendKind::cpu;
    WorkerPool pool(options, {0});
    RunOutcome outcome = run_plan(job, plan, pool, settings, {progress, stop, &writer, ""});
    text = test::text_in(folder / "run.jsonl");
    manifest = parse_manifest(text, "run.jsonl");
    return outcome;
  }
  std::string text;

  Case() {
    settings.jobs = 4;
    settings.budget_bytes = std::uint64_t{1} << 40;
  }
};

TEST(BatchRun, ResultsAreInPlanOrder) {
  Case all;
  const RunOutcome outcome = all.run();
  EXPECT_EQ(outcome.counts.done, static_cast<std::uint64_t>(kItems));
  ASSERT_EQ(all.job.order.size(), static_cast<std::size_t>(kItems));
  std::size_t at = 0;
  for (int i = 0; i < kItems; ++i) {
    EXPECT_EQ(all.job.order[static_cast<std::size_t>(i)], i);
    const std::size_t line = all.text.find("{\"input\": \"" + std::to_string(i) + "\"");
    EXPECT_GT(line, at);
    at = line;
  }
  EXPECT_LE(all.job.max_at_once, 4);
}

TEST(BatchRun, MemoryBudgetLimitsImagesInFlight) {
  Case bounded;  // a missing file has an estimate of 2 MiB
  bounded.settings.jobs = 8;
  bounded.settings.budget_bytes = std::uint64_t{5} << 20;
  bounded.job.work = [](int, int at_once) { EXPECT_LE(at_once, 2); };
  EXPECT_EQ(bounded.run().counts.done, static_cast<std::uint64_t>(kItems));
}

TEST(BatchRun, AnImageLargerThanTheBudgetRunsAloneOrFails) {
  Case alone;
  alone.settings.budget_bytes = 1;
  alone.job.work = [](int, int at_once) { EXPECT_EQ(at_once, 1); };
  EXPECT_EQ(alone.run().counts.done, static_cast<std::uint64_t>(kItems));
  Case limited;
  limited.settings.budget_bytes = 1;
  limited.settings.most_bytes = MostMemory{1, std::nullopt};
  EXPECT_EQ(limited.run().counts.failed, static_cast<std::uint64_t>(kItems));
  EXPECT_EQ(limited.job.begun, 0);
  EXPECT_EQ(limited.manifest.items.at("7").error_kind, "out_of_memory");
}

TEST(BatchRun, RetriesAloneAfterOutOfMemory) {
  Case scarce;
  std::atomic<int> attempts = 0;
  std::atomic<bool> seen_in_company = false;
  scarce.job.work = [&](int item, int at_once) {
    if (item == 5 && attempts++ == 0) {
      seen_in_company = true;
      throw std::bad_alloc();
    }
    if (item == 5) {
      EXPECT_EQ(at_once, 1);
    }
    if (item == 9) {
      throw Error(ErrorKind::out_of_memory, "never enough");
    }
  };
  const RunOutcome outcome = scarce.run();
  EXPECT_TRUE(seen_in_company);
  EXPECT_EQ(outcome.counts.done, static_cast<std::uint64_t>(kItems) - 1);
  EXPECT_EQ(scarce.job.begun, kItems + 2);
  EXPECT_EQ(scarce.manifest.items.at("5").status, ItemStatus::done);
  EXPECT_EQ(scarce.manifest.items.at("9").error_kind, "out_of_memory");
  EXPECT_EQ(outcome.failures.lines(), std::vector<std::string>{"9: never enough"});
  std::vector<int> every_item_but_9;
  for (int i = 0; i < kItems; ++i) {
    if (i != 9) {
      every_item_but_9.push_back(i);
    }
  }
  EXPECT_EQ(scarce.job.order, every_item_but_9);
}

TEST(BatchRun, ResultsAreInPlanOrderAfterRepeatedOutOfMemory) {
  Case scarce;
  std::array<std::atomic<int>, kItems> attempts{};
  scarce.job.work = [&](int item, int at_once) {
    if (++attempts.at(static_cast<std::size_t>(item)) == 1 && item % 3 != 1) {
      throw std::bad_alloc();
    }
    EXPECT_TRUE(item % 3 == 1 || at_once == 1);
  };
  EXPECT_EQ(scarce.run().counts.done, static_cast<std::uint64_t>(kItems));
  std::vector<int> in_plan_order(kItems);
  std::iota(in_plan_order.begin(), in_plan_order.end(), 0);
  EXPECT_EQ(scarce.job.order, in_plan_order);
}

TEST(BatchRun, ALostDeviceEndsTheRun) {
  for (const ErrorKind kind : {ErrorKind::device_fault, ErrorKind::backend_unavailable}) {
    Case lost;
    lost.job.work = [&](int item, int) {
      if (item == 3) {
        throw Error(kind, "the device is gone");
      }
    };
    const RunOutcome outcome = lost.run();
    ASSERT_TRUE(outcome.fatal.has_value());
    EXPECT_EQ(*outcome.fatal, kind);
    EXPECT_LT(outcome.counts.ended(), static_cast<std::uint64_t>(kItems));
    EXPECT_EQ(lost.manifest.items.at("0").status, ItemStatus::done);
    EXPECT_EQ(lost.manifest.items.size(), outcome.counts.ended());
  }
}

TEST(BatchRun, AFullDiskEndsTheRun) {
  Case full;
  full.job.work = [](int item, int) {
    if (item >= 10) {
      fail_writing("out", ENOSPC);
    }
  };
  const RunOutcome outcome = full.run();
  EXPECT_EQ(outcome.fatal, ErrorKind::write);
  EXPECT_EQ(outcome.why_no_output, "cannot write: " + write_advice(ENOSPC));
  EXPECT_EQ(outcome.counts.done, 10U);
  EXPECT_GE(outcome.counts.failed, 5U);
  EXPECT_LT(outcome.counts.ended(), static_cast<std::uint64_t>(kItems));
  EXPECT_EQ(full.manifest.items.size(), outcome.counts.ended());
  EXPECT_LE(outcome.failures.lines().size(), 4U);
}

TEST(BatchRun, AnIntermittentlyFullDiskDoesNotEndTheRun) {
  Case tight;
  tight.job.work = [](int item, int) {
    if (item % 5 != 0) {
      fail_writing("out", ENOSPC);
    }
  };
  const RunOutcome outcome = tight.run();
  EXPECT_FALSE(outcome.fatal.has_value());
  EXPECT_EQ(outcome.counts.ended(), static_cast<std::uint64_t>(kItems));
}

TEST(BatchRun, StopsAfterMaxErrors) {
  Case failing;
  failing.settings.jobs = 1;
  failing.settings.max_errors = 3;
  failing.job.work = [](int item, int) {
    if (item % 2 == 1) {
      throw Error(ErrorKind::decode, "bad");
    }
  };
  const RunOutcome outcome = failing.run();
  EXPECT_GE(outcome.counts.failed, 3U);
  EXPECT_LT(outcome.counts.ended(), static_cast<std::uint64_t>(kItems));
}

TEST(BatchRun, RetriesAfterOutOfMemoryBetweenImages) {
  Case scarce;
  int rejected = 0;
  scarce.job.in_order = [&](int item) {
    if (item % 10 == 3 && rejected++ % 2 == 0) {
      throw std::bad_alloc();
    }
    if (item == 20) {
      throw std::bad_alloc();
    }
  };
  const RunOutcome outcome = scarce.run();
  EXPECT_EQ(rejected, 12);
  EXPECT_FALSE(outcome.fatal.has_value());
  EXPECT_EQ(outcome.counts.done, static_cast<std::uint64_t>(kItems) - 1);
  EXPECT_EQ(scarce.manifest.items.size(), static_cast<std::size_t>(kItems));
  EXPECT_EQ(scarce.manifest.items.at("20").error_kind, "out_of_memory");
}

// An exception in a oneTBB pipeline cancels the pipeline and its nested loops, which then return early.
TEST(BatchRun, AnUnwritableManifestDoesNotCancelOtherImages) {
  FakeJob job;
  std::atomic<int> cut_short = 0;
  job.work = [&](int, int) {
    std::atomic<int> parts = 0;
    tbb::parallel_for(0, 50, [&](int) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      ++parts;
    });
    cut_short += parts == 50 ? 0 : 1;
  };
  WorkPlan plan;
  for (int i = 0; i < kItems; ++i) {
    plan.items.push_back({std::to_string(i), "out", PlanState::to_do});
  }
  Progress progress(ProgressMode::none, kItems);
  const StopSignal stop([] {});
  const test::TemporaryFolder folder;
  ManifestWriter full(folder / "manifest", ManifestWriter::Mode::create);
  const test::FileSizeLimit limit(1);
  GlobalOptions options;
  options.backend = BackendKind::cpu;
  WorkerPool pool(options, {0});
  RunSettings settings;
  settings.jobs = 4;
  settings.budget_bytes = std::uint64_t{1} << 40;
  EXPECT_THROW(run_plan(job, plan, pool, settings, {progress, stop, &full, ""}), Error);
  EXPECT_LT(job.begun, kItems);
  EXPECT_EQ(cut_short, 0);
}

TEST(BatchRun, AnyExceptionFailsOnlyItsItem) {
  Case odd;
  odd.job.work = [](int item, int) {
    if (item == 1) {
      throw std::logic_error("a bug");
    }
  };
  const RunOutcome outcome = odd.run();
  EXPECT_EQ(outcome.counts.failed, 1U);
  EXPECT_EQ(odd.manifest.items.at("1").error_kind, "internal");
  EXPECT_EQ(odd.job.order.size(), static_cast<std::size_t>(kItems) - 1);
}

}  // namespace
}  // namespace gpuimg::test_batch_run
