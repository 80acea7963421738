// Tests the host's codecs with round trips and known files. Tests that a backend's own codecs agree with the host's
// before they are used.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "codecs/codec.hpp"
#include "gpuimg/backend.hpp"
#include "operations/result_checks.hpp"

namespace gpuimg {

/// False for HEIF if libheif (opened at run time) or its AV1 decoder is not installed.
bool can_be_tested(const codecs::Codec& codec);

/// Writes every pixel format that the codec supports and reads the files back, or reads a file built into gpuimg.
SelfTestResult test_codec(const codecs::Codec& codec);

/// Decodes small images of a format, JPEG or PNG, on the backend and with libjpeg or libpng. `checks` counts the images
/// that the backend accepted: none if it has no decoder. Throws Error{device_fault}, and the Error of a failure in
/// libjpeg or libpng.
SelfTestResult test_decoder(Backend& backend, codecs::FileFormat format);

/// Encodes small images of a format, JPEG or PNG, on the backend and on the host, and compares the files. Otherwise
/// like test_decoder().
SelfTestResult test_encoder(Backend& backend, codecs::FileFormat format);

/// Decides whether the codecs of backends may be used: only if they agree with the host's to the byte. Shared by the
/// workers of a run. Thread-safe. docs/decisions/0013-jpeg-on-the-device.md, 0016-jpeg-encoded-on-the-device.md,
/// 0017-png-on-the-device.md, 0030-png-decoded-on-the-device.md.
class CodecAdmission {
 public:
  using Note = std::function<void(std::string text)>;

  /// Returns true if the decoder for the file's format may be used. At the first call for a device, compares it with
  /// the host's decoder on generated images. If they differ, `note` gets the reason, once. Throws as Backend::decode
  /// does.
  bool admit_decoder(Backend& backend, const EncodedImage& encoded, int device, const Note& note);

  /// The same for the encoder of that format.
  bool admit_encoder(Backend& backend, const Encoding& as, int device, const Note& note);

 private:
  using Known = std::map<int, bool>;  ///< by device

  /// `test` returns the result of the self-test.
  bool admit(Known& known, const std::function<SelfTestResult()>& test, int device, const Note& note,
             const std::string& consequence);

  std::mutex mutex_;
  Known jpeg_decoders_;
  Known png_decoders_;
  Known jpeg_encoders_;
  Known png_encoders_;
};

}  // namespace gpuimg
