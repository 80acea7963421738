// In place of tar_archive.cpp if libarchive is not built in.
#include "gpuimg/error.hpp"
#include "io/tar_archive.hpp"

namespace gpuimg {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorKind::unsupported,
              "this gpuimg is built without libarchive and reads no tar archives; unpack it, and name the folder");
}

}  // namespace

struct TarReader::State {};
struct TarWriter::State {};

std::string tar_library() { return {}; }

TarReader::TarReader(const std::string& /*path*/) { refuse(); }
TarReader::~TarReader() = default;
std::optional<TarMember> TarReader::next() { refuse(); }
std::size_t TarReader::read(std::span<std::byte> /*room*/) { refuse(); }
Bytes TarReader::content(const TarMember& /*member*/) { refuse(); }

TarWriter::TarWriter(ByteSink /*sink*/) { refuse(); }
TarWriter::~TarWriter() = default;
void TarWriter::begin(const TarMember& /*model*/, const std::string& /*name*/, std::uint64_t /*size*/) { refuse(); }
void TarWriter::write(std::span<const std::byte> /*part*/) { refuse(); }
void TarWriter::finish() { refuse(); }

}  // namespace gpuimg
