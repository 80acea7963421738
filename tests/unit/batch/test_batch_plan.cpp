// The inputs of a batch, and the items that its plan rejects, skips and processes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "batch/batch_command.hpp"
#include "batch/outputs.hpp"
#include "batch/plan.hpp"
#include "gpuimg/error.hpp"
#include "support/small_formats.hpp"
#include "support/temporary_folder.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::test_batch_plan {
namespace {

using namespace std::string_literals;
using test::put_text;
using test::TemporaryFolder;
using Names = std::vector<std::string>;

OutputNaming into(const std::string& folder) {
  return {[folder](const InputFile& input, std::size_t) { return folder + "/" + input.relative; },
          [](const std::string& output) { return Names{output}; }};
}

ErrorKind kind_thrown(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::usage;
}

TEST(WorkPlan, RejectsCollisionsUnderAnySpelling) {
  const std::vector<InputFile> inputs = {{"x/a", "a"}, {"y/a", "b"}};
  for (const char* output : {"o/./a", "./o//a", "o/a"}) {
    const OutputNaming naming{
        [&](const InputFile& input, std::size_t) { return input.relative == "a" ? "o/a" : output; },
        [](const std::string& name) { return Names{name}; }};
    EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, naming, {}, {}); }), ErrorKind::usage) << output;
  }
}

TEST(WorkPlan, RejectsCollisionsOfOtherShards) {
  const std::vector<InputFile> inputs = {{"x/a", "a"}, {"y/a", "a"}};
  for (std::uint64_t index = 1; index <= 2; ++index) {
    EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, into("o"), {index, 2, ""}, {}); }), ErrorKind::usage);
  }
}

TEST(WorkPlan, RejectsOutputsThatAreInputsUnderAnyName) {
  const TemporaryFolder folder;
  put_text(folder / "a", "1");
  put_text(folder / "b", "2");
  std::filesystem::create_directory(folder / "links");
  std::filesystem::create_hard_link(folder / "b", folder / "links/a");
  std::filesystem::create_symlink(folder / "a", folder / "links/b");
  const std::vector<InputFile> inputs = {{folder / "a", "a"}, {folder / "b", "b"}};
  PlanRules force;
  force.force = true;
  EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, into(folder / "links"), {}, force); }), ErrorKind::write);
  EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, into(folder / "."), {}, force); }), ErrorKind::write);
  PlanRules in_place;
  in_place.in_place = true;
  EXPECT_EQ(make_plan(inputs, into(folder / "."), {}, in_place).items.size(), 2U);
  EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, into(folder / "links"), {}, in_place); }), ErrorKind::write);
}

TEST(WorkPlan, RejectsOrSkipsExistingOutputs) {
  const TemporaryFolder folder;
  put_text(folder / "a", "1");
  std::filesystem::create_directory(folder / "o");
  put_text(folder / "o/a", "old");
  const std::vector<InputFile> inputs = {{folder / "a", "a"}, {folder / "b", "b"}};
  EXPECT_EQ(kind_thrown([&] { (void)make_plan(inputs, into(folder / "o"), {}, {}); }), ErrorKind::write);
  PlanRules skip;
  skip.skip_existing = true;
  const WorkPlan plan = make_plan(inputs, into(folder / "o"), {}, skip);
  EXPECT_EQ(plan.items[0].state, PlanState::output_exists);
  EXPECT_EQ(plan.items[1].state, PlanState::to_do);
}

