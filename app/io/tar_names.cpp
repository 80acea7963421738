// Which names are those of tar archives.
#include <array>
#include <string_view>

#include "io/tar_archive.hpp"

namespace gpuimg {

bool is_tar_name(const std::string& path) {
  constexpr std::array<std::string_view, 5> kEndings = {".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst"};
  for (const std::string_view ending : kEndings) {
    if (path.size() > ending.size() && path.ends_with(ending)) {
      return true;
    }
  }
  return false;
}

}  // namespace gpuimg
