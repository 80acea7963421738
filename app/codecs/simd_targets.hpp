// Which instruction sets the codecs' loops are compiled for: the one that every machine of the kind has, and on x86-64
// AVX2 with BMI2. To be included before Highway, whose foreach_target compiles a file for each and chooses at run time.
// What lies between gains nothing; wider vectors do not help loops that follow one chain, and their masks lengthen it.
#pragma once

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | (HWY_AVX2 - 1))  // the smaller the bit, the newer
