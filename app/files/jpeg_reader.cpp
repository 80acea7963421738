// JPEG to pixels, straight into the rows of the Image. How strictly: docs/operations.md, "Files".
#include "files/jpeg_reader.hpp"

#include <fmt/format.h>
// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdint>
#include <utility>

#include "files/byte_fields.hpp"
#include "files/exif_orientation.hpp"
#include "files/jpeg_header.hpp"
#include "files/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg {

namespace {

constexpr int kMaxScans = 500;

struct JpegErrors : jpeg_error_mgr {
  std::jmp_buf resume;
  int code = 0;
  bool too_many_scans = false;
  std::array<char, JMSG_LENGTH_MAX> reason{};
};

// Called inside libjpeg: nothing from here to the jump may own memory, because longjmp runs no destructor.
[[noreturn]] void fail(j_common_ptr info) {
  auto* errors = static_cast<JpegErrors*>(info->err);
  errors->code = errors->msg_code;
  errors->format_message(info, errors->reason.data());
  std::longjmp(errors->resume, 1);
}

void on_message(j_common_ptr info, int level) {
  if (level < 0) {
    fail(info);  // a warning: the pixels that follow would be guesses
  }
}

void on_progress(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number > kMaxScans) {
    auto* errors = static_cast<JpegErrors*>(info->err);
    errors->too_many_scans = true;
    std::longjmp(errors->resume, 1);
  }
}

class JpegSession {
 public:
  explicit JpegSession(const std::string& name) : name_(name) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = fail;
    errors_.emit_message = on_message;
    progress_.progress_monitor = on_progress;
  }
  ~JpegSession() { jpeg_destroy_decompress(&info_); }
  JpegSession(const JpegSession&) = delete;
  JpegSession& operator=(const JpegSession&) = delete;

  [[nodiscard]] jpeg_decompress_struct& info() { return info_; }

  /// Under guarded().
  void open(ByteSpan bytes) {
    jpeg_create_decompress(&info_);
    info_.progress = &progress_;
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  }

  /// Runs `call`, which calls libjpeg and may hold no object with a destructor meanwhile.
  template <class Call>
  void guarded(Call call) {
    if (setjmp(errors_.resume) != 0) {
      throw_failure();
    }
    call();
  }

 private:
  [[noreturn]] void throw_failure() const {
    if (errors_.too_many_scans) {
      refuse_damaged(name_, fmt::format("it has more than {} scans", kMaxScans));
    }
    if (errors_.code == JWRN_JPEG_EOF || errors_.code == JERR_INPUT_EOF || errors_.code == JERR_INPUT_EMPTY) {
      refuse_truncated(name_);
    }
    if (errors_.code == JERR_OUT_OF_MEMORY || errors_.code == JERR_NO_BACKING_STORE) {
      throw Error(ErrorKind::out_of_memory, name_ + ": libjpeg has no memory left; use a machine with more memory");
    }
    refuse_damaged(name_, errors_.reason.data());
  }

  const std::string& name_;
  jpeg_decompress_struct info_{};
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
};

/// Progressive files keep all coefficients in memory: two bytes for each sample, sides rounded up to whole blocks.
long memory_cap(const JpegHeader& header) {
  constexpr std::uint64_t kBase = std::uint64_t{64} << 20;
  constexpr std::uint64_t kRounding = 64;
  return static_cast<long>(kBase + 2 * (header.width + kRounding) * (header.height + kRounding) * header.components);
}

void check_kind(const JpegHeader& header, const ReadOptions& options, const std::string& name) {
  check_size(name, header.width, header.height, options.max_pixels);
  if (header.width > JPEG_MAX_DIMENSION || header.height > JPEG_MAX_DIMENSION) {
    refuse_unsupported(name, fmt::format("JPEG of more than {} pixels a side", JPEG_MAX_DIMENSION));
  }
  if (header.components == 4) {
    refuse_unsupported(name, "CMYK JPEG");
  }
  if (header.components != 1 && header.components != 3) {
    refuse_unsupported(name, fmt::format("JPEG of {} channels", header.components));
  }
}

void read_rows(jpeg_decompress_struct& info, const View& pixels) {
  constexpr JDIMENSION kBatch = 16;
  std::array<JSAMPROW, kBatch> rows{};
  while (info.output_scanline < info.output_height) {
    const JDIMENSION count = std::min(kBatch, info.output_height - info.output_scanline);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = reinterpret_cast<JSAMPROW>(pixels.row_bytes(static_cast<int>(info.output_scanline + i)));
    }
    jpeg_read_scanlines(&info, rows.data(), count);
  }
}

Image read_pixels(ByteSpan bytes, const JpegHeader& header, const std::string& name) {
  JpegSession session(name);
  jpeg_decompress_struct& info = session.info();
  session.guarded([&] {
    session.open(bytes);
    info.mem->max_memory_to_use = memory_cap(header);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = header.components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    info.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&info);
  });
  if (info.output_width != header.width || info.output_height != header.height ||
      info.output_components != static_cast<int>(header.components)) {
    refuse_damaged(name, "it declares its size twice, and differently");
  }
  Image image(static_cast<int>(header.width), static_cast<int>(header.height),
              {Sample::u8, static_cast<int>(header.components)});
  const View pixels = image.view();
  session.guarded([&] {
    read_rows(info, pixels);
    jpeg_finish_decompress(&info);
  });
  return image;
}

}  // namespace

DecodedImage read_jpeg(std::span<const std::byte> bytes, const std::string& name, const ReadOptions& options) {
  const JpegHeader header = read_jpeg_header(bytes, name);
  check_kind(header, options, name);
  DecodedImage decoded;
  decoded.file_type = "JPEG";
  decoded.image = read_pixels(bytes, header, name);
  if (options.auto_orient) {
    decoded.image = apply_orientation(std::move(decoded.image), exif_orientation(header.exif));
  }
  return decoded;
}

}  // namespace gpuimg
