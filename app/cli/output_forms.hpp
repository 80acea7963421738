// The output formats of a subcommand, and how --format and OUT choose one. docs/cli.md, "Output format".
#pragma once

#include <string>

#include "cli/command_parser.hpp"
#include "cli/messages.hpp"
#include "cli/option_values.hpp"
#include "codecs/codec.hpp"
#include "io/output_stream.hpp"
#include "text/path_names.hpp"
#include "text/printable_name.hpp"

namespace gpuimg {

template <class Form>
struct OutputForms {
  std::string what;         ///< "a histogram": in messages
  NamedValues<Form> names;  ///< of --format; the same names are endings of OUT
  Form on_stdout;           ///< without --format
};

/// `forms` and, if a format of images holds tables, each of its names as `form`.
template <class Form>
OutputForms<Form> with_table_codec(OutputForms<Form> forms, Form form, const std::string& meaning) {
  if (const codecs::Codec* codec = codecs::table_codec()) {
    for (const codecs::WrittenName& written : codec->written) {
      const bool is_first = &written == codec->written.begin();
      forms.names.emplace_back(std::string(written.name), form, is_first ? meaning : std::string(written.meaning));
    }
  }
  return forms;
}

/// Declares --format. `description` lists the formats and the default.
void add_format_option(CommandParser& parser, std::string& asked, const OptionText& description);

/// The format that `asked` (--format) names; if that is empty, the one that the extension of `output` names. "" and "-"
/// are standard output. Throws Error{usage} that lists the formats.
template <class Form>
Form output_form(const OutputForms<Form>& forms, const std::string& asked, const std::string& output) {
  if (!asked.empty()) {
    return value_named("--format", asked, forms.names);
  }
  if (output.empty() || is_untyped_stream(output)) {
    return forms.on_stdout;
  }
  const std::string ending = file_ending(output);
  std::vector<std::string> endings;
  for (const NamedValue<Form>& named : forms.names) {
    if (named.name == ending) {
      return named.value;
    }
    endings.push_back("." + named.name);
  }
  throw Error(ErrorKind::usage, printable_name(output) + ": OUT is " + forms.what + ", written as " + listed(endings) +
                                    "; change the ending, or name the form by --format");
}

/// Prints a note if the extension of `output` names another format than --format.
template <class Form>
void note_misleading_ending(const OutputForms<Form>& forms, const std::string& asked, const std::string& output,
                            Verbosity verbosity) {
  const std::string ending = file_ending(output);
  for (const NamedValue<Form>& named : forms.names) {
    if (!asked.empty() && named.name == ending && named.value != value_named("--format", asked, forms.names)) {
      print_note(verbosity, printable_name(output) + ": holds " + asked + ", as --format says, despite its ending");
    }
  }
}

}  // namespace gpuimg
