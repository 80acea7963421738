// The files that a resumed run may replace: only files that gpuimg wrote, or was about to rename to their final name
// when it was killed. docs/batch.md, "Manifest".
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "batch/manifest.hpp"
#include "batch/pipeline.hpp"
#include "batch/plan.hpp"
#include "gpuimg/error.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"

namespace gpuimg::test_batch_resume {
namespace {

using test::put_text;
using test::TemporaryFolder;
using test::text_in;
using Names = std::vector<std::string>;

RunRecord run_in(const std::string& folder) { return {"fake", "p", "", 2, 2, {}, folder}; }

ItemRecord item(const std::string& name, ItemStatus status, const Names& files = {}) {
  ItemRecord record;
  record.input = "in/" + name;
  record.output = "out/" + name;
  record.parameters = "p";
  record.status = status;
  record.files = files;
  return record;
}

std::set<std::string> outputs_of(const Names& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  const Manifest manifest = parse_manifest(text, "run.jsonl");
  EXPECT_EQ(manifest.damaged_lines, 0U);
  return manifest.outputs;
}

std::string begun(const std::string& name, const Names& files) {
  return manifest_line(item(name, ItemStatus::begun, files));
}

TEST(ManifestOutputs, IncludeBegunItemsUnlessTheyFailed) {
  const std::string run = manifest_line(run_in("/w"));
  const std::string done = manifest_line(item("a", ItemStatus::done));
  const std::string failed = manifest_line(item("a", ItemStatus::failed));
  const std::string skipped = manifest_line(item("a", ItemStatus::skipped));
  const std::string a = begun("a", {"out/a"});
  const std::set<std::string> known = {"/w/out/a"};
  EXPECT_EQ(outputs_of({run, a}), known);
  EXPECT_EQ(outputs_of({run, a, done}), known);
  EXPECT_TRUE(outputs_of({run, a, failed}).empty());
  EXPECT_TRUE(outputs_of({run, a, skipped}).empty());
  EXPECT_TRUE(outputs_of({run, done}).empty());  // schema 1 names no files; the plan compares output and parameters
  EXPECT_TRUE(outputs_of({run, failed}).empty());
  // A failure in a later run does not remove earlier outputs.
  EXPECT_EQ(outputs_of({run, a, run, a, failed}), known);
  EXPECT_EQ(outputs_of({run, a, done, run, failed}), known);
}

TEST(ManifestOutputs, AreRelativeToTheRunsFolder) {
  EXPECT_EQ(outputs_of({manifest_line(run_in("/w")), begun("a", {"out//a_h", "./out/a_s", "/x/a_l"})}),
            (std::set<std::string>{"/w/out/a_h", "/w/out/a_s", "/x/a_l"}));
  EXPECT_EQ(outputs_of({manifest_line(run_in("/w\xff")), begun("\xfe", {"out/\xfe\n"})}),
            (std::set<std::string>{"/w\xff/out/\xfe\n"}));
  EXPECT_EQ(outputs_of({manifest_line(run_in("")), begun("a", {"out/a"})}), std::set<std::string>{"out/a"});
  EXPECT_TRUE(outputs_of({manifest_line(run_in("/w")), begun("a", {})}).empty());  // in place
}

TEST(ManifestOutputs, IncludeOutputsOfEarlierRuns) {
  EXPECT_EQ(outputs_of({manifest_line(run_in("/w")), manifest_line(item("a", ItemStatus::skipped, {"out/a"}))}),
            std::set<std::string>{"/w/out/a"});
}

TEST(ManifestReport, BegunItemsAreNotDone) {
  ManifestReport report;
  report.add(parse_manifest(
                 manifest_line(run_in("/w")) + begun("a", {"out/a"}) + manifest_line(item("b", ItemStatus::done)), "m"),
             "m");
  EXPECT_FALSE(report.is_complete());
  EXPECT_NE(report.text().find("1 done, 0 failed, 0 skipped, 1 missing"), std::string::npos) << report.text();
}

/// Two inputs. Each has an output of two files, and both files exist.
struct Existing {
  TemporaryFolder folder;
  std::vector<InputFile> inputs;
  Manifest manifest;
  PlanRules rules;
  OutputNaming naming{[this](const InputFile& input, std::size_t) { return folder / input.relative; },
                      [](const std::string& output) {
                        return Names{output + "_h", output + "_s"};
                      }};

