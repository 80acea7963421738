// Decodes HEVC for libheif with libde265. Replaces libheif's own use of libde265, which ignores the library's reports
// of damaged data, and returns uninitialized memory for blocks that are missing from the data. docs/decisions/0029.
//
// libde265 decodes into planes that are filled with a random pattern. A block that still has the pattern was never
// decoded.
#include <libde265/de265.h>
#include <libheif/heif_plugin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codecs/byte_fields.hpp"
#include "codecs/heif/libheif.hpp"
#include "io/system_handles.hpp"

namespace gpuimg::codecs::heif {
namespace {

/// Functions of libde265, named without their prefix.
struct LibDe265 {
  SharedLibrary library{"libde265.so.0"};
  GPUIMG_LIBRARY_FUNCTION(decode, de265_decode);
  GPUIMG_LIBRARY_FUNCTION(flush_data, de265_flush_data);
  GPUIMG_LIBRARY_FUNCTION(free_decoder, de265_free_decoder);
  GPUIMG_LIBRARY_FUNCTION(get_bits_per_pixel, de265_get_bits_per_pixel);
  GPUIMG_LIBRARY_FUNCTION(get_chroma_format, de265_get_chroma_format);
  GPUIMG_LIBRARY_FUNCTION(get_error_text, de265_get_error_text);
  GPUIMG_LIBRARY_FUNCTION(get_image_colour_primaries, de265_get_image_colour_primaries);
  GPUIMG_LIBRARY_FUNCTION(get_image_full_range_flag, de265_get_image_full_range_flag);
  GPUIMG_LIBRARY_FUNCTION(get_image_height, de265_get_image_height);
  GPUIMG_LIBRARY_FUNCTION(get_image_matrix_coefficients, de265_get_image_matrix_coefficients);
  GPUIMG_LIBRARY_FUNCTION(get_image_plane, de265_get_image_plane);
  GPUIMG_LIBRARY_FUNCTION(get_image_plane_user_data, de265_get_image_plane_user_data);
  GPUIMG_LIBRARY_FUNCTION(get_image_transfer_characteristics, de265_get_image_transfer_characteristics);
  GPUIMG_LIBRARY_FUNCTION(get_image_width, de265_get_image_width);
  GPUIMG_LIBRARY_FUNCTION(get_next_picture, de265_get_next_picture);
  GPUIMG_LIBRARY_FUNCTION(get_warning, de265_get_warning);
  GPUIMG_LIBRARY_FUNCTION(new_decoder, de265_new_decoder);
  GPUIMG_LIBRARY_FUNCTION(push_nal, de265_push_NAL);
  GPUIMG_LIBRARY_FUNCTION(set_image_allocation_functions, de265_set_image_allocation_functions);
  GPUIMG_LIBRARY_FUNCTION(set_image_plane, de265_set_image_plane);
  GPUIMG_LIBRARY_FUNCTION(set_parameter_bool, de265_set_parameter_bool);
};

std::optional<LibDe265> open_libde265() {
  LibDe265 found;
  return found.library.has_all() ? std::optional(found) : std::nullopt;
}

const std::optional<LibDe265>& find_libde265() {
  static const std::optional<LibDe265> kFound = open_libde265();
  return kFound;
}

/// Only for code that runs inside a decoder: a decoder exists only if the library is installed.
const LibDe265& libde265() { return *find_libde265(); }

constexpr int kBlock = 4;  // width and height of the smallest coded block, in samples

/// A plane of samples of 1 or 2 bytes, filled with a pattern that no decoder writes by chance.
class Plane {
 public:
  /// Throws std::bad_alloc. `bits` is the number of bits per sample.
  Plane(int width, int height, int bits)
      : sample_bytes_(bits > 8 ? 2 : 1),
        row_bytes_(rounded_up(static_cast<std::size_t>(width) * sample_bytes_)),
        width_(width),
        height_(height),
        pattern_(random_bytes(row_bytes_ + kShifts * 2, bits)),
        memory_(allocated(row_bytes_ * static_cast<std::size_t>(height) + kAlignment)) {
    for (int y = 0; y < height_; ++y) {
      std::memcpy(row(y), pattern_of(y), row_bytes_);
    }
    std::memset(row(height_), 0, kAlignment);  // libde265's vector instructions read past the end of the plane
  }

