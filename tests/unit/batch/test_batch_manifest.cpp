// Manifests: round trips with any names, damaged lines, reports. docs/batch.md.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "batch/manifest.hpp"
#include "gpuimg/error.hpp"
#include "support/temporary_folder.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::test_batch_manifest {
namespace {

using namespace std::string_literals;
using test::put_text;
using test::TemporaryFolder;
using test::text_in;

RunRecord a_run(std::uint64_t items = 2, Shard shard = {}) {
  return {"equalize", "00000000000000ff", "0.1.0", items, items, std::move(shard)};
}

ItemRecord an_item(const std::string& input, ItemStatus status = ItemStatus::done) {
  ItemRecord item;
  item.input = input;
  item.output = "out/" + input;
  item.bytes = std::uint64_t{1} << 60;
  item.mtime_ns = 1'700'000'000'123'456'789;
  item.parameters = "00000000000000ff";
  item.status = status;
  if (status == ItemStatus::failed) {
    item.error_kind = "decode";
    item.message = "a \"reason\"\nof two lines";
  }
  return item;
}

TEST(Manifest, HostileNamesRoundTrip) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::vector<std::string> names = {"a\nb",         "\x1b[31m",     "\"\\/",    "-x",     "{}",
                                    "\xff\xfe",     "\xed\xa0\x80", "\xc3",     "日本 ☕", "\x7f\x80",
                                    "\xef\xbf\xbd", "\\udc80",      "input_hex"};
  for (int i = 0; i < 200; ++i) {
    std::string name;
    for (unsigned n = random() % 40 + 1; n > 0; --n) {
      name += static_cast<char>(random() % 255 + 1);
    }
    names.push_back(name);
  }
  std::string text = manifest_line(a_run());
  for (const std::string& name : names) {
    const std::string line = manifest_line(an_item(name));
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(valid_utf8(line), line);
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
    text += line;
  }
  const Manifest manifest = parse_manifest(text, "run.jsonl");
  EXPECT_EQ(manifest.damaged_lines, 0U);
  for (const std::string& name : names) {
    ASSERT_TRUE(manifest.items.contains(name)) << name;
    const ItemRecord& item = manifest.items.at(name);
    EXPECT_EQ(item.output, "out/" + name);
    EXPECT_EQ(item.bytes, std::uint64_t{1} << 60);
    EXPECT_EQ(item.mtime_ns, 1'700'000'000'123'456'789);
  }
}

TEST(Manifest, TheLastRecordWins) {
  const Manifest manifest =
      parse_manifest(manifest_line(a_run()) + manifest_line(an_item("a", ItemStatus::failed)) +
                         manifest_line(an_item("b")) + manifest_line(a_run(7)) + manifest_line(an_item("a")),
                     "run.jsonl");
  EXPECT_EQ(manifest.items.at("a").status, ItemStatus::done);
  EXPECT_EQ(manifest.runs.size(), 2U);
  EXPECT_EQ(manifest.runs.back().items, 7U);
}

TEST(Manifest, SkipsTruncatedLines) {
  const std::string whole = manifest_line(an_item("\xff a", ItemStatus::failed));
  for (std::size_t cut = 1; cut + 1 < whole.size(); ++cut) {
    const Manifest manifest =
        parse_manifest(manifest_line(a_run()) + whole.substr(0, cut) + "\n" + manifest_line(an_item("b")), "run.jsonl");
    EXPECT_EQ(manifest.damaged_lines, 1U) << cut;
    EXPECT_EQ(manifest.items.size(), 1U) << cut;
  }
}

