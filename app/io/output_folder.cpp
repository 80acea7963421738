// Creates folders like mkdir -p.
#include "io/output_folder.hpp"

#include <sys/stat.h>

#include <cerrno>

#include "io/output_error.hpp"
#include "io/temporary_file.hpp"

namespace gpuimg {

void make_folder_of(const std::string& path) {
  const std::string folder = folder_of(path);
  struct stat found {};
  if (::stat(folder.c_str(), &found) == 0) {
    return;  // whatever it is: a later write reports the error
  }
  if (errno == ENOENT && folder != path && folder != "/" && folder != ".") {
    make_folder_of(folder);
  }
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    fail_writing(folder, errno);
  }
}

}  // namespace gpuimg
