// Whether this program was built with a sanitizer, by GCC or Clang. Its shadow memory needs an unlimited address space.
#pragma once

#ifndef __has_feature
#define __has_feature(name) 0  // GCC
#endif

namespace gpuimg::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif

}  // namespace gpuimg::test
