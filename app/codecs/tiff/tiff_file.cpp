// libtiff's callbacks must not throw, because exceptions must not pass through C.
#include "codecs/tiff/tiff_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "codecs/metadata/exif.hpp"
#include "codecs/metadata/ifd.hpp"
#include "codecs/rejections.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::tiff {
namespace {

using Options = std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)>;

tmsize_t write_nothing(thandle_t /*handle*/, void* /*from*/, tmsize_t /*size*/) { return 0; }
int close_nothing(thandle_t /*handle*/) { return 0; }

/// The name of the file in libtiff's messages. gpuimg's messages already name the file.
constexpr const char* kNameForLibtiff = "file";

/// The message in one line without the name of the file, shortened if it is long; empty if memory runs out. Damaged
/// tags can put any bytes into the message.
std::string text_of(const char* format, va_list arguments) {
  std::array<char, 200> text{};
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::string_view words = text.data();
  constexpr std::string_view kPrefix = "file: ";
  words.remove_prefix(words.starts_with(kPrefix) ? kPrefix.size() : 0);
  words.remove_suffix(words.ends_with('.') ? 1 : 0);
  try {
    std::string kept = printable_name(words);
    std::replace(kept.begin(), kept.end(), ';', ',');
    return kept;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

template <std::size_t kCount>
bool starts_with_any(std::string_view text, const std::array<std::string_view, kCount>& starts) {
  return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return text.starts_with(start); });
}

/// Warnings that leave all pixels as intended.
bool is_harmless(std::string_view text) {
  constexpr std::array<std::string_view, 8> kHarmless = {
      "Old-style LZW codes",
      "Deprecated and troublesome old-style JPEG",
      "Subsampling tag is not set, yet",
      "Subsampling inside JPEG data",
      "Auto-corrected former TIFF subsampling",
      "The JPEG strip/tile is encoded with progressive mode",
      "Defined set_field_type of custom tag",
      "Unknown field with tag",
  };
  return starts_with_any(text, kHarmless);
}

/// Errors about directory tags that do not affect pixels. libtiff continues as if the tag were missing.
bool concerns_no_pixels(std::string_view text) {
  constexpr std::array<std::string_view, 5> kTags = {"\"Orientation\"", "\"ResolutionUnit\"", "\"XResolution\"",
                                                     "\"YResolution\"", "\"Threshholding\""};
  const auto names = [&](std::string_view tag) { return text.find(tag) != std::string_view::npos; };
  return text.starts_with("Null count for ") ||
         (text.starts_with("Bad value ") && std::any_of(kTags.begin(), kTags.end(), names));
}

/// True for tags that are necessary to read the pixels correctly.
bool describes_layout(std::uint16_t tag) {
  constexpr std::array<std::pair<std::uint16_t, std::uint16_t>, 10> kRanges = {{{256, 266},
                                                                                {273, 273},
                                                                                {277, 279},
                                                                                {284, 284},
                                                                                {292, 293},
                                                                                {317, 317},
                                                                                {320, 325},
                                                                                {332, 332},
                                                                                {347, 347},
                                                                                {512, 532}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const auto& range) { return tag >= range.first && tag <= range.second; });
}

/// Without this, libtiff would print messages.
void silence_libtiff() {
  [[maybe_unused]] static const bool is_silent = [] {
    TIFFSetErrorHandler(nullptr);
    TIFFSetWarningHandler(nullptr);
    return true;
  }();
}

}  // namespace

TiffFile::TiffFile(const RandomAccess& content, const std::string& name, std::uint64_t offset)
    : name_(name), state_(std::make_unique<State>()) {
  constexpr tmsize_t kBase = tmsize_t{64} << 20;
  silence_libtiff();
  state_->content = content;
  // TIFFSetSubDirectory of newer libtiff versions (4.7) walks the whole chain of directories.
  if (offset != 0) {
    state_->changed = header_for(content, offset);
  }
  const Options options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  if (options == nullptr) {
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libtiff; free some memory");
  }
  // libtiff itself allocates compressed data and lists of strips, which are not larger than the file.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kBase + 2 * static_cast<tmsize_t>(content.size));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, state_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, state_.get());
  const auto size_of = [](thandle_t handle) -> toff_t { return static_cast<State*>(handle)->content.size; };
  // "m" disables memory mapping, so that every read goes through on_read, which detects the end of the file. "h" delays
  // reading the directory, which is read below.
  tiff_.reset(TIFFClientOpenExt(kNameForLibtiff, "rmh", state_.get(), on_read, write_nothing, on_seek, close_nothing,
                                size_of, nullptr, nullptr, options.get()));
  state_->changed.clear();
  check();
  hide_empty_tags(offset);
  const bool is_read = tiff_ != nullptr && TIFFReadDirectory(tiff()) == 1;
  state_->changed.clear();
  if (!is_read || !state_->problem.empty()) {
    reject_mixed_samples(offset);
  }
  check();
  if (!is_read) {
    reject_damaged(name, "its directory cannot be read");
  }
}

void TiffFile::check() const {
  if (state_->ended_early) {
    reject_truncated(name_);
  }
  if (state_->lacks_memory) {
    throw Error(ErrorKind::out_of_memory, name_ + ": libtiff ran out of memory; use a machine with more memory");
  }
  if (!state_->problem.empty()) {
    reject_damaged(name_, state_->problem);
  }
}

std::vector<std::uint64_t> TiffFile::numbers(std::uint16_t tag) const {
  return tag_numbers(state_->content, TIFFCurrentDirOffset(tiff()), tag);
}

