// RAII for a file descriptor.
#pragma once

#include <unistd.h>

namespace gpuimg {

class Descriptor {
 public:
  /// Negative if nothing was opened.
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

}  // namespace gpuimg
