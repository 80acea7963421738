// Declares --luma for every operation that has it.
#include "cli/luma_option.hpp"

#include "cli/option_values.hpp"

namespace gpuimg {

void add_luma_option(CommandParser& parser, std::string& value, Luma by_default) {
  parser.text(
      {"--luma",
       with_choices("how luma is computed from red, green and blue", kLumaNames, name_of(by_default, kLumaNames)),
       "NAME"},
      value);
}

}  // namespace gpuimg
