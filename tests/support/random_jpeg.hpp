// Random JPEG files that a device may decode, and damaged copies of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codecs/jpeg/jpeg_encoding.hpp"
#include "support/jpeg_maker.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {

struct JpegSampling {
  int horizontal;  ///< of luma; chroma has 1
  int vertical;
};
constexpr JpegSampling kJpegSamplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}};

/// Any sampling. Half of the files have restart markers, 1 … `max_restart_interval` MCUs apart.
JpegChoices any_jpeg(Random& random, int min_quality, int max_restart_interval);

/// Sampling factors of luma and chroma, horizontal and vertical.
using JpegFactors = std::array<int, 4>;
constexpr JpegFactors kAllJpegFactors[] = {{1, 1, 1, 1}, {2, 1, 1, 1}, {1, 2, 1, 1}, {2, 2, 1, 1}, {4, 1, 1, 1},
                                           {1, 4, 1, 1}, {4, 2, 1, 1}, {2, 4, 1, 1}, {1, 4, 1, 2}, {1, 2, 1, 2},
                                           {3, 1, 1, 1}, {1, 3, 1, 1}, {2, 3, 1, 1}, {2, 2, 2, 1}, {2, 2, 1, 2},
                                           {1, 1, 2, 2}, {1, 1, 1, 2}, {2, 1, 1, 2}};

/// Progressive, or with one scan per component, at any quality. Half of the files have restart markers.
JpegChoices of_several_scans(Random& random, const JpegFactors& factors);

/// Progressive scans: any bands in any order. The first scan of a band leaves out up to two low
/// bits; each later scan adds one bit.
std::vector<JpegScanChoice> any_scans(Random& random, int components);

/// For `channels` components: steps from 1 to 255, equal or different tables, luma sampling factors of 1 or 2.
codecs::JpegEncoding any_encoding(Random& random, int channels);

/// An image like a photo: shading, objects with edges, flat areas and noise. u8 with 1 or 3 channels.
Image photo_like_image(Random& random, int width, int height, int channels);

/// Changes one to three bytes, mostly coded bytes. Truncates one file in eight. A backend must be able to decode
/// `file`.
FileBytes mutant_of_jpeg(Random& random, const FileBytes& file);

}  // namespace gpuimg::test
