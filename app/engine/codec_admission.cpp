// Runs the self-tests of a backend's codecs once for each device.
#include "engine/codec_admission.hpp"

#include <fmt/format.h>

#include <variant>

#include "engine/codec_selftest.hpp"

namespace gpuimg {

bool CodecAdmission::admits_decoder(Backend& backend, int device, const Note& note) {
  return admits(
      decoders_, [&] { return test_decoder(backend); }, device, note,
      fmt::format("the CPU decodes JPEG: {} does not give the pixels of the linked libjpeg", backend.description()));
}

bool CodecAdmission::admits_encoder(Backend& backend, const Encoding& as, int device, const Note& note) {
  const bool is_png = std::holds_alternative<PngDataFormat>(as);
  const codecs::FileFormat format = is_png ? codecs::FileFormat::png : codecs::FileFormat::jpeg;
  return admits(
      is_png ? png_encoders_ : jpeg_encoders_, [&] { return test_encoder(backend, format); }, device, note,
      fmt::format("the CPU encodes {}: {} does not give the bytes of {}", codecs::codec_of(format).name,
                  backend.description(), is_png ? "the CPU's encoder" : "the linked libjpeg"));
}

bool CodecAdmission::admits(Known& known, const std::function<SelfTestResult()>& test, int device, const Note& note,
                            const std::string& consequence) {
  const std::lock_guard lock(mutex_);
  const auto found = known.find(device);
  if (found != known.end()) {
    return found->second;
  }
  const SelfTestResult result = test();
  const bool is_admitted = result.failures.empty();
  known[device] = is_admitted;
  if (!is_admitted) {
    note(fmt::format("{}: {}", consequence, result.failures.front()));
  }
  return is_admitted;
}

}  // namespace gpuimg
