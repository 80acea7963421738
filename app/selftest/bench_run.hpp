// `gpuimg bench`: verifies every timed operation and codec between the backends, then times it on each.
#pragma once

#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

struct BackendTiming {
  std::string backend;
  double upload_ms = 0.0;             ///< like the download, not of a codec
  double kernel_ms = 0.0;             ///< median time of the operation alone, on pixels already uploaded; of a codec,
                                      ///< from a file in host memory to pixels in the backend's, or back
  double download_ms = 0.0;           ///< of the uploaded picture itself, as a measure of the download
  double gigabytes_per_second = 0.0;  ///< minimum bytes the operation must move, divided by kernel_ms
  double share_of_copy = 0.0;         ///< gigabytes_per_second relative to a plain copy on this backend
};

struct BenchRow {
  std::string image;
  std::string operation;  ///< or codec
  bool is_codec = false;
  bool compared = false;   ///< false if there is nothing to compare with
  std::string difference;  ///< empty if the backends agree
  std::vector<BackendTiming> timings;
};

struct BenchImage {
  std::string name;
  Image pixels;
  Bytes file;  ///< empty if the image is generated
  codecs::FileFormat format = codecs::FileFormat::png;
};

struct BenchSide {
  Backend* backend;
  double copy_rate;  ///< bytes per second
};

/// One row per operation, for one image.
std::vector<BenchRow> bench_image(const BenchImage& image, const std::vector<BenchSide>& on);

/// Rows for decoding and encoding JPEG and PNG: the image's file, or what gpuimg makes of its pixels. The host's codecs
/// belong to the backend whose memory is the host's.
std::vector<BenchRow> bench_codecs(const BenchImage& image, const std::vector<BenchSide>& sides,
                                   const codecs::ReadOptions& reading);

}  // namespace gpuimg
