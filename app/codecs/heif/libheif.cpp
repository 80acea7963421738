// Opens libheif.
#include "codecs/heif/libheif.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <optional>

#include "codecs/heif/heif_library.hpp"
#include "gpuimg/error.hpp"
#include "io/shared_library.hpp"

namespace gpuimg::codecs {
namespace {

/// From now on, allocated memory is 0 instead of what it held before: libheif passes on pixels that nothing wrote, for
/// example where the tiles of a damaged grid leave a gap. glibc leaves out blocks of up to 1 KiB; planes are larger.
void clear_memory() {
#ifdef M_PERTURB
  constexpr int kZero = 0xFF;  // glibc stores the complement
  ::mallopt(M_PERTURB, kZero);
#endif
}

std::optional<LibHeif> open() {
  SharedLibrary library("libheif.so.1");
  LibHeif found;
  library.find(found.context_alloc, "heif_context_alloc");
  library.find(found.context_free, "heif_context_free");
  library.find(found.context_get_number_of_top_level_images, "heif_context_get_number_of_top_level_images");
  library.find(found.context_get_primary_image_handle, "heif_context_get_primary_image_handle");
  library.find(found.context_read_from_memory_without_copy, "heif_context_read_from_memory_without_copy");
  library.find(found.context_set_max_decoding_threads, "heif_context_set_max_decoding_threads");
  library.find(found.decode_image, "heif_decode_image");
  library.find(found.decoding_options_alloc, "heif_decoding_options_alloc");
  library.find(found.decoding_options_free, "heif_decoding_options_free");
  library.find(found.get_version, "heif_get_version");
  library.find(found.have_decoder_for_format, "heif_have_decoder_for_format");
  library.find(found.image_add_plane, "heif_image_add_plane");
  library.find(found.image_create, "heif_image_create");
  library.find(found.image_get_bits_per_pixel_range, "heif_image_get_bits_per_pixel_range");
  library.find(found.image_get_chroma_format, "heif_image_get_chroma_format");
  library.find(found.image_get_height, "heif_image_get_height");
  library.find(found.image_get_plane, "heif_image_get_plane");
  library.find(found.image_get_plane_readonly, "heif_image_get_plane_readonly");
  library.find(found.image_get_width, "heif_image_get_width");
  library.find(found.image_handle_get_color_profile_type, "heif_image_handle_get_color_profile_type");
  library.find(found.image_handle_get_height, "heif_image_handle_get_height");
  library.find(found.image_handle_get_ispe_height, "heif_image_handle_get_ispe_height");
  library.find(found.image_handle_get_ispe_width, "heif_image_handle_get_ispe_width");
  library.find(found.image_handle_get_list_of_metadata_block_IDs, "heif_image_handle_get_list_of_metadata_block_IDs");
  library.find(found.image_handle_get_luma_bits_per_pixel, "heif_image_handle_get_luma_bits_per_pixel");
  library.find(found.image_handle_get_metadata, "heif_image_handle_get_metadata");
  library.find(found.image_handle_get_metadata_content_type, "heif_image_handle_get_metadata_content_type");
  library.find(found.image_handle_get_metadata_size, "heif_image_handle_get_metadata_size");
  library.find(found.image_handle_get_metadata_type, "heif_image_handle_get_metadata_type");
  library.find(found.image_handle_get_nclx_color_profile, "heif_image_handle_get_nclx_color_profile");
  library.find(found.image_handle_get_raw_color_profile, "heif_image_handle_get_raw_color_profile");
  library.find(found.image_handle_get_raw_color_profile_size, "heif_image_handle_get_raw_color_profile_size");
  library.find(found.image_handle_get_width, "heif_image_handle_get_width");
  library.find(found.image_handle_has_alpha_channel, "heif_image_handle_has_alpha_channel");
  library.find(found.image_handle_is_premultiplied_alpha, "heif_image_handle_is_premultiplied_alpha");
  library.find(found.image_handle_release, "heif_image_handle_release");
  library.find(found.image_release, "heif_image_release");
  library.find(found.image_set_nclx_color_profile, "heif_image_set_nclx_color_profile");
  library.find(found.init, "heif_init");
  library.find(found.nclx_color_profile_alloc, "heif_nclx_color_profile_alloc");
  library.find(found.nclx_color_profile_free, "heif_nclx_color_profile_free");
  library.find(found.nclx_color_profile_set_color_primaries, "heif_nclx_color_profile_set_color_primaries");
  library.find(found.nclx_color_profile_set_matrix_coefficients, "heif_nclx_color_profile_set_matrix_coefficients");
  library.find(found.nclx_color_profile_set_transfer_characteristics,
               "heif_nclx_color_profile_set_transfer_characteristics");
  library.find(found.register_decoder_plugin, "heif_register_decoder_plugin");
  // Loads the codecs, once for all threads.
  const bool is_ready = library.has_all() && found.init(nullptr).code == heif_error_Ok &&
                        found.register_decoder_plugin(&hevc_decoder()).code == heif_error_Ok;
  if (is_ready) {
    clear_memory();
  }
  return is_ready ? std::optional(found) : std::nullopt;
}

}  // namespace

const LibHeif* find_libheif() noexcept {
  static const std::optional<LibHeif> kFound = open();
  return kFound ? &*kFound : nullptr;
}

const LibHeif& libheif(const std::string& name) {
  const LibHeif* found = find_libheif();
  if (found == nullptr) {
    throw Error(ErrorKind::unsupported,
                name +
                    ": HEIC and AVIF need libheif, which is not installed; install it (Debian and Ubuntu: apt-get "
                    "install libheif1), or convert the file elsewhere");
  }
  return *found;
}

std::string heif_library() {
  const LibHeif* found = find_libheif();
  if (found == nullptr) {
    return {};
  }
  const bool has_hevc = has_hevc_decoder();
  const bool has_av1 = found->have_decoder_for_format(heif_compression_AV1) != 0;
  return fmt::format("libheif {} ({})", found->get_version(),
                     has_hevc && has_av1 ? "HEVC, AV1"
                     : has_hevc          ? "HEVC"
                     : has_av1           ? "AV1"
                                         : "without decoders");
}

}  // namespace gpuimg::codecs
