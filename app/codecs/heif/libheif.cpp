// Opens libheif and finds its functions.
#include "codecs/heif/libheif.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <cstring>
#include <optional>

#include "codecs/formats.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::heif {
namespace {

/// Makes glibc zero all memory that is allocated from now on. libheif returns pixels that were never written, for
/// example if the tiles of a damaged grid leave a gap. glibc does not zero blocks of up to 1 KiB, but planes are
/// larger.
void clear_memory() {
#ifdef M_PERTURB
  constexpr int kZero = 0xFF;  // glibc writes the complement of this byte
  ::mallopt(M_PERTURB, kZero);
#endif
}

std::optional<LibHeif> open_libheif() {
  LibHeif found;
  // Loads the codecs once for all threads.
  const bool is_ready = found.library.has_all() && found.init(nullptr).code == heif_error_Ok &&
                        found.register_decoder_plugin(&hevc_decoder()).code == heif_error_Ok &&
                        found.register_decoder_plugin(&av1_decoder()).code == heif_error_Ok;
  if (is_ready) {
    clear_memory();
  }
  return is_ready ? std::optional(found) : std::nullopt;
}

}  // namespace

const LibHeif* find_libheif() noexcept {
  static const std::optional<LibHeif> kFound = open_libheif();
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

heif_error add_plane(heif_image* image, heif_channel channel, const PlaneSize& size, const std::byte* rows,
                     std::ptrdiff_t row_bytes) {
  const LibHeif& heif = *find_libheif();
  const heif_error error = heif.image_add_plane(image, channel, size.width, size.height, size.bits);
  if (error.code != heif_error_Ok) {
    return error;
  }
  int to_row_bytes = 0;
  std::uint8_t* to = heif.image_get_plane(image, channel, &to_row_bytes);
  for (std::ptrdiff_t y = 0; y < size.height; ++y) {
    std::memcpy(to + y * to_row_bytes, rows + y * row_bytes,
                static_cast<std::size_t>(size.width) * (size.bits > 8 ? 2 : 1));
  }
  return kDecoderOk;
}

heif_error set_colors(heif_image* image, const CodedColors& colors) {
  const LibHeif& heif = *find_libheif();
  const HeifOwner<heif_color_profile_nclx> nclx(heif.nclx_color_profile_alloc());
  if (nclx == nullptr) {
    return kDecoderOutOfMemory;
  }
  const auto value = [](int number) { return static_cast<std::uint16_t>(number); };
  for (const heif_error& error :
       {heif.nclx_color_profile_set_color_primaries(nclx.get(), value(colors.primaries)),
        heif.nclx_color_profile_set_transfer_characteristics(nclx.get(), value(colors.transfer)),
        heif.nclx_color_profile_set_matrix_coefficients(nclx.get(), value(colors.matrix))}) {
    if (error.code != heif_error_Ok) {
      return error;
    }
  }
  nclx->full_range_flag = static_cast<std::uint8_t>(colors.is_full_range ? 1 : 0);
  return heif.image_set_nclx_color_profile(image, nclx.get());
}

std::string heif_library() {
  const LibHeif* found = find_libheif();
  if (found == nullptr) {
    return {};
  }
  const bool has_hevc = load_libde265();
  const bool has_av1 = found->have_decoder_for_format(heif_compression_AV1) != 0;
  return fmt::format("libheif {} ({})", found->get_version(),
                     has_hevc && has_av1 ? "HEVC, AV1"
                     : has_hevc          ? "HEVC"
                     : has_av1           ? "AV1"
                                         : "without decoders");
}

}  // namespace gpuimg::codecs::heif
