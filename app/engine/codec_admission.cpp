// Runs the self-tests of a backend's codecs once for each device.
#include "engine/codec_admission.hpp"

#include <fmt/format.h>

#include "selftest/codec_selftest.hpp"

namespace gpuimg {

bool CodecAdmission::admits_decoder(Backend& backend, int device, const Note& note) {
  return admits(decoders_, test_decoder, backend, device, note,
                fmt::format("the CPU decodes JPEG: {} does not give the pixels", backend.description()));
}

bool CodecAdmission::admits_encoder(Backend& backend, int device, const Note& note) {
  return admits(encoders_, test_encoder, backend, device, note,
                fmt::format("the CPU encodes JPEG: {} does not give the bytes", backend.description()));
}

bool CodecAdmission::admits(Known& known, SelfTestResult (*test)(Backend& backend), Backend& backend, int device,
                            const Note& note, const std::string& consequence) {
  const std::lock_guard lock(mutex_);
  const auto found = known.find(device);
  if (found != known.end()) {
    return found->second;
  }
  const SelfTestResult result = test(backend);
  const bool is_admitted = result.failures.empty();
  known[device] = is_admitted;
  if (!is_admitted) {
    note(fmt::format("{} of the linked libjpeg: {}", consequence, result.failures.front()));
  }
  return is_admitted;
}

}  // namespace gpuimg
