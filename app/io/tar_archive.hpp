// Members of tar archives, read and written as streams by libarchive. Without it (GPUIMG_ARCHIVE), the constructors
// throw Error{unsupported}. docs/batch.md, "Archives".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

struct archive_entry;

namespace gpuimg {

/// "libarchive 3.6.2"; empty if it is not built in.
std::string tar_library();

/// True for .tar, .tar.gz, .tgz, .tar.zst and .tzst.
bool is_tar_name(const std::string& path);

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
  /// `path` is a file or "-". An archive may be compressed by gzip or zstd.
  explicit TarReader(const std::string& path);
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;
  ~TarReader();

  /// The next member, or nothing at the end.
  std::optional<TarMember> next();

  /// Reads up to `room.size()` bytes of the current member; 0 at its end.
  std::size_t read(std::span<std::byte> room);

  /// All of the current member.
  Bytes content(const TarMember& member);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes an archive in the pax format, to which every ustar reader is used if no member needs more.
class TarWriter {
 public:
  explicit TarWriter(ByteSink sink);
  TarWriter(const TarWriter&) = delete;
  TarWriter& operator=(const TarWriter&) = delete;
  ~TarWriter();

  /// Begins a member like `model`, with another name and size.
  void begin(const TarMember& model, const std::string& name, std::uint64_t size);
  void write(std::span<const std::byte> part);

  /// Ends the archive.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuimg
