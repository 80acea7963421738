// Writes parts of one file from several threads at once. ADR 0026 says what was measured. Used by temporary_file.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <span>
#include <string>
#include <vector>

#include "io/descriptor.hpp"

namespace gpuimg {

/// Linux lets one thread at a time write() into a file, and the others spin in the kernel. Here they wait for their
/// turn, asleep. On a file system in memory (tmpfs), where that bounds many workers, four of them copy their parts
/// into mappings of the file meanwhile, which takes no lock of the file. More of them would wait for each other's
/// pages. A mapping takes twice the processor time of write() there, and ten times on a disk, so nothing else uses it.
class PartWriter {
 public:
  /// `file` is open for writing and `path` is its name. `shown` is the name for messages. All three must outlive this.
  PartWriter(int file, const std::string& path, const std::string& shown);
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  ~PartWriter();

  /// From any thread. Parts must not overlap. Throws Error{write}.
  void write_at(std::uint64_t offset, std::span<const std::byte> part);

  /// Call once no thread writes: ends the file after its last part or after `appended` bytes, if that is more.
  /// Throws Error{write}.
  void finish(std::uint64_t appended);

 private:
  class Window;

  bool is_in_memory();
  bool write_beside(std::uint64_t offset, std::span<const std::byte> part);
  bool copy_to_mapping(std::uint64_t offset, std::span<const std::byte> part);
  int readable_file();
  bool is_grown_to(std::uint64_t end);
  std::shared_ptr<const Window> window_of(int file, std::uint64_t number);

  int file_;
  const std::string& path_;
  const std::string& shown_;
  std::atomic<std::uint64_t> end_ = 0;    ///< of the last part
  std::atomic<std::uint64_t> grown_ = 0;  ///< the file has at least this length; 0: it ends with its last part
  std::mutex writing_;                    ///< held by the thread that uses write()
  std::counting_semaphore<> mappers_{4};  ///< threads that may still use a mapping
  std::mutex growing_;
  std::mutex mapping_;
  std::vector<std::shared_ptr<const Window>> windows_;  ///< the last ones
  std::once_flag is_examined_;
  std::once_flag is_opened_;
  bool in_memory_ = false;
  std::optional<Descriptor> readable_;
};

}  // namespace gpuimg
