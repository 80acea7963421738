// Whether this program was built with a sanitizer, by GCC or Clang. A sanitizer's shadow memory needs an unlimited
// address space.
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0  // GCC
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define GPUIMG_HAS_THREAD_SANITIZER 1
#else
#define GPUIMG_HAS_THREAD_SANITIZER 0
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || GPUIMG_HAS_THREAD_SANITIZER
#define GPUIMG_HAS_SANITIZER 1
#else
#define GPUIMG_HAS_SANITIZER 0
#endif

namespace gpuimg::test {

constexpr bool kHasSanitizer = GPUIMG_HAS_SANITIZER == 1;
constexpr bool kHasThreadSanitizer = GPUIMG_HAS_THREAD_SANITIZER == 1;

}  // namespace gpuimg::test
