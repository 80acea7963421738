// A file under a temporary name that disappears again unless it is given its final name. Part of output_file.cpp.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <span>
#include <string>

namespace gpuimg {

/// The path up to its last slash; "." where there is none.
std::string folder_of(const std::string& path);

/// Writes everything to a descriptor, however often it takes. Throws Error{write}, or OutputClosed on EPIPE.
void write_all(int file, std::span<const std::byte> content, const std::string& shown);

/// Behind the last write: throws Error{write} where a file system that writes late says now that it could not. The
/// descriptor stays open.
void check_written(int file, const std::string& shown);

/// Created under a new_temporary_name in the target's folder, locked, with the permissions that the umask leaves;
/// removed by the destructor. `shown` is the name for messages. Every member throws Error{write}.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& target, const std::string& shown);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// Owner, group and permission bits, as far as the system lets us; group rights only together with the group.
  void take_permissions_of(const struct stat& old);

  void write(std::span<const std::byte> content);
  void flush();  ///< throws for a write that failed late
  void replace_target();
  void become_target();  ///< refuses to replace a file, even one that appears at this moment

 private:
  std::string target_;
  std::string shown_;
  std::string path_;
  int file_ = -1;
  bool renamed_ = false;
};

}  // namespace gpuimg
