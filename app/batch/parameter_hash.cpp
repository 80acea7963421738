// Hashes the options of a subcommand.
#include "batch/parameter_hash.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/fnv_hash.hpp"

namespace gpuimg {
namespace {

bool names_a_file(const std::string& option) { return option == "mask" || option == "reference" || option == "apply"; }

std::string content_hash(const std::string& path) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "standard input can be read only once; name a file that all images can share");
  }
  const Bytes bytes = read_input(path);
  return fmt::format("{:016x}", fnv_hash({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}));
}

/// Sorted by name: the order on the command line does not matter.
std::map<std::string, std::string> options_given(const CLI::App& parser) {
  std::map<std::string, std::string> given;
  for (const CLI::Option* option : parser.get_options()) {
    const bool is_of_operation = option->get_group() == "Options" && !option->get_lnames().empty();
    if (is_of_operation && option->count() > 0) {
      const std::string name = option->get_lnames().front();
      const std::string value = fmt::format("{}", fmt::join(option->results(), "\n"));
      given[name] = names_a_file(name) ? content_hash(value) : value;
    }
  }
  return given;
}

}  // namespace

std::string parameter_hash(const CLI::App& parser, const GlobalOptions& globals) {
  std::uint64_t hash = fnv_hash(parser.get_name());
  for (const auto& [name, value] : options_given(parser)) {
    hash = fnv_hash(fmt::format("\n{}={}", name, value), hash);
  }
  hash = fnv_hash(globals.auto_orient ? "" : "\nno-auto-orient", hash);
  hash = fnv_hash(globals.lenient ? "\nlenient" : "", hash);
  return fmt::format("{:016x}", hash);
}

}  // namespace gpuimg
