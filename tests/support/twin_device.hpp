// A CUDA backend for machines without a GPU: the CPU's operations on memory that counts as device memory, and the host
// twins of the JPEG codecs. It replaces the library behind gpuimg/cuda.hpp in the executable that links it, so that
// `--backend cuda` runs the whole tool except the kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace gpuimg::test {

/// Counters, and settings of the devices, for tests. The settings must be made before a command runs.
struct TwinDevice {
  int devices = 1;               ///< 0: there is no device
  bool decodes = true;           ///< false: the backend leaves every file to the host
  bool decodes_wrongly = false;  ///< every decoded image has one wrong sample
  int wrong_from = -1;           ///< images from this number on, counted from 0, have one wrong sample; −1: none
  bool encodes = true;           ///< false: the backend leaves all pixels to the host
  bool encodes_wrongly = false;  ///< every encoded scan has one wrong byte
  int encoded_wrong_from = -1;   ///< scans from this number on, counted from 0, have one wrong byte; −1: none
  std::size_t available_bytes = ~std::size_t{0};
  std::atomic<int> rejected_operations = 0;  ///< number of the next operations that fail for lack of memory

  /// Of the calls that allocate memory, counted from 0, the calls reject_from … reject_from + rejected_calls − 1 fail
  /// for lack of memory. These calls are uploads, operations, decoding, encoding and, unless `downloads_need_none`,
  /// downloads.
  int reject_from = 0;
  int rejected_calls = 0;
  bool downloads_need_none = false;
  std::atomic<int> calls = 0;  ///< calls that allocate memory

  std::atomic<int> made = 0;        ///< number of backends created
  std::atomic<int> unprepared = 0;  ///< uploads, decodings and encodings by a backend without expect_many_images()
  std::atomic<int> decoded = 0;     ///< decoded files, including those of the self-test
  std::atomic<int> encoded = 0;     ///< encoded scans, including those of the self-test
  std::atomic<int> uploaded = 0;    ///< uploaded images and masks
  std::atomic<int> downloaded = 0;

  /// Called when an operation starts on a device, on the worker's thread; may be null.
  std::function<void(int device)> on_operation;

  void reset();
};

TwinDevice& twin_device();

}  // namespace gpuimg::test