void TiffFile::reject_mixed_samples(std::uint64_t directory) const {
  constexpr std::string_view kCommand = "convert in.tif out.png";
  const auto differ = [](const std::vector<std::uint64_t>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
  };
  const std::vector<std::uint64_t> bits = tag_numbers(state_->content, directory, TIFFTAG_BITSPERSAMPLE);
  if (differ(bits)) {
    reject_unsupported(name_, fmt::format("TIFF of samples of {} bits", fmt::join(bits, ", ")), kCommand);
  }
  if (differ(tag_numbers(state_->content, directory, TIFFTAG_SAMPLEFORMAT))) {
    reject_unsupported(name_, "TIFF of pixels with several kinds of samples", kCommand);
  }
}

std::vector<std::byte> TiffFile::header_for(const RandomAccess& content, std::uint64_t offset) {
  std::vector<std::byte> header(16);
  header.resize(content.read(0, header));
  const bool is_big_endian = !header.empty() && header[0] == std::byte{'M'};
  const bool is_big = header.size() > 3 && header[is_big_endian ? 3 : 2] == std::byte{43};
  const std::size_t size = is_big ? 8 : 4;
  for (std::size_t i = 0; i < size && size + i < header.size(); ++i) {
    header[size + i] = static_cast<std::byte>(offset >> 8 * (is_big_endian ? size - 1 - i : i));
  }
  return header;
}

void TiffFile::hide_empty_tags(std::uint64_t offset) {
  const RandomAccess& content = state_->content;
  std::array<std::byte, 16> header{};
  (void)content.read(0, header);
  const IfdLayout layout = IfdLayout::of(std::span(header).first(4));
  const std::uint64_t first = layout.number(std::span(header).subspan(layout.first_link(), layout.offset_bytes()));
  const std::uint64_t place = offset != 0 ? offset : first;
  std::array<std::byte, 8> count{};
  const auto count_bytes = std::span(count).first(layout.count_bytes());
  (void)content.read(place, count_bytes);
  std::vector<std::byte> entries(static_cast<std::size_t>(std::min<std::uint64_t>(layout.number(count_bytes), 4096)) *
                                 layout.entry_bytes());
  entries.resize(content.read(place + layout.count_bytes(), entries));
  std::size_t at = 0;
  layout.visit_entries(ByteSpan(entries), [&](const IfdEntry& entry) {
    // libtiff ignores an entry with the same tag as the previous entry.
    if (entry.count == 0 && at > 0 && !describes_layout(entry.tag)) {
      std::copy_n(entries.begin() + static_cast<std::ptrdiff_t>(at - layout.entry_bytes()), 2,
                  entries.begin() + static_cast<std::ptrdiff_t>(at));
    }
    at += layout.entry_bytes();
    return true;
  });
  state_->changed_from = place + layout.count_bytes();
  state_->changed = std::move(entries);
}

tmsize_t TiffFile::on_read(thandle_t handle, void* to, tmsize_t size) {
  auto* state = static_cast<State*>(handle);
  const auto wanted = static_cast<std::size_t>(std::max<tmsize_t>(size, 0));
  const std::size_t count = state->content.read(state->position, {static_cast<std::byte*>(to), wanted});
  const std::uint64_t from = std::max(state->position, state->changed_from);
  const std::uint64_t end = std::min(state->position + count, state->changed_from + state->changed.size());
  for (std::uint64_t at = from; at < end; ++at) {
    static_cast<std::byte*>(to)[at - state->position] =
        state->changed[static_cast<std::size_t>(at - state->changed_from)];
  }
  state->ended_early = state->ended_early || count < wanted;
  state->position += count;
  return static_cast<tmsize_t>(count);
}

toff_t TiffFile::on_seek(thandle_t handle, toff_t offset, int whence) {
  auto* state = static_cast<State*>(handle);
  const std::uint64_t from = whence == SEEK_CUR ? state->position : whence == SEEK_END ? state->content.size : 0;
  state->position = from + offset;
  return state->position;
}

int TiffFile::on_error(TIFF* /*tiff*/, void* user, const char* /*module*/, const char* format, va_list arguments) {
  static_cast<State*>(user)->take_error(text_of(format, arguments));
  return 1;
}

int TiffFile::on_warning(TIFF* /*tiff*/, void* user, const char* /*module*/, const char* format, va_list arguments) {
  static_cast<State*>(user)->take_warning(text_of(format, arguments));
  return 1;
}

void TiffFile::State::take_error(std::string text) {
  if (is_harmless(text) || (!heeds_warnings && concerns_no_pixels(text))) {
    return;
  }
  lacks_memory = lacks_memory || text.empty() || text.find("Out of memory") != std::string::npos ||
                 text.find("No space for") != std::string::npos;
  if (problem.empty()) {
    problem = std::move(text);
  }
}

void TiffFile::State::take_warning(std::string text) {
  constexpr std::string_view kLacksExtraSamples = "Sum of Photometric type-related color channels and ExtraSamples";
  if (!heeds_warnings) {
    lacks_extra_samples = lacks_extra_samples || text.starts_with(kLacksExtraSamples);
    return;
  }
  if (text.starts_with("Premature EOL at line ")) {
    ++short_fax_lines;
    return;
  }
  if (!is_harmless(text)) {
    take_error(std::move(text));
    return;
  }
  try {
    if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) {
      warnings.push_back(std::move(text));
    }
  } catch (const std::bad_alloc&) {
    lacks_memory = true;
  }
}

}  // namespace gpuimg::codecs::tiff
