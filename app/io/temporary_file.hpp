// Temporary files, written in order, or in parts by several threads. A file that does not get its final name is
// removed, even at an immediate exit: a registry contains all names. Files that killed processes left behind can be
// found and removed.
#pragma once

#include <sys/stat.h>

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

#include "io/system_handles.hpp"

namespace gpuimg {

/// ".gpuimg-" and 16 hexadecimal digits: 6 from this host's name, 10 random. The writer holds an flock(2) on the file
/// until the file has its final name.
std::string new_temporary_name();

/// Removes unlocked temporary files of this host and returns their number; 0 if the folder cannot be read. Keeps files
/// of other hosts, because on some file systems (NFS mounted with nolock) locks are not visible to other hosts.
std::size_t remove_stale_temporaries(const std::string& folder);

/// Removes every TemporaryFile of this process. Call only before exiting: afterwards, creating or destroying a
/// TemporaryFile blocks forever.
void remove_registered_temporaries();

/// The path up to its last slash; "." if it has none.
std::string folder_of(const std::string& path);

/// Writes all bytes, retrying partial writes. Throws Error{write}, or OutputClosed on EPIPE.
void write_all(int file, std::span<const std::byte> content, const std::string& shown);

/// Like write_all, but at an offset of the file, and from any thread.
void write_all_at(int file, std::uint64_t offset, std::span<const std::byte> content, const std::string& shown);

/// Call after the last write: throws Error{write} if the file system reports a delayed write error. Keeps the
/// descriptor open.
void check_written(int file, const std::string& shown);

/// Writes parts of one file from several threads. Linux lets only one thread at a time write() to a file; the others
/// spin in the kernel. Here they sleep until their turn. On tmpfs, where one writer limits throughput, up to four
/// waiting threads copy their parts into mappings of the file, which need no file lock. More threads would wait for
/// each other's pages. A mapping costs twice the processor time of write() on tmpfs, and ten times on a disk, so
/// mappings are used only on tmpfs. ADR 0026 has the measurements.
class PartWriter {
 public:
  /// `file` is open for writing and `path` is its name. `shown` is the name for messages. All three must outlive the
  /// writer.
  PartWriter(int file, const std::string& path, const std::string& shown);
  PartWriter(const PartWriter&) = delete;
  PartWriter& operator=(const PartWriter&) = delete;
  ~PartWriter();

  /// From any thread. Parts must not overlap. Throws Error{write}.
  void write_at(std::uint64_t offset, std::span<const std::byte> part);

  /// Call when no thread writes any more. Truncates the file after its last part, or after `appended` bytes if they
  /// extend further. Throws Error{write}.
  void finish(std::uint64_t appended);

 private:
  class Window;

  bool is_in_memory();
  bool write_beside(std::uint64_t offset, std::span<const std::byte> part);
  bool copy_to_mapping(std::uint64_t offset, std::span<const std::byte> part);
  int readable_file();
  bool grow_to(std::uint64_t end);
  std::shared_ptr<const Window> window_of(int file, std::uint64_t number);

  int file_;
  const std::string& path_;
  const std::string& shown_;
  std::atomic<std::uint64_t> end_ = 0;    ///< end of the last part
  std::atomic<std::uint64_t> grown_ = 0;  ///< the file has at least this length; 0: it ends with its last part
  std::mutex writing_;                    ///< held by the thread that uses write()
  std::counting_semaphore<> mappers_{4};  ///< number of further threads that may use a mapping
  std::mutex growing_;
  std::mutex mapping_;
  std::vector<std::shared_ptr<const Window>> windows_;  ///< the most recent windows
  std::once_flag is_examined_;
  std::once_flag is_opened_;
  bool in_memory_ = false;
  std::optional<Descriptor> readable_;
};

/// Creates and locks a file with a new_temporary_name() in the target's folder, with the umask's permissions. The
/// destructor removes it. `shown` is the name for messages. Every member throws Error{write}.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& target, const std::string& shown);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// Copies owner, group and permission bits as far as the system allows; group permissions only together with the
  /// group. Unless `attributes_of` is empty, also copies the extended attributes of that file, such as comments and
  /// access lists.
  void take_permissions_of(const struct stat& old, const std::string& attributes_of);

  void write(std::span<const std::byte> content);
  void write_at(std::uint64_t offset, std::span<const std::byte> content);  ///< from any thread
  int set_times(const timespec& accessed, const timespec& modified);        ///< returns an errno, or 0
  void flush();  ///< call after the last write; throws Error{write} for a delayed write error
  void replace_target();
  void become_target();  ///< never replaces a file, even one that appears concurrently

 private:
  std::string target_;
  std::string shown_;
  std::string path_;
  int file_ = -1;
  std::optional<PartWriter> parts_;
  std::uint64_t appended_ = 0;  ///< bytes given to write()
  bool renamed_ = false;
};

}  // namespace gpuimg
