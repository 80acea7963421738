// Allocates host memory for pixels. Large blocks ask for huge pages: a 50 MB image then takes 25 page faults instead of
// 12,000.
#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "gpuimg/image.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

void release_pixels(std::byte* memory) { std::free(memory); }

}  // namespace

PixelMemory allocate_pixels(std::size_t bytes) {
  void* memory = nullptr;
  const bool large = bytes >= kHugePixelBytes;
  if (posix_memalign(&memory, large ? kHugePage : kCacheLine, bytes > 0 ? bytes : 1) != 0) {
    throw Error(ErrorKind::out_of_memory, "cannot allocate " + std::to_string(bytes) +
                                              " bytes for pixels; use a smaller image or a machine with more memory");
  }
  if (large) {
    // Advisory: if the kernel declines, normal pages work too.
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
  }
  return PixelMemory(static_cast<std::byte*>(memory), PixelMemoryDeleter{release_pixels});
}

}  // namespace gpuimg
