// Hashes options as text. Changing the text format breaks --resume of older manifests.
#include "batch/parameter_hash.hpp"

#include <fmt/format.h>

#include "gpuimg/error.hpp"
#include "io/input_file.hpp"
#include "text/fnv_hash.hpp"

namespace gpuimg {
namespace {

std::string content_hash(const std::string& path) {
  if (path == "-") {
    throw Error(ErrorKind::usage, "standard input can be read only once; name a file that all images can share");
  }
  const Bytes bytes = read_input(path);
  return fmt::format("{:016x}", fnv_hash({reinterpret_cast<const char*>(bytes.data.get()), bytes.size}));
}

}  // namespace

std::string parameter_hash(const CommandParser& parser, const GlobalOptions& globals) {
  std::uint64_t hash = fnv_hash(parser.name());
  for (const GivenOption& option : parser.given_options()) {  // sorted: the order on the command line does not matter
    const std::string value = fmt::format("{}", fmt::join(option.values, "\n"));
    hash = fnv_hash(fmt::format("\n{}={}", option.name, option.reads_file ? content_hash(value) : value), hash);
  }
  hash = fnv_hash(globals.auto_orient ? "" : "\nno-auto-orient", hash);
  hash = fnv_hash(globals.lenient ? "\nlenient" : "", hash);
  hash = fnv_hash(globals.page > 0 ? fmt::format("\npage={}", globals.page) : "", hash);
  return fmt::format("{:016x}", hash);
}

}  // namespace gpuimg
