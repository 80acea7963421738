// The archive that a run over another one writes. docs/batch.md, "Archives".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/input_file.hpp"
#include "io/output_file.hpp"
#include "io/output_stream.hpp"

namespace gpuimg {

/// One member on its way to the archive.
struct ArchivePiece {
  std::vector<std::byte> header;
  std::shared_ptr<const FileContent> content;
  std::optional<FileSection> copied_from = std::nullopt;  ///< in place of `content`: copied in blocks
  std::uint64_t offset = 0;                               ///< in the archive; set by place()

  [[nodiscard]] std::uint64_t content_bytes() const { return copied_from ? copied_from->size : content->size(); }
};

/// In a file, each member gets its place in turn, and is then written by any thread. A stream is written in turn. Every
/// step throws Error{write} or OutputClosed.
class ArchiveOutput {
 public:
  ArchiveOutput(const std::string& name, const OverwriteRules& rules);

  /// Gives the piece its place, after all before it; writes it if the archive is a stream.
  void place(ArchivePiece& piece);

  /// Writes a piece that has its place, unless place() has written it. Thread-safe.
  void store(const ArchivePiece& piece) const;

  /// Writes bytes after all before them.
  void append(std::span<const std::byte> part);
  void append_zeros(std::size_t count);

  /// Writes what a stream has not yet got.
  void flush();

  /// Ends the archive and gives it its name.
  void finish();

 private:
  void write_to_stream(std::span<const std::byte> part) const;

  std::optional<StagedOutput> file_;
  std::optional<FifoOutput> fifo_;  ///< neither: standard output
  std::uint64_t end_ = 0;
  std::vector<std::byte> waiting_;  ///< for the stream: headers and small members become one write
};

}  // namespace gpuimg
