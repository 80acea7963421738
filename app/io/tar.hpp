// Reads members of tar archives with libarchive, and makes the headers of members to write. In a build without
// libarchive (GPUIMG_ARCHIVE), both throw Error{unsupported}. docs/batch.md, "Archives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/bytes.hpp"
#include "io/input_file.hpp"

struct archive_entry;

namespace gpuimg {

/// "libarchive 3.6.2"; empty if it is not built in.
std::string tar_library();

struct TarMember {
  std::string name;  ///< any bytes
  std::uint64_t size = 0;
  bool is_file = false;                  ///< a regular file with content of its own
  std::shared_ptr<archive_entry> entry;  ///< all attributes in the archive
};

/// Reads one member after another, in constant memory. Every step may throw Error{read} or Error{decode} with the name
/// of the archive; the remaining members are lost then.
class TarReader {
 public:
  /// `path` is a file or "-". The archive may be compressed with gzip or zstd. `check` receives the beginning of the
  /// file as stored. From a pipe, this may be short, but it has at least 16 bytes unless the input is shorter.
  explicit TarReader(const std::string& path, const CheckBeginning& check = nullptr);
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader();

  /// The next member, or nothing at the end.
  std::optional<TarMember> next();

  /// Where the content of the current member lies, if the archive is a regular file and stores the content without
  /// gaps. The section is valid while this reader lives. Nothing for small members, which libarchive has already read.
  std::optional<FileSection> section(const TarMember& member);

  /// Reads the next `room.size()` bytes of the current member.
  void read(const TarMember& member, std::span<std::byte> room);

  /// The whole content of the current member.
  Bytes content(const TarMember& member);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The header for a member like `model`, with another name and size. The format is pax; if the member needs no
/// extensions, this is plain ustar.
std::vector<std::byte> tar_header(const TarMember& model, const std::string& name, std::uint64_t size);

/// The number of zeros that fill the last block of a member's content.
constexpr std::size_t tar_padding(std::uint64_t size) { return static_cast<std::size_t>((512 - size % 512) % 512); }

/// The number of zeros at the end of an archive.
constexpr std::size_t kTarEndBytes = 1024;

}  // namespace gpuimg