  Existing() {
    for (const char* name : {"1", "2"}) {
      put_text(folder / "in" + name, "input");
      inputs.push_back({folder / "in" + name, name});
      put_text(folder / name + "_h", "old");
      put_text(folder / name + "_s", "old");
    }
    rules.resume = &manifest;
    rules.earlier_name = "run.jsonl";
    rules.parameters = "p";
    rules.folder = "/elsewhere";
  }
  WorkPlan plan() { return make_plan(inputs, naming, {}, rules); }
  std::string rejection() {
    try {
      (void)plan();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::write);
      return error.what();
    }
    return "";
  }
};

TEST(WorkPlan, ReplacesOnlyFilesNamedInTheManifest) {
  Existing existing;
  EXPECT_NE(existing.rejection().find("as do 3 other outputs, and run.jsonl is missing or empty"), std::string::npos);
  existing.manifest.runs.emplace_back();
  for (const char* file : {"1_h", "1_s", "2_s"}) {
    existing.manifest.outputs.insert(existing.folder / file);
  }
  EXPECT_EQ(existing.rejection().find(existing.folder / "2_h: cannot write: it already exists, and run.jsonl does"), 0U)
      << existing.rejection();
  existing.manifest.outputs.insert(existing.folder / "2_h");
  const WorkPlan plan = existing.plan();
  EXPECT_TRUE(plan.items[0].may_replace);
  EXPECT_TRUE(plan.items[1].may_replace);
  EXPECT_EQ(plan.items[1].state, PlanState::to_do);
}

TEST(WorkPlan, ResolvesRelativeOutputsAgainstTheWorkingFolder) {
  Existing existing;
  existing.inputs.pop_back();
  existing.naming.files_of = [](const std::string&) { return Names{"/dev/../dev/null", "dev/null"}; };
  existing.manifest.outputs = {"/dev/../dev/null", "/elsewhere/dev/null"};
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path("/");
  EXPECT_TRUE(existing.plan().items.front().may_replace);
  existing.rules.folder = "/";
  EXPECT_NE(existing.rejection(), "");
  std::filesystem::current_path(before);
}

TEST(WorkPlan, Schema1RecordsMatchByOutputAndParameters) {
  Existing existing;
  existing.inputs.pop_back();
  ItemRecord record = item("1", ItemStatus::done);
  record.input = existing.inputs.front().path;
  record.output = existing.folder / "1";
  const auto is_rejected = [&](const ItemRecord& with) {
    existing.manifest.items[record.input] = with;
    return !existing.rejection().empty();
  };
  EXPECT_FALSE(is_rejected(record));
  ItemRecord other = record;
  other.parameters = "q";
  EXPECT_TRUE(is_rejected(other));
  other = record;
  other.output += "x";
  EXPECT_TRUE(is_rejected(other));
  other = record;
  other.status = ItemStatus::failed;
  EXPECT_TRUE(is_rejected(other));
  other = record;
  other.files = {"some"};  // schema 2, with other file names
  EXPECT_TRUE(is_rejected(other));
}

TEST(WorkPlan, RetriesFailedAndUnfinishedItems) {
  Existing existing;
  existing.rules.retry_failed = existing.rules.resume;
  existing.rules.resume = nullptr;
  existing.rules.force = true;
  const auto items_of = [&](const ItemRecord& record) {
    existing.manifest.items[existing.inputs[0].path] = record;
    return existing.plan().items.size();
  };
  EXPECT_EQ(items_of(item("1", ItemStatus::failed)), 1U);
  EXPECT_EQ(items_of(item("1", ItemStatus::begun, {"out/1"})), 1U);
  EXPECT_EQ(items_of(item("1", ItemStatus::begun)), 0U);  // in place: the input may already be replaced
  EXPECT_EQ(items_of(item("1", ItemStatus::done)), 0U);
}

/// Writes a small file for each item.
class WritingJob final : public ImageJob {
 public:
  std::function<void(const std::string& output)> before_end = [](const std::string&) {};

