// GPUIMG_TEST_INSTRUCTION_SET limits the instruction sets that Highway may select in this process, to test the code for
// older processors on newer ones. If it is not set, Highway selects the best set.
#include <hwy/highway.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace gpuimg::test {
namespace {

struct InstructionSet {
  std::string_view name;
  std::int64_t newer;  ///< the Highway targets that are newer than this set
};

constexpr InstructionSet kInstructionSets[] = {
#if HWY_ARCH_X86
    {"baseline", HWY_AVX2 | HWY_SSE4 | HWY_SSSE3 | (HWY_AVX2 - 1)},
    {"ssse3", HWY_AVX2 | HWY_SSE4 | (HWY_AVX2 - 1)},
    {"sse4", HWY_AVX2 | (HWY_AVX2 - 1)},
    {"avx2", HWY_AVX2 - 1},
#else
    {"baseline", ~std::int64_t{0}},
#endif
};

[[maybe_unused]] const bool kIsLimited = [] {
  const char* const wanted = std::getenv("GPUIMG_TEST_INSTRUCTION_SET");
  if (wanted == nullptr) {
    return false;
  }
  for (const InstructionSet& set : kInstructionSets) {
    if (set.name == wanted) {
      hwy::DisableTargets(set.newer);
      return true;
    }
  }
  std::fprintf(stderr, "GPUIMG_TEST_INSTRUCTION_SET: %s is not a known instruction set\n", wanted);
  std::exit(1);
}();

}  // namespace
}  // namespace gpuimg::test
