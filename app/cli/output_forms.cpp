// Declares --format.
#include "cli/output_forms.hpp"

#include <CLI/CLI.hpp>

namespace gpuimg {

void add_format_option(CLI::App& parser, std::string& asked, const std::string& description) {
  parser.add_option("--format,--output-format", asked, description)->type_name("NAME");
}

}  // namespace gpuimg
