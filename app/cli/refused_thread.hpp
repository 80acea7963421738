// Recognizes the exceptions of a thread that could not be started, usually because there is no memory for its stack.
#pragma once

#include <exception>
#include <string_view>
#include <system_error>

namespace gpuimg {

/// True for the standard library's exception and for oneTBB's.
inline bool is_refused_thread(const std::exception& failure) {
  const auto* system = dynamic_cast<const std::system_error*>(&failure);
  return (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(failure.what()).find("pthread_create") != std::string_view::npos;
}

}  // namespace gpuimg
