// libheif, opened when a HEIC or AVIF is named. Its headers are needed to build, its library only to run: it brings
// codecs along that are larger than gpuimg. docs/decisions/0018.
#pragma once

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include <cstdint>
#include <string>

namespace gpuimg::codecs {

/// Its functions, without their prefix.
struct LibHeif {
  decltype(&::heif_context_alloc) context_alloc = nullptr;
  decltype(&::heif_context_free) context_free = nullptr;
  decltype(&::heif_context_get_number_of_top_level_images) context_get_number_of_top_level_images = nullptr;
  decltype(&::heif_context_get_primary_image_handle) context_get_primary_image_handle = nullptr;
  decltype(&::heif_context_read_from_memory_without_copy) context_read_from_memory_without_copy = nullptr;
  decltype(&::heif_context_set_max_decoding_threads) context_set_max_decoding_threads = nullptr;
  decltype(&::heif_decode_image) decode_image = nullptr;
  decltype(&::heif_decoding_options_alloc) decoding_options_alloc = nullptr;
  decltype(&::heif_decoding_options_free) decoding_options_free = nullptr;
  decltype(&::heif_get_version) get_version = nullptr;
  decltype(&::heif_have_decoder_for_format) have_decoder_for_format = nullptr;
  decltype(&::heif_image_add_plane) image_add_plane = nullptr;
  decltype(&::heif_image_create) image_create = nullptr;
  decltype(&::heif_image_get_bits_per_pixel_range) image_get_bits_per_pixel_range = nullptr;
  decltype(&::heif_image_get_chroma_format) image_get_chroma_format = nullptr;
  decltype(&::heif_image_get_height) image_get_height = nullptr;
  decltype(&::heif_image_get_plane) image_get_plane = nullptr;
  decltype(&::heif_image_get_plane_readonly) image_get_plane_readonly = nullptr;
  decltype(&::heif_image_get_width) image_get_width = nullptr;
  decltype(&::heif_image_handle_get_color_profile_type) image_handle_get_color_profile_type = nullptr;
  decltype(&::heif_image_handle_get_height) image_handle_get_height = nullptr;
  decltype(&::heif_image_handle_get_ispe_height) image_handle_get_ispe_height = nullptr;
  decltype(&::heif_image_handle_get_ispe_width) image_handle_get_ispe_width = nullptr;
  decltype(&::heif_image_handle_get_list_of_metadata_block_IDs) image_handle_get_list_of_metadata_block_IDs = nullptr;
  decltype(&::heif_image_handle_get_luma_bits_per_pixel) image_handle_get_luma_bits_per_pixel = nullptr;
  decltype(&::heif_image_handle_get_metadata) image_handle_get_metadata = nullptr;
  decltype(&::heif_image_handle_get_metadata_content_type) image_handle_get_metadata_content_type = nullptr;
  decltype(&::heif_image_handle_get_metadata_size) image_handle_get_metadata_size = nullptr;
  decltype(&::heif_image_handle_get_metadata_type) image_handle_get_metadata_type = nullptr;
  decltype(&::heif_image_handle_get_nclx_color_profile) image_handle_get_nclx_color_profile = nullptr;
  decltype(&::heif_image_handle_get_raw_color_profile) image_handle_get_raw_color_profile = nullptr;
  decltype(&::heif_image_handle_get_raw_color_profile_size) image_handle_get_raw_color_profile_size = nullptr;
  decltype(&::heif_image_handle_get_width) image_handle_get_width = nullptr;
  decltype(&::heif_image_handle_has_alpha_channel) image_handle_has_alpha_channel = nullptr;
  decltype(&::heif_image_handle_is_premultiplied_alpha) image_handle_is_premultiplied_alpha = nullptr;
  decltype(&::heif_image_handle_release) image_handle_release = nullptr;
  decltype(&::heif_image_release) image_release = nullptr;
  decltype(&::heif_image_set_nclx_color_profile) image_set_nclx_color_profile = nullptr;
  decltype(&::heif_init) init = nullptr;
  decltype(&::heif_nclx_color_profile_alloc) nclx_color_profile_alloc = nullptr;
  decltype(&::heif_nclx_color_profile_free) nclx_color_profile_free = nullptr;
  decltype(&::heif_nclx_color_profile_set_color_primaries) nclx_color_profile_set_color_primaries = nullptr;
  decltype(&::heif_nclx_color_profile_set_matrix_coefficients) nclx_color_profile_set_matrix_coefficients = nullptr;
  decltype(&::heif_nclx_color_profile_set_transfer_characteristics) nclx_color_profile_set_transfer_characteristics =
      nullptr;
  decltype(&::heif_register_decoder_plugin) register_decoder_plugin = nullptr;
};

/// Null if it is not installed. HEVC is decoded by hevc_decoder(), whatever else is installed.
const LibHeif* find_libheif() noexcept;

/// gpuimg's own decoder of HEVC, and whether the library that it needs is installed: hevc_decoder.cpp.
const heif_decoder_plugin& hevc_decoder();
bool has_hevc_decoder() noexcept;
/// It refuses larger pictures of fewer bytes than check_coverage demands. Holds for the whole process, and never less.
void allow_sparse_hevc(std::uint64_t pixels) noexcept;

/// Throws Error{unsupported} if it is not installed; `name` is that of the file.
const LibHeif& libheif(const std::string& name);

}  // namespace gpuimg::codecs
