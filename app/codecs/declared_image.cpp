// Reads as much of a file as its header needs.
#include "codecs/declared_image.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "codecs/format_detection.hpp"
#include "gpuimg/error.hpp"
#include "io/descriptor.hpp"

namespace gpuimg::codecs {
namespace {

bool has_long_header(ByteSpan beginning, const std::string& name) {
  try {
    return detected_codec(beginning, name).has_long_header;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

DeclaredImage declared_image(std::span<const std::byte> bytes, const std::string& name) {
  try {
    return detected_codec(bytes, name).declared(bytes, name);
  } catch (const Error&) {
    return {};  // the decoder reports the error
  }
}

DeclaredImage declared_image_in(const std::string& path) {
  constexpr std::size_t kShortHeaders = 64 << 10;
  constexpr std::size_t kLongHeaders = 4 << 20;  // a JPEG's size follows its profile and its thumbnail
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.number() < 0) {
    return {};
  }
  struct stat found {};
  const bool is_known = ::fstat(file.number(), &found) == 0 && found.st_size > 0;
  const std::size_t size = is_known ? static_cast<std::size_t>(found.st_size) : kLongHeaders;
  DeclaredImage declared;
  std::vector<std::byte> bytes;
  for (const std::size_t limit : {kShortHeaders, kLongHeaders, size}) {
    bytes.resize(std::min(limit, size));
    const ssize_t count = ::pread(file.number(), bytes.data(), bytes.size(), 0);
    bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    declared = declared_image(bytes, path);
    if (declared.pixels() > 0 || bytes.size() == size || !has_long_header(bytes, path)) {
      break;
    }
  }
  return declared;
}

}  // namespace gpuimg::codecs
