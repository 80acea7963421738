// Fuzzes the plan of a batch: for any list of names, no output lies outside the output folder, no output is standard
// output, and no name is truncated. A template may name another folder for outputs. Input: a byte for the separator, a
// byte for the kind of outputs, a glob and (for one kind) a template, each followed by NUL, then the list.
#include <algorithm>
#include <array>

#include "batch/inputs.hpp"
#include "batch/outputs.hpp"
#include "batch/plan.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"

namespace {

using namespace gpuimg;
using fuzz::demand;

constexpr const char* kOwnTemplate = nullptr;
constexpr std::array<const char*, 9> kTemplates = {"",  // mirrors the input tree
                                                   "o/{rel}/{name}",
                                                   "o/{stem}/{index}.png",
                                                   "o/{rel}/.{stem}/{index}",
                                                   kOwnTemplate,
                                                   "o/{ext}/{stem}",
                                                   "o/{name}/{ext}/../{index}",
                                                   "o/{index}/{ext}{ext}.",
                                                   "o/{stem}{ext}"};

/// True if the path stays inside the folder "o", even after "..". Compares names without opening files.
bool is_below_folder(const std::string& path) {
  if (!path.starts_with("o/")) {
    return false;
  }
  int depth = 0;
  for (std::size_t at = 2; at <= path.size();) {
    const std::size_t slash = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, slash - at);
    depth += part == ".." ? -1 : part.empty() || part == "." ? 0 : 1;
    if (depth < 0) {
      return false;
    }
    at = slash + 1;
  }
  return true;
}

std::string up_to_nul(std::string_view& text, std::size_t most) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string part(text.substr(0, std::min(end, most)));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

OutputNaming naming_of(const std::string& name_template) {
  OutputNaming naming;
  naming.files_of = [](const std::string& output) { return std::vector<std::string>{output}; };
  if (name_template.empty()) {
    naming.name_for = [](const InputFile& input, std::size_t index) {
      return mirrored_name("o", input.relative, index % 2 == 0 ? "png" : "csv");
    };
  } else {
    naming.name_for = [name = OutputTemplate(name_template)](const InputFile& input, std::size_t index) {
      return name.name_for(input, index);
    };
  }
  return naming;
}

void demand_plan(const WorkPlan& plan, bool is_free, const std::string& name_template) {
  for (const PlanItem& item : plan.items) {
    demand(item.input.find('\0') == std::string::npos && item.output.find('\0') == std::string::npos, "NUL in a name");
    demand(!item.output.empty() && item.output != "-", "an output that is no file");
    demand(is_free || is_below_folder(item.output), "an output outside its folder");
    const bool may_be_anywhere = name_template.starts_with('/') || name_template.find("{dir}") != std::string::npos;
    demand(may_be_anywhere || !item.output.starts_with('/'), "an output at the root");
  }
  const std::string text = plan_text(plan);
  demand(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == plan.items.size(),
         "other than a line an item");
  demand(std::all_of(text.begin(), text.end(), [](char c) { return c == '\n' || (c & 0xE0) != 0; }), "not printable");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::FuzzInput input(data, size);
  const ListSeparator separator = input.flip() ? ListSeparator::nul : ListSeparator::line_break;
  const char* chosen = kTemplates[input.below(kTemplates.size())];
  std::string_view text = input.rest();
  const std::string glob = up_to_nul(text, 24);  // short, because fnmatch is slow for many stars
  const bool is_own = chosen == kOwnTemplate;
  const std::string name_template = is_own ? up_to_nul(text, 200) : chosen;
  try {
    const GatheredInputs gathered = gather_inputs({{}, split_list(text, separator), FileFilter({}, {}, {}), {}});
    const FileFilter filter({glob}, {"*.jpg"}, {"png"});
    for (const InputFile& file : gathered.files) {
      demand(is_below_folder("o/" + file.relative), "a place outside the folder");
      (void)filter.takes(file.relative);
    }
    const WorkPlan plan = make_plan(gathered.files, naming_of(name_template), {}, {});
    demand_plan(plan, is_own && !name_template.empty(), name_template);
  } catch (const Error& error) {
    demand(error.kind() == ErrorKind::usage || error.kind() == ErrorKind::write, error.what());
  }
  return 0;
}
