// Runs code with each instruction set that Highway was compiled for and the processor supports. Without this, a test
// covers only the best set.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

namespace gpuimg::test {

/// While this object exists, Highway is restricted to one instruction set.
class OnlySet {
 public:
  explicit OnlySet(std::int64_t set) { choose(set); }
  OnlySet(const OnlySet&) = delete;
  OnlySet& operator=(const OnlySet&) = delete;
  ~OnlySet() { choose(0); }  // 0 = all supported sets

 private:
  static void choose(std::int64_t sets) {
    hwy::SetSupportedTargetsForTest(sets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// hwy::TargetName() returns their names.
inline std::vector<std::int64_t> instruction_sets() {
  std::vector<std::int64_t> sets;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    sets.push_back(left & -left);
  }
  return sets;
}

}  // namespace gpuimg::test
