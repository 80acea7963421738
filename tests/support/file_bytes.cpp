// These functions are not inline. If they were, GCC 12 at -O3 would warn of overflows that cannot happen, wherever a
// FileBytes starts with a text of known size.
#include "support/file_bytes.hpp"

namespace gpuimg::test {

void add_le(FileBytes& to, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

void add_be(FileBytes& to, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) {
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
}

void add_text(FileBytes& to, std::string_view text) { add_bytes(to, std::as_bytes(std::span(text))); }

void add_bytes(FileBytes& to, std::span<const std::byte> bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

FileBytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gpuimg::test