  void check_name(const std::string&) const override {}
  [[nodiscard]] std::string extension_for(const std::string&) const override { return ""; }
  InOrder run(Worker& worker, const ItemPaths& paths) const override {
    worker.writer.save(paths.output, [] { return std::string("result"); });
    before_end(paths.output);
    return {};
  }
};

RunOutcome run_items(const WritingJob& job, const TemporaryFolder& folder, int items, ManifestWriter& manifest,
                     bool in_place = false) {
  WorkPlan plan;
  for (int i = 0; i < items; ++i) {
    const std::string output = folder / std::to_string(i);
    plan.items.push_back({in_place ? output : output + " in", output, PlanState::to_do, false, in_place});
  }
  Progress progress(ProgressMode::none, plan.items.size());
  const StopSignal stop([] {});
  GlobalOptions options;
  options.backend = BackendKind::cpu;
  options.in_place = in_place;
  WorkerPool pool(options, {0});
  RunSettings settings;
  settings.jobs = 4;
  settings.budget_bytes = std::uint64_t{1} << 40;
  return run_plan(job, plan, pool, settings, {progress, stop, &manifest, manifest_line(run_in("/w"))});
}

TEST(BatchRun, RecordsBegunBeforeDone) {
  const TemporaryFolder folder;
  ManifestWriter writer(folder / "m", ManifestWriter::Mode::create);
  EXPECT_EQ(run_items(WritingJob(), folder, 40, writer).counts.done, 40U);
  const std::string text = text_in(folder / "m");
  for (int i = 0; i < 40; ++i) {
    const std::string output = "\"output\": \"" + (folder / std::to_string(i)) + "\"";
    const std::size_t first = text.find(output);
    EXPECT_EQ(text.substr(0, text.find('\n', first)).rfind("\"status\": \"begun\""), text.find("\"status\"", first));
    EXPECT_NE(text.find(output, first + 1), std::string::npos);
  }
  EXPECT_EQ(parse_manifest(text, "m").outputs.size(), 40U);
}

TEST(BatchRun, BegunRecordOfAnInPlaceImageNamesNoFiles) {
  const TemporaryFolder folder;
  ManifestWriter writer(folder / "m", ManifestWriter::Mode::create);
  put_text(folder / "0", "input");
  EXPECT_EQ(run_items(WritingJob(), folder, 1, writer, true).counts.done, 1U);
  EXPECT_NE(text_in(folder / "m").find("\"status\": \"begun\", \"files\": []"), std::string::npos);
  EXPECT_TRUE(read_manifest(folder / "m").outputs.empty());
}

TEST(BatchRun, AConcurrentlyCreatedFileIsNotRecordedAsBegun) {
  const TemporaryFolder folder;
  WritingJob job;
  job.before_end = [](const std::string& output) { put_text(output, "foreign"); };
  ManifestWriter writer(folder / "m", ManifestWriter::Mode::create);
  EXPECT_EQ(run_items(job, folder, 1, writer).counts.failed, 1U);
  EXPECT_EQ(text_in(folder / "m").find("begun"), std::string::npos);
  EXPECT_EQ(text_in(folder / "0"), "foreign");
}

TEST(BatchRun, OutputsAreNotRenamedIfBegunCannotBeRecorded) {
  const TemporaryFolder folder;
  ManifestWriter writer(folder / "m", ManifestWriter::Mode::create);
  const std::string first = manifest_line(run_in("/w"));
  {
    const test::FileSizeLimit limit(first.size() + 20);
    EXPECT_THROW(run_items(WritingJob(), folder, 20, writer), Error);
  }
  EXPECT_EQ(folder.names(), Names{"m"});
  // The file now ends with a partial line; anything appended would be lost together with that line.
  EXPECT_THROW(writer.write(first), Error);
  EXPECT_EQ(text_in(folder / "m").size(), first.size() + 20);
}

TEST(ManifestWriter, ConcurrentLinesDoNotInterleave) {
  const TemporaryFolder folder;
  ManifestWriter writer(folder / "m", ManifestWriter::Mode::create);
  writer.write(manifest_line(run_in("/w")));
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 200; ++i) {
        const std::string name = std::to_string(thread) + "-" + std::to_string(i);
        writer.write(begun(name, {"out/" + name}));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const Manifest manifest = read_manifest(folder / "m");
  EXPECT_EQ(manifest.damaged_lines, 0U);
  EXPECT_EQ(manifest.outputs.size(), 1600U);
}

}  // namespace
}  // namespace gpuimg::test_batch_resume
