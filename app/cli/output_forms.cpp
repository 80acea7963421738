// Declares --format.
#include "cli/output_forms.hpp"

namespace gpuimg {

void add_format_option(CommandParser& parser, std::string& asked, const OptionText& description) {
  parser.text({"--format,--output-format", description, "NAME"}, asked);
}

}  // namespace gpuimg
