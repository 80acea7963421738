// A CUDA backend for machines without a GPU: the CPU's operations on memory that counts as a device's, and the host
// twins of the JPEG codecs. It replaces the library behind gpuimg/cuda.hpp in the executable that links it, so that
// `--backend cuda` runs all of the tool but the kernels.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace gpuimg::test {

/// The settings that a test makes for the devices, and the counts that it reads. Set them before a command runs.
struct TwinDevice {
  int devices = 1;               ///< 0: there is no device
  bool decodes = true;           ///< false: every file is left to the host
  bool decodes_wrongly = false;  ///< every file has one wrong sample
  int wrong_from = -1;           ///< number of right files; all later files have one wrong sample
  bool encodes = true;           ///< false: all pixels are left to the host
  bool encodes_wrongly = false;  ///< every scan has one wrong byte
  int encoded_wrong_from = -1;   ///< number of right scans; all later scans have one wrong byte
  std::size_t available_bytes = ~std::size_t{0};
  std::atomic<int> rejected_operations = 0;  ///< this many operations fail as out of memory; counts down

  /// Of the calls that take memory, reject_from … reject_from + rejected_calls − 1 fail as out of memory: uploads,
  /// operations, decoding and encoding, and downloads unless `downloads_need_none`.
  int reject_from = 0;
  int rejected_calls = 0;
  bool downloads_need_none = false;
  std::atomic<int> calls = 0;  ///< calls that take memory

  std::atomic<int> made = 0;        ///< backends that were made
  std::atomic<int> unprepared = 0;  ///< uploads, decodings and encodings by a backend that expects one image
  std::atomic<int> decoded = 0;     ///< files, with those of the self-test
  std::atomic<int> encoded = 0;     ///< scans, with those of the self-test
  std::atomic<int> uploaded = 0;    ///< images and masks
  std::atomic<int> downloaded = 0;

  /// Called when an operation begins on a device, on the thread of its worker; may be null.
  std::function<void(int device)> on_operation;

  void reset();
};

TwinDevice& twin_device();

}  // namespace gpuimg::test
