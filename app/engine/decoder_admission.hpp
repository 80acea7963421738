// Decides whether the decoders of backends may be used: only if they give the pixels of the linked libjpeg.
// docs/decisions/0013-jpeg-on-the-device.md.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "gpuimg/backend.hpp"

namespace gpuimg {

/// Shared by the workers of a run. Thread-safe.
class DecoderAdmission {
 public:
  /// Compares the decoder with the host's at the first call for a device, over images built into gpuimg. If they
  /// differ, `note` gets the reason, once. Throws as Backend::decode does.
  bool admits(Backend& backend, int device, const std::function<void(std::string text)>& note);

 private:
  std::mutex mutex_;
  std::map<int, bool> is_admitted_;  ///< by device
};

}  // namespace gpuimg
