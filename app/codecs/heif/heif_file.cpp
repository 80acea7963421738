// libheif reads what is there of a file that is cut off, so the boxes are counted first.
#include "codecs/heif/heif_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codecs/heif/heif_library.hpp"
#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs {
namespace {

std::uint64_t u64be_at(ByteSpan bytes, std::size_t offset) {
  return std::uint64_t{u32be_at(bytes, offset)} << 32 | u32be_at(bytes, offset + 4);
}

/// Checks that the boxes of the file are whole. ISO/IEC 14496-12, 4.2.
void check_boxes(ByteSpan bytes, const std::string& name) {
  constexpr std::size_t kHeader = 8;
  constexpr std::size_t kLongHeader = 16;
  for (std::size_t position = 0; position < bytes.size();) {
    require_bytes(bytes, position + kHeader, name);
    std::uint64_t size = u32be_at(bytes, position);
    if (size == 0) {
      return;  // to the end of the file
    }
    const bool is_long = size == 1;
    if (is_long) {
      require_bytes(bytes, position + kLongHeader, name);
      size = u64be_at(bytes, position + kHeader);
    }
    if (size < (is_long ? kLongHeader : kHeader)) {
      refuse_damaged(name, fmt::format("the box at byte {} is too short", position));
    }
    if (size > bytes.size() - position) {
      refuse_truncated(name);
    }
    position += static_cast<std::size_t>(size);
  }
}

/// libheif's message, which may hold bytes of the file, as a clause.
std::string clause(const heif_error& error) {
  constexpr std::string_view kOfDecoder =
      "Decoder plugin generated an error: Unspecified: ";  // hevc_decoder.cpp's follows
  std::string text = printable_name(error.message != nullptr ? error.message : "unknown error");
  if (text.starts_with(kOfDecoder)) {
    text.erase(0, kOfDecoder.size());
  }
  std::replace(text.begin(), text.end(), ';', ',');
  return text;
}

}  // namespace

HeifFile::HeifFile(ByteSpan bytes, const std::string& name) : library_(libheif(name)), bytes_(bytes), name_(name) {
  check_boxes(bytes, name);
  context_.reset(library_.context_alloc());
  if (context_ == nullptr) {
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libheif; free some memory");
  }
  check(library_.context_read_from_memory_without_copy(context(), bytes.data(), bytes.size(), nullptr));
  heif_image_handle* primary = nullptr;
  const heif_error error = library_.context_get_primary_image_handle(context(), &primary);
  image_.reset(primary);
  check(error);
  bits_ = library_.image_handle_get_luma_bits_per_pixel(image());
  if (bits_ < 1 || bits_ > 16) {
    refuse_damaged(name, "it does not say how many bits its channels have");
  }
}

std::uint64_t HeifFile::width() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_width(image()), 0));
}

std::uint64_t HeifFile::height() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_height(image()), 0));
}

std::uint64_t HeifFile::stored_width() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_width(image()), 0));
}

std::uint64_t HeifFile::stored_height() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_height(image()), 0));
}

PixelFormat HeifFile::format() const {
  constexpr int kByte = 8;
  const bool has_alpha = library_.image_handle_has_alpha_channel(image()) != 0;
  return {bits_ > kByte ? Sample::u16 : Sample::u8, has_alpha ? 4 : 3};
}

bool HeifFile::is_premultiplied() const {
  return format().has_alpha() && library_.image_handle_is_premultiplied_alpha(image()) != 0;
}

int HeifFile::images() const { return library_.context_get_number_of_top_level_images(context()); }

std::string_view HeifFile::brand() const {
  constexpr std::size_t kOffset = 8;  // in the ftyp box
  return {reinterpret_cast<const char*>(bytes_.data()) + kOffset, 4};
}

bool HeifFile::is_sequence() const {
  constexpr std::array<std::string_view, 4> kSequences = {"avis", "hevc", "hevx", "msf1"};
  return std::find(kSequences.begin(), kSequences.end(), brand()) != kSequences.end();
}

void HeifFile::check(const heif_error& error) const {
  switch (error.code) {
    case heif_error_Ok: return;
    case heif_error_Memory_allocation_error:
      if (error.subcode == heif_suberror_Security_limit_exceeded) {
        refuse_unsupported(name_, fmt::format("HEIF beyond the limits of libheif ({})", clause(error)));
      }
      throw Error(ErrorKind::out_of_memory, name_ + ": libheif ran out of memory; use a machine with more memory");
    case heif_error_Unsupported_filetype:
    case heif_error_Unsupported_feature:
      refuse_unsupported(name_, fmt::format("this kind of HEIF ({}: {})", heif_library(), clause(error)));
    default: refuse_damaged(name_, clause(error));
  }
}

}  // namespace gpuimg::codecs
