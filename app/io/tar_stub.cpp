// Replaces tar_reader.cpp and tar_header.cpp in a build without libarchive.
#include "gpuimg/error.hpp"
#include "io/tar.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::unsupported,
              "this gpuimg is built without libarchive and cannot read tar archives; unpack it, and name the folder");
}

}  // namespace

struct TarReader::State {};

std::string tar_library() { return {}; }

TarReader::TarReader(const std::string& /*path*/, const CheckBeginning& /*check*/) { refuse(); }
TarReader::~TarReader() = default;
std::optional<TarMember> TarReader::next() { refuse(); }
std::optional<FileSection> TarReader::section(const TarMember& /*member*/) { refuse(); }
void TarReader::read(const TarMember& /*member*/, std::span<std::byte> /*room*/) { refuse(); }
Bytes TarReader::content(const TarMember& /*member*/) { refuse(); }

std::vector<std::byte> tar_header(const TarMember& /*model*/, const std::string& /*name*/, std::uint64_t /*size*/) {
  refuse();
}

}  // namespace gpuimg