TEST(WorkPlan, CollisionMessageSuggestsUniqueNames) {
  const std::vector<InputFile> inputs = {{"x/a.jpg", "a.jpg"}, {"x/a.png", "a.png"}, {"y/a.png", "a.png"}};
  OutputNaming naming = into("o");
  naming.name_for = [](const InputFile&, std::size_t) { return "o/a.csv"; };
  const auto message = [&] {
    try {
      (void)make_plan(inputs, naming, {}, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return ""s;
  };
  naming.alternatives = alternatives_for_folder("-o'{1}", "csv");
  EXPECT_EQ(message(),
            "x/a.jpg and x/a.png would both be written to o/a.csv; instead of OUT, use --output "
            "'./-o'\\''{{1}}/{dir}/{stem}-{ext}.csv'");
  naming.alternatives = alternatives_for_template("o/{stem}.{ext}");
  EXPECT_NE(message().find("--output 'o/{index}-{stem}.{ext}'"), std::string::npos) << message();
  naming.alternatives = {};
  EXPECT_NE(message().find("; omit one of them"), std::string::npos) << message();
}

TEST(ShellWord, RoundTripsThroughAShell) {
  for (const std::string& text :
       {"plain"s, "it's"s, "$(x) `y` \\"s, "a\nb\t\x1b'\\1"s, "\xff\xfe{}"s, "gr\xc3\xb6\xc3\x9f"s}) {
    const TemporaryFolder folder;
    put_text(folder / "script", "printf %s " + shell_word(text));
    const std::string command = "bash " + (folder / "script") + " >" + (folder / "out");
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(test::text_in(folder / "out"), text);
    EXPECT_EQ(printable_name(shell_word(text)), shell_word(text));
  }
}

OriginalInputs originals_of(const Names& paths, const char* output) {
  std::vector<InputFile> inputs;
  for (const std::string& path : paths) {
    inputs.push_back({path, path});
  }
  const OutputTemplate name(output);
  return without_derived_inputs(
      inputs, {[name](const InputFile& input, std::size_t index) { return name.name_for(input, index); },
               [](const std::string& file) { return Names{file}; }, name.has_index()});
}

Names paths_of(const OriginalInputs& originals) {
  Names paths;
  for (const InputFile& input : originals.files) {
    paths.push_back(input.path);
  }
  return paths;
}

TEST(DerivedInputs, AreDroppedWithTheirOwnOutputs) {
  const OriginalInputs originals = originals_of({"a", "ax", "axx", "b", "cx"}, "{name}x");
  EXPECT_EQ(paths_of(originals), (Names{"a", "b", "cx"}));
  EXPECT_EQ(originals.note, "ax: skipped, because it is the output of a; 1 other input likewise");
  EXPECT_EQ(originals_of({"a", "b"}, "{name}x").note, "");
}

TEST(DerivedInputs, AmbiguousInputsAreKept) {
  EXPECT_EQ(paths_of(originals_of({"a.b", "b.a"}, "{ext}.{stem}")), (Names{"a.b", "b.a"}));  // a cycle
  EXPECT_EQ(paths_of(originals_of({"a", "b"}, "{name}")), (Names{"a", "b"}));                // in place
  EXPECT_EQ(paths_of(originals_of({"0", "1", "2"}, "{index}")), (Names{"0", "1", "2"}));
  EXPECT_EQ(paths_of(originals_of({"a.gif", "a.png"}, "{stem}.png")), (Names{"a.gif", "a.png"}));
}

TEST(InPlaceNames, RejectsNamesThatCouldBeMeantAsOut) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c"}) {
    put_text(folder / name, "x");
  }
  std::filesystem::create_hard_link(folder / "a", folder / "alias");
  const auto in = [&](const Names& names) {
    Names paths;
    for (const std::string& name : names) {
      paths.push_back(folder / name);
    }
    return paths;
  };
  EXPECT_EQ(in_place_names(in({"a"}), false).output, folder / "a");
  EXPECT_EQ(in_place_names(in({"a", "alias", "a"}), false).output, folder / "a");
  EXPECT_EQ(in_place_names(in({""}), false).output, folder / "");
  const InPlaceNames three = in_place_names(in({"a", "b", "alias", "c"}), false);
  EXPECT_EQ(three.inputs, in({"a", "b", "c"}));
  EXPECT_TRUE(three.each_is_its_own && three.output.empty());
  EXPECT_TRUE(in_place_names({}, true).each_is_its_own);
  for (const Names& names : {Names{"a", "b"}, Names{"a", "new"}, Names{"a", ""}, Names{"a", "b", "c", "new/"}}) {
    EXPECT_EQ(kind_thrown([&] { (void)in_place_names(in(names), false); }), ErrorKind::usage) << names.back();
  }
  EXPECT_EQ(kind_thrown([&] { (void)in_place_names(in({"a"}), true); }), ErrorKind::usage);
  EXPECT_EQ(kind_thrown([&] { (void)in_place_names({"-"}, false); }), ErrorKind::usage);
}

TEST(WorkPlan, ResumeSkipsOnlyUnchangedItems) {
  const TemporaryFolder folder;
  put_text(folder / "a", "1");
  std::filesystem::create_directory(folder / "o");
  put_text(folder / "o/a", "done");
  const std::vector<InputFile> inputs = {{folder / "a", "a"}};
  Manifest manifest;
  ItemRecord record;
  record.input = folder / "a";
  record.output = folder / "o/a";
  record.parameters = "p";
  ASSERT_TRUE(read_file_facts(record.input, record.bytes, record.mtime_ns));
  PlanRules rules;
  rules.resume = &manifest;
  rules.parameters = "p";
  manifest.outputs.insert(folder / "o/a");
  const auto state = [&](const ItemRecord& with) {
    manifest.items[record.input] = with;
    return make_plan(inputs, into(folder / "o"), {}, rules).items.front().state;
  };
  EXPECT_EQ(state(record), PlanState::done_before);
  ItemRecord changed = record;
  changed.bytes += 1;
  EXPECT_EQ(state(changed), PlanState::to_do);
  changed = record;
  changed.mtime_ns += 1;
  EXPECT_EQ(state(changed), PlanState::to_do);
  changed = record;
  changed.parameters = "q";
  EXPECT_EQ(state(changed), PlanState::to_do);
  changed = record;
  changed.status = ItemStatus::failed;
  EXPECT_EQ(state(changed), PlanState::to_do);
  changed = record;
  changed.output = "elsewhere";
  EXPECT_EQ(state(changed), PlanState::to_do);
  std::filesystem::remove(folder / "o/a");
  EXPECT_EQ(state(record), PlanState::to_do);
}

}  // namespace
}  // namespace gpuimg::test_batch_plan
