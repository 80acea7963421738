// The valid range of a numeric option. Ranges are declared next to the options, and validate() applies them. Other
// code, such as the parser of a command's options, uses these ranges in its messages.
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

inline void reject_unless(bool is_valid, const std::string& why) {
  if (!is_valid) {
    throw Error(ErrorKind::usage, why);
  }
}

}  // namespace detail

}  // namespace gpuimg
