// The limits of a number that an operation takes. They stand beside its options, where validate() applies them. A
// caller that knows where a number comes from, such as an option of a command, reads them for a message of its own.
#pragma once

#include <string>
#include <type_traits>

#include "gpuimg/error.hpp"

namespace gpuimg {

template <class Number>
struct Limits {
  Number least;
  Number most;
  bool only_odd = false;

  /// False for NaN.
  [[nodiscard]] constexpr bool hold(Number number) const {
    if constexpr (std::is_integral_v<Number>) {
      if (only_odd && number % 2 == 0) {
        return false;
      }
    }
    return number >= least && number <= most;
  }
};

namespace detail {

inline void refuse_unless(bool is_valid, const std::string& why) {
  if (!is_valid) {
    throw Error(ErrorKind::usage, why);
  }
}

}  // namespace detail

}  // namespace gpuimg
