// libpng's callbacks and limits, and gpuimg's words for its messages.
#include "codecs/png/png_session.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

struct PlainWords {
  std::string_view libpng;
  std::string_view plain;
};

constexpr std::array kPlainWords = {
    PlainWords{"Not enough image data", "it holds less image data than it declares"},
    PlainWords{"Too much image data", "it holds more image data than it declares"},
    PlainWords{"Extra compressed data", "it holds more image data than it declares"},
    PlainWords{"incorrect data check", "the checksum of the image data is wrong"},
    PlainWords{"bad adaptive filter value", "a row has an unknown filter"},
    PlainWords{"Missing PLTE before IDAT", "its palette is missing"},
    PlainWords{"Missing IHDR before", "a chunk precedes the header"},
    PlainWords{"invalid chunk type", "a chunk has an impossible name"},
};

/// Chunks that gpuimg does not use or reads itself; libpng must not even allocate them.
constexpr png_byte kUnusedChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0tEXt\0tIME\0zTXt";
constexpr int kUnusedChunkCount = sizeof(kUnusedChunks) / 5;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

void set_limits(png_structp png, std::size_t file_bytes) {
  constexpr png_uint_32 kMaxSide = 0x7FFFFFFF;  // the declared size has already been checked
  png_set_user_limits(png, kMaxSide, kMaxSide);
  // A valid chunk is no larger than the file, which is already in memory.
  png_set_chunk_malloc_max(png, file_bytes);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kUnusedChunks, kUnusedChunkCount);
}

}  // namespace

PngSession::PngSession(ByteSpan bytes, const std::string& name) : stream_(bytes, name), name_(name) {
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
  if (info_ == nullptr) {
    png_destroy_read_struct(&png_, nullptr, nullptr);
    throw Error(ErrorKind::out_of_memory, name + ": not enough memory to start libpng; free some memory");
  }
  try {
    guarded([&] {
      png_set_read_fn(png_, this, on_read);
      set_limits(png_, bytes.size());
      png_set_compression_buffer_size(png_, stream_.block_bytes());
      png_set_check_for_invalid_index(png_, 0);  // PngPalette checks, in the same words for every version of libpng
      png_set_crc_action(png_, PNG_CRC_QUIET_USE, PNG_CRC_DEFAULT);  // the stream has checked critical chunks
    });
  } catch (...) {
    png_destroy_read_struct(&png_, &info_, nullptr);
    throw;
  }
}

PngSession::~PngSession() { png_destroy_read_struct(&png_, &info_, nullptr); }

void PngSession::refuse_damaged_data() const {
  if (stream_.skipped_image_data()) {
    refuse_damaged(name_, "it holds more image data than it declares");
  }
  if (damage_[0] != '\0') {
    refuse_damaged(name_, damage_.data());
  }
}

void PngSession::throw_failure() const {
  const std::string_view reason = failure_.data();
  if (ended_early_) {
    refuse_truncated(name_);
  }
  if (contains(reason, "memory")) {
    throw Error(ErrorKind::out_of_memory, name_ + ": libpng ran out of memory; use a machine with more memory");
  }
  refuse_damaged(name_, reason);
}

// Called inside libpng: nothing here may own memory, because longjmp runs no destructor.
void PngSession::on_error(png_structp png, png_const_charp message) {
  auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
  const auto* plain = std::find_if(kPlainWords.begin(), kPlainWords.end(),
                                   [&](const PlainWords& words) { return contains(message, words.libpng); });
  std::snprintf(session->failure_.data(), session->failure_.size(), "%s",
                plain != kPlainWords.end() ? plain->plain.data() : message);
  png_longjmp(png, 1);
}

void PngSession::on_warning(png_structp png, png_const_charp message) {
  auto* session = static_cast<PngSession*>(png_get_error_ptr(png));
  const std::string_view text = message;
  if (!text.starts_with("IDAT") && !contains(text, "image data")) {
    return;
  }
  const auto* plain = std::find_if(kPlainWords.begin(), kPlainWords.end(),
                                   [&](const PlainWords& words) { return contains(text, words.libpng); });
  std::snprintf(session->damage_.data(), session->damage_.size(), "%s",
                plain != kPlainWords.end() ? plain->plain.data() : message);
}

void PngSession::on_read(png_structp png, png_bytep to, std::size_t size) {
  auto* session = static_cast<PngSession*>(png_get_io_ptr(png));
  if (!session->stream_.read(reinterpret_cast<std::byte*>(to), size)) {
    session->ended_early_ = true;
    png_error(png, "the file ends early");
  }
}

}  // namespace gpuimg::codecs
