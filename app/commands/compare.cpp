// gpuimg compare A B: equal or not, and by how much. docs/cli.md, "compare".
#include <algorithm>
#include <memory>
#include <string>

#include "backends/backends.hpp"
#include "batch/devices.hpp"
#include "batch/inputs.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "commands/commands.hpp"
#include "commands/compare_folders.hpp"
#include "io/output_file.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg compare a.png b.png && echo equal\n"
    "  gpuimg compare --tolerance 2 scan.png scan.jpg\n"
    "  gpuimg compare --json a.png b.tga | jq .psnr\n"
    "  gpuimg compare -r expected/ out/               files of the same names";

constexpr int kMaxTolerance = 65535;

void check(const CompareArguments& arguments) {
  const std::string usage = "; see 'gpuimg compare --help'";
  if (arguments.a.empty() || arguments.b.empty()) {
    throw Error(ErrorKind::usage, "compare needs two names: images, or folders" + usage);
  }
  if (arguments.a == "-" && arguments.b == "-") {
    throw Error(ErrorKind::usage, "standard input holds one image; name a file for the other" + usage);
  }
  if (is_folder_name(arguments.a) != is_folder_name(arguments.b)) {
    const bool is_a = is_folder_name(arguments.a);
    throw Error(ErrorKind::usage, printable_name(is_a ? arguments.a : arguments.b) + " is a folder, but " +
                                      printable_name(is_a ? arguments.b : arguments.a) +
                                      " is not; name two folders, or two images");
  }
  if (arguments.tolerance < 0 || arguments.tolerance > kMaxTolerance) {
    throw Error(ErrorKind::usage, "--tolerance: " + std::to_string(arguments.tolerance) + " is not from 0 to " +
                                      std::to_string(kMaxTolerance));
  }
}

ComparedFile opened(CommandContext& context, const std::string& name, const GlobalOptions& globals) {
  return {name, globals, name == "-" ? context.read_checked(name) : Bytes()};
}

/// Throws Error{decode} if pages of a file are lost.
ComparedFiles compared_pages(CommandContext& context, const ComparedFile& a, const ComparedFile& b, int tolerance) {
  a.refuse_if_lost();
  b.refuse_if_lost();
  ComparedFiles files{a.name(), b.name(), a.pages(), b.pages(), static_cast<std::uint32_t>(tolerance), {}};
  for (std::uint32_t page = 1; page <= std::min(a.pages(), b.pages()); ++page) {
    files.pages.push_back(compared(context, a, b, page, tolerance));
  }
  return files;
}

/// `json` and `text` give what is printed.
template <class Json, class Text>
void print(const GlobalOptions& globals, const Json& json, const Text& text) {
  try {
    if (globals.json) {
      write_text(json());
    } else if (globals.verbosity != Verbosity::quiet) {
      write_text(text());
    }
  } catch (const OutputClosed&) {  // the exit code tells the result too
  }
}

ExitCode compare_images(const CompareArguments& arguments, const GlobalOptions& globals) {
  expect_work(work_per_device({}, globals, 1, 2));
  CommandContext context(globals);
  const ComparedFile a = opened(context, arguments.a, globals);
  const ComparedFile b = opened(context, arguments.b, globals);
  bool is_equal = false;
  if (a.is_single() && b.is_single()) {
    const ComparedPair pair = compared(context, a, b, 1, arguments.tolerance);
    print(
        globals, [&] { return comparison_json(pair, ComparisonJson::block); }, [&] { return comparison_text(pair); });
    is_equal = pair.comparison.is_equal();
  } else {
    const ComparedFiles files = compared_pages(context, a, b, arguments.tolerance);
    const bool shows_equal_pages = globals.verbosity == Verbosity::verbose;
    print(
        globals, [&] { return comparison_json(files); }, [&] { return comparison_text(files, shows_equal_pages); });
    is_equal = files.is_equal();
  }
  context.print_times();
  return is_equal ? ExitCode::ok : ExitCode::different;
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<CompareArguments>();
  const auto name = [&](const char* as, const char* what, std::string& value) {
    parser.positional({.name = as, .description = what, .endings = codecs::readable_endings()}, value);
  };
  name("A", "an image or a folder; - is standard input", arguments->a);
  name("B", "another one", arguments->b);
  parser.number({"--tolerance", "differences of up to N levels count as equal [0]", "N"}, arguments->tolerance);
  add_folder_options(parser, arguments->files);
  add_pace_options(parser, arguments->files);
  return [arguments, &parser](const GlobalOptions& globals) {
    check(*arguments);
    if (is_folder_name(arguments->a)) {
      return compare_folders(*arguments, parser, globals);
    }
    note_folder_options(arguments->files, {arguments->a, arguments->b}, globals.verbosity);
    (void)checked(arguments->files);
    return compare_images(*arguments, globals);
  };
}

}  // namespace

Command compare_command() {
  return {"compare", "compare two images, or the images of two folders", kExamples, declare};
}

}  // namespace gpuimg