TEST(Manifest, SkipsDamagedLines) {
  for (const std::string& line :
       {"[]"s, "null"s, "3"s, "{}"s, "{\"gpuimg\": \"run\"}"s, "{\"input\": 3}"s, "\0"s, "\xff"s,
        "{\"input\": \"a\", \"output\": \"b\", \"bytes\": \"x\"}"s,
        "{\"input\": \"\", \"input_hex\": \"zz\", \"output\": \"\"}"s, std::string(100000, '['),
        "{\"input\": \"a\", \"output\": \"b\", \"bytes\": 2e75}"s,
        "{\"gpuimg\": \"run\", \"operation\": \"x\", \"parameters\": \"\", \"version\": \"\", \"shard\": 3, "
        "\"shards\": "
        "2, \"items\": 0, \"total\": 0}"s}) {
    const Manifest manifest = parse_manifest(manifest_line(a_run()) + line + "\n", "run.jsonl");
    EXPECT_EQ(manifest.damaged_lines, 1U) << line.substr(0, 60);
  }
  EXPECT_THROW(parse_manifest("", "x"), Error);
  EXPECT_THROW(parse_manifest("\x89PNG\n\n", "x"), Error);
}

TEST(Manifest, WriterAppendsAfterAPartialLine) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.jsonl";
  put_text(path, manifest_line(a_run()) + "{\"input\": \"ha");
  ManifestWriter(path, ManifestWriter::Mode::append).write(manifest_line(an_item("b")));
  const Manifest manifest = read_manifest(path);
  EXPECT_EQ(manifest.damaged_lines, 1U);
  EXPECT_TRUE(manifest.items.contains("b"));
  EXPECT_THROW(ManifestWriter(path, ManifestWriter::Mode::create), Error);
  ManifestWriter(path, ManifestWriter::Mode::replace).write("x\n");
  EXPECT_EQ(text_in(path), "x\n");
}

TEST(Manifest, ContinuesARunKilledDuringItsFirstLine) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.jsonl";
  const std::string first = manifest_line(a_run());
  for (std::size_t cut = 0; cut + 1 < first.size(); ++cut) {
    put_text(path, first.substr(0, cut));
    EXPECT_TRUE(read_manifest_to_continue(path).items.empty()) << cut;
  }
  put_text(path, first + manifest_line(an_item("a")));
  EXPECT_EQ(read_manifest_to_continue(path).items.size(), 1U);
  for (const std::string& other : {"{\"x\": 1}"s, "hello"s, "\n"s, "{\"gpu\n"s}) {
    put_text(path, other);
    EXPECT_THROW(read_manifest_to_continue(path), Error) << other;
  }
}

TEST(ManifestReport, ReportsMissingItems) {
  ManifestReport report;
  report.add(parse_manifest(manifest_line(a_run(2, {1, 3, ""})) + manifest_line(an_item("a")), "1"), "1");
  report.add(parse_manifest(manifest_line(a_run(1, {3, 3, ""})) + manifest_line(an_item("b", ItemStatus::failed)), "3"),
             "3");
  EXPECT_FALSE(report.is_complete());
  const std::string text = report.text();
  EXPECT_NE(text.find("missing: 1 of the 2 items of shard 1/3 (1)"), std::string::npos) << text;
  EXPECT_NE(text.find("missing: shard 2/3"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 3 shards, 3 items: 1 done, 1 failed, 0 skipped, 1 missing"), std::string::npos) << text;
  EXPECT_TRUE(nlohmann::json::accept(report.json())) << report.json();
  EXPECT_THROW(report.add(parse_manifest(manifest_line(a_run(1, {3, 3, ""})), "x"), "x"), Error);
  RunRecord other = a_run(1, {2, 3, ""});
  other.parameters = "0000000000000001";
  EXPECT_THROW(report.add(parse_manifest(manifest_line(other), "x"), "x"), Error);
}

TEST(ManifestReport, IsCompleteOnlyIfEverythingIsDone) {
  ManifestReport report;
  report.add(parse_manifest(manifest_line(a_run(2)) + manifest_line(an_item("a")) +
                                manifest_line(an_item("b", ItemStatus::skipped)),
                            "1"),
             "1");
  EXPECT_TRUE(report.is_complete());
}

}  // namespace
}  // namespace gpuimg::test_batch_manifest
