// Opens a HEIF. gpuimg crops and rotates images itself, for two reasons: libheif would rotate chroma while it is still
// at half size, and it drops an alpha channel whose transformations differ from those of the image. So libheif gets the
// file without transformations.
#include "codecs/heif/heif_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "codecs/formats.hpp"
#include "codecs/rejections.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::heif {
namespace {

/// Converts libheif's message to a clause. The message can contain bytes of the file, and a newline at the end.
std::string clause(const heif_error& error) {
  constexpr std::string_view kOfDecoder =
      "Decoder plugin generated an error: Unspecified: ";  // precedes the text from hevc_decoder.cpp
  std::string text = error.message != nullptr ? error.message : "unknown error";
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.erase(text.find_last_not_of(" .:") + 1);
  text = printable_name(text);
  if (text.starts_with(kOfDecoder)) {
    text.erase(0, kOfDecoder.size());
  }
  std::replace(text.begin(), text.end(), ';', ',');
  return text;
}

/// Rejects a file that other versions of libheif may be able to read.
[[noreturn]] void reject_kind(const std::string& name, std::string_view kind) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {} is not supported by this {}; convert it with a newer version, for example with: "
                          "heif-convert in.heif out.png",
                          name, kind, heif_library()));
}

}  // namespace

HeifFile::HeifFile(ByteSpan bytes, const std::string& name)
    : library_(libheif(name)), bytes_(bytes), name_(name), items_(items_of(bytes)) {
  check_boxes(bytes, name);
  if (items_.share_too_much) {
    reject_damaged(name, "its items share the same data too often");
  }
  context_.reset(library_.context_alloc());
  if (context_ == nullptr) {
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libheif; free some memory");
  }
  read_items();
  open_primary();
  choose_alpha();
}

void HeifFile::read_items() {
  const auto hide_transformations = [&](const HeifItem& item) {
    const auto other = std::find_if_not(item.properties.begin(), item.properties.end(), is_transformation);
    for (const ItemProperty& property : item.properties) {
      if (is_transformation(property) && other != item.properties.end()) {
        if (untransformed_.empty()) {
          untransformed_.assign(bytes_.begin(), bytes_.end());
        }
        std::copy(other->link.begin(), other->link.end(),
                  untransformed_.begin() + (property.link.data() - bytes_.data()));
      }
    }
  };
  hide_transformations(items_.item(items_.primary));
  hide_transformations(items_.item(items_.alpha()));
  const ByteSpan read = untransformed_.empty() ? bytes_ : ByteSpan(untransformed_);
  check(library_.context_read_from_memory_without_copy(context(), read.data(), read.size(), nullptr));
}

void HeifFile::open_primary() {
  heif_image_handle* primary = nullptr;
  const heif_error error = library_.context_get_primary_image_handle(context(), &primary);
  image_.reset(primary);
  check(error);
  bits_ = library_.image_handle_get_luma_bits_per_pixel(image());
  if (bits_ < 1 || bits_ > 16) {
    reject_damaged(name_, "it does not say how many bits its channels have");
  }
  const std::optional<Framing> framing = items_.item(items_.primary).framing(coded_width(), coded_height());
  if (!framing) {
    reject_damaged(name_, "its crop (clap) is invalid or leaves nothing");
  }
  framing_ = *framing;
}

void HeifFile::choose_alpha() {
  const bool is_attached = library_.image_handle_has_alpha_channel(image()) != 0;
  if (items_.alpha() == 0) {  // tiles can have alpha
    alpha_source_ = is_attached ? AlphaSource::with_image : AlphaSource::none;
    return;
  }
  frame_alpha();
  if (lost_alpha_.empty()) {
    heif_image_handle* alpha = nullptr;
    const heif_error error =
        library_.image_handle_get_auxiliary_image_handle(image(), static_cast<heif_item_id>(items_.alpha()), &alpha);
    alpha_.reset(alpha);
    check(error);
    const bool is_alike =
        alpha_framing_ == framing_ && library_.image_handle_get_luma_bits_per_pixel(alpha_.get()) == bits_;
    alpha_source_ = is_attached && is_alike ? AlphaSource::with_image : AlphaSource::by_itself;
  }
}

void HeifFile::frame_alpha() {
  const HeifItem& item = items_.item(items_.alpha());
  const bool is_turned = std::any_of(item.properties.begin(), item.properties.end(), is_transformation);
  const ItemProperty* size = item.property("ispe");
  constexpr std::size_t kSizeBytes = 12;
  const bool has_size = size != nullptr && size->content.size() >= kSizeBytes;
  const std::uint64_t width = coded_alpha_width_ = has_size ? u32be_at(size->content, 4) : coded_width();
  const std::uint64_t height = coded_alpha_height_ = has_size ? u32be_at(size->content, 8) : coded_height();
  const bool has_size_of_image = width == coded_width() && height == coded_height();
  const std::optional<Framing> own = item.framing(width, height);
  const bool fits = own && own->shown_width() == this->width() && own->shown_height() == this->height();
  if (fits && (is_turned || !has_size_of_image)) {
    alpha_framing_ = *own;
  } else if (has_size_of_image) {
    alpha_framing_ = framing_;
  } else {
    lost_alpha_ = fmt::format("its alpha of {}x{} does not fit the image and is left out", width, height);
  }
}

std::uint64_t HeifFile::coded_width() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_width(image()), 0));
}

std::uint64_t HeifFile::coded_height() const {
  return static_cast<std::uint64_t>(std::max(library_.image_handle_get_ispe_height(image()), 0));
}

PixelFormat HeifFile::format() const {
  constexpr int kByte = 8;
  return {bits_ > kByte ? Sample::u16 : Sample::u8, alpha_source_ == AlphaSource::none ? 3 : 4};
}

bool HeifFile::is_premultiplied() const {
  return format().has_alpha() && library_.image_handle_is_premultiplied_alpha(image()) != 0;
}

int HeifFile::images() const { return library_.context_get_number_of_top_level_images(context()); }

std::string_view HeifFile::brand() const {
  constexpr std::size_t kOffset = 8;  // offset in the ftyp box
  return {reinterpret_cast<const char*>(bytes_.data()) + kOffset, 4};
}

bool HeifFile::is_sequence() const {
  constexpr std::array<std::string_view, 4> kSequences = {"avis", "hevc", "hevx", "msf1"};
  return std::find(kSequences.begin(), kSequences.end(), brand()) != kSequences.end();
}

void HeifFile::check(const heif_error& error) const {
  if (error.code == heif_error_Ok) {
    return;
  }
  if (error.code == heif_error_Memory_allocation_error) {
    if (error.subcode == heif_suberror_Security_limit_exceeded) {
      reject_unsupported(name_, fmt::format("HEIF beyond the limits of libheif ({})", clause(error)));
    }
    throw Error(ErrorKind::out_of_memory, name_ + ": libheif ran out of memory; use a machine with more memory");
  }
  if (const std::string kind = uncommon_kind(bytes_); !kind.empty()) {
    reject_kind(name_, kind);
  }
  if (error.code == heif_error_Unsupported_filetype || error.code == heif_error_Unsupported_feature) {
    reject_kind(name_, fmt::format("this kind of HEIF ({})", clause(error)));
  }
  reject_damaged(name_, clause(error));
}

}  // namespace gpuimg::codecs::heif
