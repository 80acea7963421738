// Decides whether the codecs of backends may be used: only if they agree with the host's to the byte.
// docs/decisions/0013-jpeg-on-the-device.md, 0016-jpeg-encoded-on-the-device.md, 0017-png-on-the-device.md.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "gpuimg/backend.hpp"
#include "operations/selftest.hpp"

namespace gpuimg {

/// Shared by the workers of a run. Thread-safe.
class CodecAdmission {
 public:
  using Note = std::function<void(std::string text)>;

  /// Compares the decoder with the host's at the first call for a device, over images built into gpuimg. If they
  /// differ, `note` gets the reason, once. Throws as Backend::decode does.
  bool admits_decoder(Backend& backend, int device, const Note& note);

  /// The same for the encoder of that format.
  bool admits_encoder(Backend& backend, const Encoding& as, int device, const Note& note);

 private:
  using Known = std::map<int, bool>;  ///< by device

  /// `test` returns the result of the self-test.
  bool admits(Known& known, const std::function<SelfTestResult()>& test, int device, const Note& note,
              const std::string& consequence);

  std::mutex mutex_;
  Known decoders_;
  Known jpeg_encoders_;
  Known png_encoders_;
};

}  // namespace gpuimg
