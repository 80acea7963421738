// libhwy 1.0 measures the resolution of its timer whenever a process loads it, for benchmarks, which takes 2 to 4 ms:
// as much as all else before main(). It asks this function, because those of the program come before a library's.
#include <cstdint>

namespace hwy::platform {

std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
