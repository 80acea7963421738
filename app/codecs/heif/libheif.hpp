// Loads libheif when it is first needed for a HEIC or AVIF file. Building gpuimg needs only the headers of libheif. The
// library is needed only at run time; its codecs are larger than gpuimg. docs/decisions/0018.
#pragma once

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "io/system_handles.hpp"

namespace gpuimg::codecs::heif {

/// Functions of libheif, named without their prefix.
struct LibHeif {
  SharedLibrary library{"libheif.so.1"};
  GPUIMG_LIBRARY_FUNCTION(context_alloc, heif_context_alloc);
  GPUIMG_LIBRARY_FUNCTION(context_free, heif_context_free);
  GPUIMG_LIBRARY_FUNCTION(context_get_number_of_top_level_images, heif_context_get_number_of_top_level_images);
  GPUIMG_LIBRARY_FUNCTION(context_get_primary_image_handle, heif_context_get_primary_image_handle);
  GPUIMG_LIBRARY_FUNCTION(context_read_from_memory_without_copy, heif_context_read_from_memory_without_copy);
  GPUIMG_LIBRARY_FUNCTION(context_set_max_decoding_threads, heif_context_set_max_decoding_threads);
  GPUIMG_LIBRARY_FUNCTION(decode_image, heif_decode_image);
  GPUIMG_LIBRARY_FUNCTION(decoding_options_alloc, heif_decoding_options_alloc);
  GPUIMG_LIBRARY_FUNCTION(decoding_options_free, heif_decoding_options_free);
  GPUIMG_LIBRARY_FUNCTION(get_version, heif_get_version);
  GPUIMG_LIBRARY_FUNCTION(have_decoder_for_format, heif_have_decoder_for_format);
  GPUIMG_LIBRARY_FUNCTION(image_add_plane, heif_image_add_plane);
  GPUIMG_LIBRARY_FUNCTION(image_create, heif_image_create);
  GPUIMG_LIBRARY_FUNCTION(image_get_bits_per_pixel_range, heif_image_get_bits_per_pixel_range);
  GPUIMG_LIBRARY_FUNCTION(image_get_chroma_format, heif_image_get_chroma_format);
  GPUIMG_LIBRARY_FUNCTION(image_get_height, heif_image_get_height);
  GPUIMG_LIBRARY_FUNCTION(image_get_nclx_color_profile, heif_image_get_nclx_color_profile);
  GPUIMG_LIBRARY_FUNCTION(image_get_plane, heif_image_get_plane);
  GPUIMG_LIBRARY_FUNCTION(image_get_plane_readonly, heif_image_get_plane_readonly);
  GPUIMG_LIBRARY_FUNCTION(image_get_width, heif_image_get_width);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_auxiliary_image_handle, heif_image_handle_get_auxiliary_image_handle);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_color_profile_type, heif_image_handle_get_color_profile_type);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_height, heif_image_handle_get_height);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_ispe_height, heif_image_handle_get_ispe_height);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_ispe_width, heif_image_handle_get_ispe_width);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_list_of_metadata_block_IDs,
                          heif_image_handle_get_list_of_metadata_block_IDs);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_luma_bits_per_pixel, heif_image_handle_get_luma_bits_per_pixel);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_metadata, heif_image_handle_get_metadata);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_metadata_content_type, heif_image_handle_get_metadata_content_type);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_metadata_size, heif_image_handle_get_metadata_size);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_metadata_type, heif_image_handle_get_metadata_type);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_nclx_color_profile, heif_image_handle_get_nclx_color_profile);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_raw_color_profile, heif_image_handle_get_raw_color_profile);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_raw_color_profile_size, heif_image_handle_get_raw_color_profile_size);
  GPUIMG_LIBRARY_FUNCTION(image_handle_get_width, heif_image_handle_get_width);
  GPUIMG_LIBRARY_FUNCTION(image_handle_has_alpha_channel, heif_image_handle_has_alpha_channel);
  GPUIMG_LIBRARY_FUNCTION(image_handle_is_premultiplied_alpha, heif_image_handle_is_premultiplied_alpha);
  GPUIMG_LIBRARY_FUNCTION(image_handle_release, heif_image_handle_release);
  GPUIMG_LIBRARY_FUNCTION(image_release, heif_image_release);
  GPUIMG_LIBRARY_FUNCTION(image_set_nclx_color_profile, heif_image_set_nclx_color_profile);
  GPUIMG_LIBRARY_FUNCTION(init, heif_init);
  GPUIMG_LIBRARY_FUNCTION(nclx_color_profile_alloc, heif_nclx_color_profile_alloc);
  GPUIMG_LIBRARY_FUNCTION(nclx_color_profile_free, heif_nclx_color_profile_free);
  GPUIMG_LIBRARY_FUNCTION(nclx_color_profile_set_color_primaries, heif_nclx_color_profile_set_color_primaries);
  GPUIMG_LIBRARY_FUNCTION(nclx_color_profile_set_matrix_coefficients, heif_nclx_color_profile_set_matrix_coefficients);
  GPUIMG_LIBRARY_FUNCTION(nclx_color_profile_set_transfer_characteristics,
                          heif_nclx_color_profile_set_transfer_characteristics);
  GPUIMG_LIBRARY_FUNCTION(register_decoder_plugin, heif_register_decoder_plugin);
};

