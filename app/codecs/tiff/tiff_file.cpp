// libtiff's callbacks must not throw, because exceptions must not pass through C.
#include "codecs/tiff/tiff_file.hpp"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <utility>

#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"
#include "text/printable_name.hpp"

namespace gpuimg::codecs::tiff {
namespace {

using Options = std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)>;

tmsize_t write_nothing(thandle_t /*handle*/, void* /*from*/, tmsize_t /*size*/) { return 0; }
int close_nothing(thandle_t /*handle*/) { return 0; }

/// The message, cut off if it is long. Damaged tags may put any bytes into it.
void keep(std::string& to, const char* format, va_list arguments) {
  std::array<char, 200> text{};
  (void)std::vsnprintf(text.data(), text.size(), format, arguments);
  try {
    to = printable_name(text.data());
    std::replace(to.begin(), to.end(), ';', ',');
  } catch (const std::bad_alloc&) {
  }
}

/// Warnings, by the beginning of their format, after which all pixels are what was meant.
bool is_harmless(std::string_view format) {
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
  return std::any_of(kHarmless.begin(), kHarmless.end(),
                     [&](std::string_view start) { return format.starts_with(start); });
}

}  // namespace

TiffFile::TiffFile(const RandomAccess& content, const std::string& name, std::uint64_t offset)
    : name_(name), state_(std::make_unique<State>()) {
  constexpr tmsize_t kBase = tmsize_t{64} << 20;
  state_->content = content;
  // TIFFSetSubDirectory of newer libtiffs (4.7) walks the whole chain.
  if (offset != 0) {
    state_->header = header_for(content, offset);
  }
  const Options options(TIFFOpenOptionsAlloc(), TIFFOpenOptionsFree);
  if (options == nullptr) {
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libtiff; free some memory");
  }
  // libtiff itself holds compressed data and lists of strips, which are no larger than the file.
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kBase + 2 * static_cast<tmsize_t>(content.size));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_error, state_.get());
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_warning, state_.get());
  const auto size_of = [](thandle_t handle) -> toff_t { return static_cast<State*>(handle)->content.size; };
  // "m": without a mapping, every read passes on_read, which sees the end. "h": the directory is read below.
  tiff_.reset(TIFFClientOpenExt(name.c_str(), "rmh", state_.get(), on_read, write_nothing, on_seek, close_nothing,
                                size_of, nullptr, nullptr, options.get()));
  state_->header.clear();
  check();
  const bool is_read = tiff_ != nullptr && TIFFReadDirectory(tiff()) == 1;
  check();
  if (!is_read) {
    refuse_damaged(name, "its directory cannot be read");
  }
}

void TiffFile::check() const {
  if (state_->ended_early) {
    refuse_truncated(name_);
  }
  if (state_->lacks_memory) {
    throw Error(ErrorKind::out_of_memory, name_ + ": libtiff ran out of memory; use a machine with more memory");
  }
  if (!state_->problem.empty()) {
    refuse_damaged(name_, state_->problem);
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

tmsize_t TiffFile::on_read(thandle_t handle, void* to, tmsize_t size) {
  auto* state = static_cast<State*>(handle);
  const auto wanted = static_cast<std::size_t>(std::max<tmsize_t>(size, 0));
  const std::size_t count = state->content.read(state->position, {static_cast<std::byte*>(to), wanted});
  if (const auto& header = state->header; state->position < header.size()) {
    const auto at = static_cast<std::size_t>(state->position);
    std::copy_n(header.begin() + static_cast<std::ptrdiff_t>(at), std::min(count, header.size() - at),
                static_cast<std::byte*>(to));
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
  auto* state = static_cast<State*>(user);
  const std::string_view text = format;
  if (is_harmless(text)) {
    return 1;
  }
  state->lacks_memory = state->lacks_memory || text.find("Out of memory") != std::string_view::npos ||
                        text.find("No space for") != std::string_view::npos;
  if (state->problem.empty()) {
    keep(state->problem, format, arguments);
  }
  return 1;
}

int TiffFile::on_warning(TIFF* tiff, void* user, const char* module, const char* format, va_list arguments) {
  auto* state = static_cast<State*>(user);
  constexpr std::string_view kLacksExtraSamples = "Sum of Photometric type-related color channels and ExtraSamples";
  if (!state->heeds_warnings) {
    state->lacks_extra_samples = state->lacks_extra_samples || std::string_view(format).starts_with(kLacksExtraSamples);
    return 1;
  }
  if (!is_harmless(format)) {
    return on_error(tiff, user, module, format, arguments);
  }
  std::string text;
  keep(text, format, arguments);
  try {
    if (std::find(state->warnings.begin(), state->warnings.end(), text) == state->warnings.end()) {
      state->warnings.push_back(std::move(text));
    }
  } catch (const std::bad_alloc&) {
  }
  return 1;
}

}  // namespace gpuimg::codecs::tiff
