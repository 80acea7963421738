// Handles of the operating system: a file descriptor that the destructor closes, and a library that is opened at run
// time, so that programs that do not need the library start without it.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

namespace gpuimg {

class Descriptor {
 public:
  /// `number` is negative if nothing was opened.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

class SharedLibrary {
 public:
  /// `name` includes the interface version: "libarchive.so.13". The library stays open until the process ends.
  explicit SharedLibrary(const char* name) : library_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  /// Null if the library does not have the function.
  template <class Function>
  Function find(const char* name) {
    auto function = library_ != nullptr ? reinterpret_cast<Function>(::dlsym(library_, name)) : nullptr;
    has_all_ = has_all_ && function != nullptr;
    return function;
  }

  /// True if the library is installed and find() found every function.
  [[nodiscard]] bool has_all() const { return library_ != nullptr && has_all_; }

 private:
  void* library_;
  bool has_all_ = true;
};

}  // namespace gpuimg

/// Declares a data member `member` that points to the function `name` of a library, or is null. The struct must declare
/// a SharedLibrary `library` before it.
#define GPUIMG_LIBRARY_FUNCTION(member, name) decltype(&::name) member = library.find<decltype(&::name)>(#name)