  [[nodiscard]] std::byte* memory() { return memory_.get(); }
  [[nodiscard]] std::size_t row_bytes() const { return row_bytes_; }

  /// True if the decoder has left at least one block unwritten.
  [[nodiscard]] bool has_gap() const {
    for (int y = 0; y + kBlock <= height_; y += kBlock) {
      for (int x = 0; x + kBlock <= width_; x += kBlock) {
        if (is_gap(x, y)) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  static constexpr std::size_t kAlignment = 64;
  static constexpr int kShifts = 256;  // after this many rows, the pattern repeats

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  static std::size_t rounded_up(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

  static std::byte* allocated(std::size_t size) {
    void* memory = std::aligned_alloc(kAlignment, rounded_up(size));
    return memory != nullptr ? static_cast<std::byte*>(memory) : throw std::bad_alloc();
  }

  /// Returns random samples within the range of `bits`.
  static std::vector<std::byte> random_bytes(std::size_t size, int bits) {
    std::vector<std::byte> bytes(size);
    std::minstd_rand random;  // the same in every run
    const auto high = static_cast<std::byte>(bits > 8 ? (1 << (bits - 8)) - 1 : 0xFF);
    for (std::size_t i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::byte>(random() >> 16) & (i % 2 == 1 ? high : std::byte{0xFF});  // little endian
    }
    return bytes;
  }

  [[nodiscard]] std::byte* row(int y) const { return memory_.get() + static_cast<std::size_t>(y) * row_bytes_; }
  [[nodiscard]] const std::byte* pattern_of(int y) const {
    constexpr int kStep = 37;
    return pattern_.data() + 2 * (y * kStep % kShifts);
  }

  [[nodiscard]] bool is_gap(int x, int y) const {
    const std::size_t offset = static_cast<std::size_t>(x) * sample_bytes_;
    for (int i = y; i < y + kBlock; ++i) {
      if (std::memcmp(row(i) + offset, pattern_of(i) + offset, kBlock * sample_bytes_) != 0) {
        return false;
      }
    }
    return true;
  }

  std::size_t sample_bytes_;
  std::size_t row_bytes_;
  int width_;
  int height_;
  std::vector<std::byte> pattern_;
  std::unique_ptr<std::byte, Free> memory_;
};

using Planes = std::vector<Plane>;

int plane_count(de265_chroma chroma) { return chroma == de265_chroma_mono ? 1 : 3; }

Planes new_planes(const de265_image_spec& spec, const de265_image* image) {
  const de265_chroma chroma = libde265().get_chroma_format(image);
  const bool is_narrow = chroma == de265_chroma_420 || chroma == de265_chroma_422;
  Planes planes;
  for (int i = 0; i < plane_count(chroma); ++i) {
    const int width = i > 0 && is_narrow ? (spec.width + 1) / 2 : spec.width;
    const int height = i > 0 && chroma == de265_chroma_420 ? (spec.height + 1) / 2 : spec.height;
    planes.emplace_back(width, height, libde265().get_bits_per_pixel(image, i));
  }
  return planes;
}

/// The allowed size of pictures, and whether a picture was rejected.
struct Allowance {
  std::uint64_t bytes = 0;  ///< size of the data
  bool is_exceeded = false;

  /// Returns false and records the rejection if check_coverage would reject the picture.
  bool admit(std::uint64_t pixels) {
    constexpr std::uint64_t kMaxPixelsPerByte = 16384;
    is_exceeded = is_exceeded || (pixels > sparse_pixels && pixels / kMaxPixelsPerByte > bytes);
    return !is_exceeded;
  }

  static inline std::atomic<std::uint64_t> sparse_pixels = std::uint64_t{64} << 20;
};

/// Called by libde265 for a new picture. Returns 0 if the picture is too large or memory runs out.
int get_buffer(de265_decoder_context* context, de265_image_spec* spec, de265_image* image, void* allowance) {
  if (!static_cast<Allowance*>(allowance)->admit(static_cast<std::uint64_t>(spec->width) *
                                                 static_cast<std::uint64_t>(spec->height))) {
    return 0;
  }
  // Sample adaptive offset was disabled until now, because with it libde265 would allocate the planes itself.
  libde265().set_parameter_bool(context, DE265_DECODER_PARAM_DISABLE_SAO, 0);
  try {
    auto planes = std::make_unique<Planes>(new_planes(*spec, image));
    constexpr int kPlanes = 3;
    for (std::size_t i = 0; i < kPlanes; ++i) {
      const bool is_there = i < planes->size();
      libde265().set_image_plane(image, static_cast<int>(i), is_there ? (*planes)[i].memory() : nullptr,
                                 is_there ? static_cast<int>((*planes)[i].row_bytes()) : 0, planes.get());
    }
    static_cast<void>(planes.release());  // release_buffer frees the planes
    return 1;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

Planes* planes_of(const de265_image* image) {
  return static_cast<Planes*>(libde265().get_image_plane_user_data(image, 0));
}

void release_buffer(de265_decoder_context* /*unused*/, de265_image* image, void* /*unused*/) {
  delete planes_of(image);
}

/// True for warnings that do not concern pixels.
bool is_harmless(de265_error warning) {
  return warning == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING ||
         warning == DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM ||
         warning == DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI;
}

/// Decodes the picture of one HEIF item. Uses only the calling thread: with several threads, damaged data gives
/// different results from run to run, and libde265 makes fewer checks.
class HevcDecoder {
 public:
  static constexpr const char* kName = "HEVC for gpuimg, by libde265";
  static bool supports(heif_compression_format format) { return format == heif_compression_HEVC; }
  static heif_error load() {
    return load_libde265() ? kDecoderOk
                           : heif_error{heif_error_Unsupported_feature, heif_suberror_Unsupported_codec,
                                        "HEVC needs libde265, which is not installed"};
  }

  HevcDecoder() : context_(libde265().new_decoder()) {
    if (context_ == nullptr) {
      throw std::bad_alloc();
    }
    static de265_image_allocation allocation = {get_buffer, release_buffer};
    libde265().set_image_allocation_functions(context_.get(), &allocation, &allowance_);
    libde265().set_parameter_bool(context_.get(), DE265_DECODER_PARAM_DISABLE_SAO, 1);  // get_buffer enables it
    libde265().set_parameter_bool(context_.get(), DE265_DECODER_PARAM_BOOL_SEI_CHECK_HASH, 1);
    libde265().set_parameter_bool(context_.get(), DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
  }

  /// Takes NAL units, each preceded by its length.
  heif_error push(ByteSpan data) {
    allowance_.bytes += data.size();
    constexpr std::size_t kLength = 4;
    while (!data.empty()) {
      const std::size_t size = data.size() < kLength ? 0 : u32be_at(data, 0);
      if (data.size() < kLength || size > data.size() - kLength) {
        return {heif_error_Decoder_plugin_error, heif_suberror_End_of_data, "its HEVC data ends too early"};
      }
      const de265_error error =
          libde265().push_nal(context_.get(), data.data() + kLength, static_cast<int>(size), 0, nullptr);
      if (error != DE265_OK) {
        return failure(error);
      }
      data = data.subspan(kLength + size);
    }
    return kDecoderOk;
  }

  /// Returns the last picture, as libheif's own decoder does.
  heif_error decode(heif_image*& decoded) {
    HeifImage last;
    heif_error error = decode_all(last);
    for (de265_error warning; (warning = libde265().get_warning(context_.get())) != DE265_OK;) {
      error = error.code == heif_error_Ok && !is_harmless(warning) ? failure(warning) : error;
    }
    if (allowance_.is_exceeded) {
      error = damaged_data("its HEVC data is far too short for the size that it declares");
    }
    if (error.code == heif_error_Ok && last == nullptr) {
      error = damaged_data("its HEVC data does not contain a whole picture");
    }
    decoded = error.code == heif_error_Ok ? last.release() : nullptr;
    return error;
  }

 private:
  struct Free {
    void operator()(de265_decoder_context* context) const { libde265().free_decoder(context); }
  };
  using HeifImage = HeifOwner<heif_image>;

  static heif_error failure(de265_error error) {
    if (error == DE265_ERROR_OUT_OF_MEMORY || error == DE265_WARNING_CANNOT_APPLY_SAO_OUT_OF_MEMORY) {
      return kDecoderOutOfMemory;
    }
    thread_local std::string message;  // libheif copies it on this thread after freeing the decoder
    message = fmt::format("its HEVC data has errors ({})", libde265().get_error_text(error));
    return damaged_data(message.c_str());
  }

  heif_error decode_all(HeifImage& last) {
    libde265().flush_data(context_.get());
    int has_more = 1;
    while (has_more != 0) {
      has_more = 0;
      const de265_error error = libde265().decode(context_.get(), &has_more);
      if (error != DE265_OK) {
        return failure(error);
      }
      if (const de265_image* picture = libde265().get_next_picture(context_.get()); picture != nullptr) {
        const heif_error result = take(picture, last);
        if (result.code != heif_error_Ok) {
          return result;
        }
      }
    }
    return kDecoderOk;
  }

  heif_error take(const de265_image* picture, HeifImage& last) {
    const Planes* planes = planes_of(picture);
    if (planes == nullptr) {
      return {heif_error_Unsupported_feature, heif_suberror_Unspecified, "libde265 did not use the memory given to it"};
    }
    if (std::any_of(planes->begin(), planes->end(), [](const Plane& plane) { return plane.has_gap(); })) {
      return damaged_data("its HEVC data leaves out parts of the image");
    }
    return convert(picture, last);
  }

  static heif_error convert(const de265_image* picture, HeifImage& last) {
    const LibHeif& heif = *find_libheif();
    const de265_chroma chroma = libde265().get_chroma_format(picture);
    heif_image* image = nullptr;
    heif_error error =
        heif.image_create(libde265().get_image_width(picture, 0), libde265().get_image_height(picture, 0),
                          chroma == de265_chroma_mono ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
                          static_cast<heif_chroma>(chroma), &image);  // the numbers of formats are equal in both
                                                                      // libraries
    last.reset(image);
    for (int i = 0; i < plane_count(chroma) && error.code == heif_error_Ok; ++i) {
      error = copy_plane(picture, i, image);
    }
    return error.code == heif_error_Ok ? copy_colors(picture, image) : error;
  }

  static heif_error copy_plane(const de265_image* picture, int index, heif_image* image) {
    constexpr std::array kChannels = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const heif_channel channel = kChannels[static_cast<std::size_t>(index)];
    const int bits = libde265().get_bits_per_pixel(picture, index);
    const int width = libde265().get_image_width(picture, index);
    const int height = libde265().get_image_height(picture, index);
    if (bits != libde265().get_bits_per_pixel(picture, 0)) {
      return {heif_error_Unsupported_feature, heif_suberror_Unsupported_color_conversion,
              "its channels have different bit depths"};
    }
    if (width <= 0 || height <= 0) {
      return damaged_data("its HEVC data declare an empty image");
    }
    int row_bytes = 0;
    const std::uint8_t* rows = libde265().get_image_plane(picture, index, &row_bytes);
    return add_plane(image, channel, {width, height, bits}, reinterpret_cast<const std::byte*>(rows), row_bytes);
  }

  static heif_error copy_colors(const de265_image* picture, heif_image* image) {
    return set_colors(
        image, {libde265().get_image_colour_primaries(picture), libde265().get_image_transfer_characteristics(picture),
                libde265().get_image_matrix_coefficients(picture), libde265().get_image_full_range_flag(picture) != 0});
  }

  Allowance allowance_;
  std::unique_ptr<de265_decoder_context, Free> context_;  // refers to allowance_
};

}  // namespace

void allow_sparse_hevc(std::uint64_t pixels) noexcept {
  std::uint64_t now = Allowance::sparse_pixels;
  while (now < pixels && !Allowance::sparse_pixels.compare_exchange_weak(now, pixels)) {
  }
}

/// Loads the library that hevc_decoder() needs. Returns false if it is not installed.
bool load_libde265() noexcept { return find_libde265().has_value(); }

const heif_decoder_plugin& hevc_decoder() {
  static const heif_decoder_plugin kDecoder = decoder_plugin<HevcDecoder>();
  return kDecoder;
}

}  // namespace gpuimg::codecs::heif