/// Returns null if libheif is not installed. hevc_decoder() always decodes HEVC, even if libheif has other decoders.
const LibHeif* find_libheif() noexcept;

/// Throws Error{unsupported} if libheif is not installed. `name` is the name of the file.
const LibHeif& libheif(const std::string& name);

/// Frees an object of libheif with the function for its type.
struct HeifDeleter {
  void operator()(heif_context* context) const { find_libheif()->context_free(context); }
  void operator()(const heif_image_handle* handle) const { find_libheif()->image_handle_release(handle); }
  void operator()(const heif_image* image) const { find_libheif()->image_release(image); }
  void operator()(heif_decoding_options* options) const { find_libheif()->decoding_options_free(options); }
  void operator()(heif_color_profile_nclx* profile) const { find_libheif()->nclx_color_profile_free(profile); }
};
template <class T>
using HeifOwner = std::unique_ptr<T, HeifDeleter>;

// --- Decoders that gpuimg registers with libheif, in place of libheif's own ------------------------------------------

constexpr heif_error kDecoderOk = {heif_error_Ok, heif_suberror_Unspecified, "Success"};
constexpr heif_error kDecoderOutOfMemory = {heif_error_Memory_allocation_error, heif_suberror_Unspecified,
                                            "out of memory"};

/// `why` is a clause that must have static lifetime.
inline heif_error damaged_data(const char* why) {
  return {heif_error_Decoder_plugin_error, heif_suberror_Unspecified, why};
}

struct PlaneSize {
  int width = 0;
  int height = 0;
  int bits = 8;
};

/// Adds a plane with samples of 1 byte, or of 2 bytes for more than 8 bits.
heif_error add_plane(heif_image* image, heif_channel channel, const PlaneSize& size, const std::byte* rows,
                     std::ptrdiff_t row_bytes);

/// Color parameters as numbers of ISO/IEC 23091-2.
struct CodedColors {
  int primaries = 2;
  int transfer = 2;
  int matrix = 2;
  bool is_full_range = false;
};

heif_error set_colors(heif_image* image, const CodedColors& colors);

/// Runs a callback for libheif. Catches exceptions, because the callback must not throw.
template <class Call>
heif_error guarded(const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return kDecoderOutOfMemory;
  } catch (...) {
    return damaged_data("the decoder failed");
  }
}

/// A plugin that decodes one item; libheif prefers it to all other plugins. Decoder must have kName, supports(format),
/// load(), push(bytes) and decode(image).
template <class Decoder>
heif_decoder_plugin decoder_plugin() {
  heif_decoder_plugin plugin = {};
  plugin.plugin_api_version = 3;
  plugin.get_plugin_name = [] { return Decoder::kName; };
  plugin.does_support_format = [](heif_compression_format format) { return Decoder::supports(format) ? 1 << 20 : 0; };
  plugin.new_decoder = [](void** decoder) {
    return guarded([&] {
      const heif_error error = Decoder::load();
      *decoder = error.code == heif_error_Ok ? new Decoder : nullptr;
      return error;
    });
  };
  plugin.free_decoder = [](void* decoder) { delete static_cast<Decoder*>(decoder); };
  plugin.push_data = [](void* decoder, const void* data, std::size_t size) {
    return guarded([&] { return static_cast<Decoder*>(decoder)->push({static_cast<const std::byte*>(data), size}); });
  };
  plugin.decode_image = [](void* decoder, heif_image** decoded) {
    *decoded = nullptr;
    return guarded([&] { return static_cast<Decoder*>(decoder)->decode(*decoded); });
  };
  plugin.set_strict_decoding = [](void* /*decoder*/, int /*flag*/) {};  // always strict
  plugin.id_name = "gpuimg";
  return plugin;
}

/// The plugins of hevc_decoder.cpp and av1_decoder.cpp. If the library for gpuimg's AV1 plugin is missing, libheif uses
/// its own AV1 decoder.
const heif_decoder_plugin& hevc_decoder();
const heif_decoder_plugin& av1_decoder();
/// Loads the library that hevc_decoder() needs. Returns false if it is not installed.
bool load_libde265() noexcept;
/// Lets hevc_decoder() decode pictures of up to `pixels` pixels even from fewer bytes than check_coverage requires.
/// Applies to the whole process. A call with a smaller number than before has no effect.
void allow_sparse_hevc(std::uint64_t pixels) noexcept;

}  // namespace gpuimg::codecs::heif
