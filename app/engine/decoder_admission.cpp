// Runs the self-test of a backend's decoder once for each device.
#include "engine/decoder_admission.hpp"

#include <fmt/format.h>

#include "selftest/codec_selftest.hpp"

namespace gpuimg {

bool DecoderAdmission::admits(Backend& backend, int device, const std::function<void(std::string text)>& note) {
  const std::lock_guard lock(mutex_);
  const auto known = is_admitted_.find(device);
  if (known != is_admitted_.end()) {
    return known->second;
  }
  const SelfTestResult result = test_decoder(backend);
  const bool is_admitted = result.failures.empty();
  is_admitted_[device] = is_admitted;
  if (!is_admitted) {
    note(fmt::format("the CPU decodes JPEG: {} does not give the pixels of the linked libjpeg: {}",
                     backend.description(), result.failures.front()));
  }
  return is_admitted;
}

}  // namespace gpuimg
