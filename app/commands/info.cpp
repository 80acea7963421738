// gpuimg info FILE…: what the headers of files say; decodes nothing. docs/cli.md, "info".
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch/batch_command.hpp"
#include "batch/inputs.hpp"
#include "cli/messages.hpp"
#include "codecs/codec.hpp"
#include "codecs/declared_image.hpp"
#include "commands/commands.hpp"
#include "io/output_file.hpp"
#include "report/info_report.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg info photo.jpg\n"
    "  gpuimg info -r photos/                         one line per file\n"
    "  gpuimg info --json photo.jpg | jq .upright_width\n"
    "  cat photo.jpg | gpuimg info -";

struct Files {
  std::vector<std::string> names;
  bool are_many = false;  ///< a folder, a list, or several names: a line for each
};

/// In the order given; those of a folder sorted. Missing files fail when they are read.
Files files_of(const InputArguments& arguments, Verbosity verbosity) {
  const FileFilter filter(arguments.include, arguments.exclude, codecs::input_endings());
  Files files;
  for (const std::string& path : arguments.paths) {
    if (!is_folder_name(path)) {
      files.names.push_back(path);
      continue;
    }
    const GatheredInputs gathered = gather_inputs({{path}, {}, filter, {arguments.recursive, {}}});
    for (const std::string& note : gathered.notes) {
      print_note(verbosity, note);
    }
    for (const InputFile& file : gathered.files) {
      files.names.push_back(file.path);
    }
    files.are_many = true;
  }
  for (std::string& listed : listed_files(arguments)) {
    files.names.push_back(listed == "-" ? "./-" : std::move(listed));
    files.are_many = true;
  }
  files.are_many = files.are_many || files.names.size() > 1;
  return files;
}

/// Returns whether it went well: of a damaged file, what can be read is shown.
bool show(const std::string& name, bool is_one_of_many, const GlobalOptions& globals) {
  const codecs::FileHeader header = codecs::read_file_header(name, {globals.page});
  for (const std::string& detail : header.details) {
    print_detail(globals.verbosity, printable_name(name) + ": " + detail);
  }
  if (globals.json) {
    write_text(info_json(name, header, is_one_of_many ? InfoJson::line : InfoJson::block));
  } else {
    write_text(is_one_of_many ? info_line(name, header) : info_text(name, header));
  }
  if (!header.damage.empty()) {
    print_error(fmt::format("{}: file is damaged: {}; download or copy it again",
                            name == "-" ? "standard input" : printable_name(name), header.damage));
  }
  return header.damage.empty();
}

/// Returns whether it went well. What stops one file does not stop the others.
bool shows_one_of_many(const std::string& name, const GlobalOptions& globals) {
  try {
    return show(name, true, globals);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::write) {
      throw;
    }
    print_error(error.what());
    return false;
  }
}

ExitCode run(const InputArguments& arguments, const GlobalOptions& globals) {
  check(arguments);
  refuse_all_pages(globals);
  if (arguments.paths.empty() && arguments.files_from.empty()) {
    throw Error(ErrorKind::usage,
                "FILE is missing: name an image or a folder, or - for standard input; see 'gpuimg info --help'");
  }
  note_folder_options(arguments, arguments.paths, globals.verbosity);
  const Files files = files_of(arguments, globals.verbosity);
  if (!files.are_many) {
    return show(files.names.front(), false, globals) ? ExitCode::ok : ExitCode::some_failed;
  }
  bool all_are_good = true;
  for (const std::string& name : files.names) {
    all_are_good = shows_one_of_many(name, globals) && all_are_good;
  }
  return all_are_good ? ExitCode::ok : ExitCode::some_failed;
}

RunCommand declare(CommandParser& parser) {
  auto arguments = std::make_shared<InputArguments>();
  parser.positionals({.name = "FILE",
                      .description = "images, .npy tables and folders; - is standard input",
                      .usage = "FILE...",
                      .endings = codecs::readable_endings()},
                     arguments->paths);
  add_input_options(parser, *arguments);
  return [arguments](const GlobalOptions& globals) { return run(*arguments, globals); };
}

}  // namespace

Command info_command() {
  return {"info", "print kind, size, depth, profile and metadata; decodes nothing", kExamples, declare};
}

}  // namespace gpuimg
