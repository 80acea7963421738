// The instruction sets for which the codecs' loops are compiled: the baseline of the architecture and, on x86-64, AVX2
// with BMI2. Include this before Highway, whose foreach_target compiles a file for each set and chooses at run time.
// Instruction sets between the baseline and AVX2 are not faster. Wider vectors do not help: the speed of these loops is
// limited by one dependency chain, and masks make the chain longer. Measured in
// docs/decisions/0008-codec-loops-for-two-instruction-sets.md.
#pragma once

// A smaller bit means a newer instruction set. ARM uses only NEON: SVE vectors have no fixed size, so structs cannot
// hold them.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX2 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
