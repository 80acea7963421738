// Places and writes.
#include "batch/archive_output.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "io/tar.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

/// Calls write(at, part) for the content of a piece, one part after another.
template <class Write>
void for_each_part(const ArchivePiece& piece, const Write& write) {
  if (!piece.copied_from) {
    std::uint64_t at = 0;
    return piece.content->for_each_part([&](std::span<const std::byte> part) {
      write(at, part);
      at += part.size();
    });
  }
  std::vector<std::byte> block(static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, piece.copied_from->size)));
  for (std::uint64_t at = 0; at < piece.copied_from->size; at += block.size()) {
    block.resize(static_cast<std::size_t>(std::min<std::uint64_t>(block.size(), piece.copied_from->size - at)));
    read_section(*piece.copied_from, at, block);
    write(at, std::span<const std::byte>(block));
  }
}

}  // namespace

ArchiveOutput::ArchiveOutput(const std::string& name, const OverwriteRules& rules) {
  if (is_fifo(name)) {
    fifo_.emplace(name);
  } else if (!is_standard_output(name)) {
    file_.emplace(name, rules);
  }
}

void ArchiveOutput::place(ArchivePiece& piece) {
  const std::uint64_t size = piece.content_bytes();
  if (file_) {
    piece.offset = end_;
    end_ += piece.header.size() + size + tar_padding(size);
  } else {
    append(piece.header);
    for_each_part(piece, [&](std::uint64_t /*at*/, std::span<const std::byte> part) { append(part); });
    append_zeros(tar_padding(size));
  }
}

void ArchiveOutput::store(const ArchivePiece& piece) const {
  if (!file_) {
    return;
  }
  file_->write_at(piece.offset, piece.header);
  const std::uint64_t first = piece.offset + piece.header.size();
  for_each_part(piece, [&](std::uint64_t at, std::span<const std::byte> part) { file_->write_at(first + at, part); });
}

void ArchiveOutput::append(std::span<const std::byte> part) {
  if (file_) {
    file_->write_at(std::exchange(end_, end_ + part.size()), part);
    return;
  }
  if (waiting_.size() + part.size() > kBlock) {
    flush();
  }
  if (part.size() > kBlock) {
    write_to_stream(part);
  } else {
    waiting_.insert(waiting_.end(), part.begin(), part.end());
  }
}

void ArchiveOutput::append_zeros(std::size_t count) {
  constexpr std::array<std::byte, kTarEndBytes> kZeros{};
  append(std::span(kZeros).first(count));
}

void ArchiveOutput::flush() {
  if (!waiting_.empty()) {
    write_to_stream(waiting_);
    waiting_.clear();
  }
}

void ArchiveOutput::write_to_stream(std::span<const std::byte> part) const {
  if (fifo_) {
    fifo_->write(part);
  } else {
    write_output("-", part, {});
  }
}

void ArchiveOutput::finish() {
  append_zeros(kTarEndBytes);
  if (file_) {
    file_->finish();
    file_->commit();
  } else {
    flush();
  }
}

}  // namespace gpuimg
