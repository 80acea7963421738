// Replaces tar_reader.cpp and tar_header.cpp in a build without libarchive.
#include "gpuimg/error.hpp"
#include "io/tar.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void reject() {
  throw Error(
      ErrorKind::unsupported,
      "this gpuimg is built without libarchive and cannot read tar archives; unpack the archive, and name the folder");
}

}  // namespace

struct TarReader::State {};

std::string tar_library() { return {}; }

TarReader::TarReader(const std::string& /*path*/, const CheckBeginning& /*check*/) { reject(); }
TarReader::~TarReader() = default;
std::optional<TarMember> TarReader::next() { reject(); }
std::optional<FileSection> TarReader::section(const TarMember& /*member*/) { reject(); }
void TarReader::read(const TarMember& /*member*/, std::span<std::byte> /*room*/) { reject(); }
Bytes TarReader::content(const TarMember& /*member*/) { reject(); }

std::vector<std::byte> tar_header(const TarMember& /*model*/, const std::string& /*name*/, std::uint64_t /*size*/) {
  reject();
}

}  // namespace gpuimg
