// The instruction sets for which the codecs' loops are compiled: the baseline of the architecture and, on x86-64, AVX2
// with BMI2. Include this before Highway, whose foreach_target compiles a file for each set and chooses at run time.
// Sets in between gain nothing. Wider vectors do not help loops bound by one dependency chain, and their masks lengthen
// it. Measured in docs/decisions/0008-codec-loops-for-two-instruction-sets.md.
#pragma once

// The smaller the bit, the newer the set. On ARM, NEON alone: structs cannot hold vectors of SVE, whose size is not
// fixed.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX2 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
