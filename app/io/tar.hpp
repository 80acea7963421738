// Tar archives: their members, read by libarchive, and the headers of members that are written. Without libarchive
// (GPUIMG_ARCHIVE), both throw Error{unsupported}. docs/batch.md, "Archives".
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
  std::shared_ptr<archive_entry> entry;  ///< everything that the archive says of it
};

/// Reads one member after another, in constant memory. Every step throws Error{read} or Error{decode}, with the name of
/// the archive: what follows is lost then.
class TarReader {
 public:
  /// `path` is a file or "-". An archive may be compressed by gzip or zstd. `check` gets the beginning of the file, as
  /// it is stored; that of a pipe may be short, but not below 16 bytes unless that is all.
  explicit TarReader(const std::string& path, const CheckBeginning& check = nullptr);
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader();

  /// The next member, or nothing at the end.
  std::optional<TarMember> next();

  /// Where the content of the current member is, if the archive is a regular file and holds it in one piece: then it is
  /// read from there, as long as this reader lives. Nothing for small members, of which libarchive holds all already.
  std::optional<FileSection> section(const TarMember& member);

  /// Reads the next `room.size()` bytes of the current member.
  void read(const TarMember& member, std::span<std::byte> room);

  /// All of the current member.
  Bytes content(const TarMember& member);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What stands before the content of a member like `model`, with another name and size: in the pax format, to which
/// every ustar reader is used if the member needs no more.
std::vector<std::byte> tar_header(const TarMember& model, const std::string& name, std::uint64_t size);

/// How many zeros fill the last block of a member's content.
constexpr std::size_t tar_padding(std::uint64_t size) { return static_cast<std::size_t>((512 - size % 512) % 512); }

/// How many zeros end an archive.
constexpr std::size_t kTarEndBytes = 1024;

}  // namespace gpuimg
