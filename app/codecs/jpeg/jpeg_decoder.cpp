// libjpeg's callbacks, the limit on scans, and messages. Callbacks must not own memory: longjmp runs no destructor.
// They must not throw: exceptions must not pass through C.
#include "codecs/jpeg/jpeg_decoder.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

#include "codecs/jpeg/jpeg.hpp"
#include "codecs/rejections.hpp"
#include "codecs/stored_samples.hpp"
#include "gpuimg/error.hpp"
#include "io/bytes.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

struct LibraryErrors : jpeg_error_mgr {
  std::jmp_buf resume;
};

[[noreturn]] void leave(j_common_ptr info) { std::longjmp(static_cast<LibraryErrors*>(info->err)->resume, 1); }

/// Creates a decompressor. Returns false if libjpeg rejects the interface version; errors.msg_code then holds the
/// reason. Must hold no object with a destructor: longjmp would skip the destructor.
bool creates(LibraryErrors& errors, int version, std::size_t struct_bytes) {
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&errors);
  errors.error_exit = leave;
  if (setjmp(errors.resume) != 0) {
    return false;
  }
  jpeg_CreateDecompress(&info, version, struct_bytes);
  jpeg_destroy_decompress(&info);
  return true;
}

constexpr int kMaxScans = 500;

/// Progressive files keep all coefficients in memory: two bytes per sample, sides rounded up to whole blocks.
long memory_cap(const JpegHeader& header) {
  constexpr std::uint64_t kBase = std::uint64_t{64} << 20;
  constexpr std::uint64_t kRounding = 64;
  return static_cast<long>(kBase + 2 * (header.frame.width + kRounding) * (header.frame.height + kRounding) *
                                       header.frame.component_count);
}

void read_rows(jpeg_decompress_struct& info, JDIMENSION end, const View& pixels, int first) {
  constexpr JDIMENSION kBatch = 16;
  std::array<JSAMPROW, kBatch> rows{};
  while (info.output_scanline < end) {
    const JDIMENSION count = std::min(kBatch, end - info.output_scanline);
    for (JDIMENSION i = 0; i < count; ++i) {
      rows[i] = reinterpret_cast<JSAMPROW>(pixels.row_bytes(static_cast<int>(info.output_scanline + i) - first));
    }
    jpeg_read_scanlines(&info, rows.data(), count);
  }
}

/// `row` holds one row of CMYK.
void read_cmyk_rows(jpeg_decompress_struct& info, JDIMENSION end, const View& pixels, int first, std::uint8_t* row) {
  while (info.output_scanline < end) {
    auto* const to = pixels.row<std::uint8_t>(static_cast<int>(info.output_scanline) - first);
    jpeg_read_scanlines(&info, &row, 1);
    cmyk_to_rgb<std::uint8_t>(row, to, info.output_width);
  }
}

}  // namespace

std::string jpeg_library_problem(int built_version, std::size_t built_struct_bytes) {
  LibraryErrors errors{};
  const bool is_created = creates(errors, built_version, built_struct_bytes);
  if (is_created || (errors.msg_code != JERR_BAD_LIB_VERSION && errors.msg_code != JERR_BAD_STRUCT_SIZE)) {
    return {};
  }
  const std::string_view loaded = errors.jpeg_message_table[JMSG_VERSION];
  const bool is_version = errors.msg_code == JERR_BAD_LIB_VERSION;
  return fmt::format(
      "the libjpeg loaded here is \"{}\"{}, but gpuimg was built for interface {} with structures of {} bytes; install "
      "the libjpeg-turbo that it was built with, or build gpuimg again",
      loaded, is_version ? fmt::format(" with interface {}", errors.msg_parm.i[0]) : " with other structures",
      built_version, built_struct_bytes);
}

std::string jpeg_library_problem() { return jpeg_library_problem(JPEG_LIB_VERSION, sizeof(jpeg_decompress_struct)); }

JpegSession::JpegSession(const std::string& name, bool lenient) : name_(name) {
  info_.err = jpeg_std_error(&errors_);
  errors_.error_exit = on_error;
  errors_.emit_message = on_message;
  errors_.lenient = lenient;
  progress_.progress_monitor = on_progress;
}

JpegSession::~JpegSession() { jpeg_destroy_decompress(&info_); }

void JpegSession::open(ByteSpan bytes) {
  jpeg_create_decompress(&info_);
  info_.progress = &progress_;
  errors_.bytes = {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()};
  jpeg_mem_src(&info_, errors_.bytes.data(), bytes.size());
}

void JpegSession::open(jpeg_source_mgr& source) {
  jpeg_create_decompress(&info_);
  info_.progress = &progress_;
  info_.src = &source;
}

std::vector<std::string> JpegSession::warnings() const {
  const std::size_t kept = std::min(errors_.warning_count, kKeptWarnings);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < kept; ++i) {
    const Warning& warning = errors_.warnings.at(i);
    lines.push_back(warning.is_harmless
                        ? fmt::format("JPEG: the pixels are not affected by this: {}", warning.text.data())
                        : fmt::format("file is damaged; decoded anyway: {}", warning.text.data()));
  }
  if (errors_.warning_count > kept) {
    lines.push_back(fmt::format("libjpeg has {} more warnings", errors_.warning_count - kept));
  }
  return lines;
}

void JpegSession::throw_failure() const {
  if (errors_.too_many_scans) {
    reject_damaged(name_, fmt::format("it has more than {} scans", kMaxScans));
  }
  if (errors_.code == JERR_INPUT_EOF || errors_.code == JERR_INPUT_EMPTY) {
    reject_truncated(name_);
  }
  if (errors_.code == JERR_OUT_OF_MEMORY || errors_.code == JERR_NO_BACKING_STORE) {
    throw Error(ErrorKind::out_of_memory, name_ + ": libjpeg has no memory left; use a machine with more memory");
  }
  if (errors_.code == JERR_BAD_LIB_VERSION || errors_.code == JERR_BAD_STRUCT_SIZE) {
    throw Error(ErrorKind::unsupported, fmt::format("{}: JPEG cannot be read: {}", name_, jpeg_library_problem()));
  }
  if (errors_.was_warning) {
    const std::string why = errors_.code == JWRN_JPEG_EOF ? "truncated: it ends before the image does"
                                                          : fmt::format("damaged: {}", errors_.reason.data());
    throw Error(
        ErrorKind::decode,
        fmt::format("{}: file is {}; download or copy it again, or read the intact part with --lenient", name_, why));
  }
  reject_damaged(name_, errors_.reason.data());
}

void JpegSession::on_error(j_common_ptr info) {
  auto* errors = static_cast<Errors*>(info->err);
  errors->code = errors->msg_code;
  errors->format_message(info, errors->reason.data());
  std::longjmp(errors->resume, 1);
}

/// True if libjpeg's current message reports one of these: an unknown JFIF version; an unknown Adobe transform of three
/// channels (libjpeg assumes YCbCr, as other programs do); stray bytes between the segments before the first scan; or
/// zeros after a scan. Other bytes after a scan may be left over from damaged data.
bool JpegSession::is_harmless(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  const std::span<const unsigned char> bytes = static_cast<Errors*>(info->err)->bytes;
  if (bytes.empty()) {
    return false;  // the bytes come from a data source: only a decoder of bytes in memory can decide
  }
  switch (info->err->msg_code) {
    case JWRN_JFIF_MAJOR: return true;
    case JWRN_ADOBE_XFORM: return decompress->num_components == 3;
    case JWRN_EXTRANEOUS_DATA: break;
    default: return false;
  }
  if (decompress->input_scan_number == 0) {
    return true;
  }
  const auto marker = static_cast<std::uint32_t>(info->err->msg_parm.i[1]);
  const auto skipped = static_cast<std::size_t>(info->err->msg_parm.i[0]);
  const auto offset = static_cast<std::size_t>(decompress->src->next_input_byte - bytes.data());
  if (offset > bytes.size()) {
    return false;  // libjpeg-turbo has read an EOI that it inserted itself
  }
  const auto zeros = bytes.subspan(offset - std::min(offset, skipped), std::min(offset, skipped));
  return (marker < jpeg_marker::kFirstRestart || marker > jpeg_marker::kLastRestart) &&
         std::all_of(zeros.begin(), zeros.end(), [](unsigned char byte) { return byte == 0; });
}

void JpegSession::on_message(j_common_ptr info, int level) {
  auto* errors = static_cast<Errors*>(info->err);
  if (level >= 0) {
    return;
  }
  const bool can_go_on = is_harmless(info);
  if (!errors->lenient && !can_go_on) {
    errors->was_warning = true;
    on_error(info);  // without this call, libjpeg would guess the following pixels
  }
  if (errors->warning_count < kKeptWarnings) {
    Warning& warning = errors->warnings.at(errors->warning_count);
    errors->format_message(info, warning.text.data());
    warning.is_harmless = can_go_on;
  }
  ++errors->warning_count;
}

void JpegSession::on_progress(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number > kMaxScans) {
    auto* errors = static_cast<Errors*>(info->err);
    errors->too_many_scans = true;
    std::longjmp(errors->resume, 1);
  }
}

void set_jpeg_output(jpeg_decompress_struct& info, const JpegHeader& header) {
  info.mem->max_memory_to_use = memory_cap(header);
  info.out_color_space = header.frame.component_count == 4   ? JCS_CMYK
                         : header.frame.component_count == 1 ? JCS_GRAYSCALE
                                                             : JCS_RGB;
  info.dct_method = JDCT_ISLOW;
}

void check_jpeg_output(const jpeg_decompress_struct& info, const JpegFile& file) {
  if (info.output_width != file.header.frame.width || info.output_height != file.header.frame.height ||
      info.output_components != static_cast<int>(file.header.frame.component_count)) {
    reject_damaged(file.name, "it declares two different sizes");
  }
}

void read_jpeg_rows(jpeg_decompress_struct& info, int end, const View& pixels, int first, std::uint8_t* cmyk_row) {
  if (info.out_color_space == JCS_CMYK) {
    read_cmyk_rows(info, static_cast<JDIMENSION>(end), pixels, first, cmyk_row);
  } else {
    read_rows(info, static_cast<JDIMENSION>(end), pixels, first);
  }
}

/// A source for libjpeg whose bytes are in a file. Reading past the end of the file is an error. C code calls the
/// functions of this class, so they must not throw.
class JpegFileSource : public jpeg_source_mgr {
 public:
  /// The file must outlive the source.
  explicit JpegFileSource(const RandomAccess& file);
  JpegFileSource(const JpegFileSource&) = delete;
  JpegFileSource& operator=(const JpegFileSource&) = delete;

 private:
  static boolean fill(j_decompress_ptr info);
  static void skip(j_decompress_ptr info, long bytes);

  const RandomAccess& file_;
  std::uint64_t next_ = 0;  ///< offset in the file of the first byte after the buffered ones
  std::array<std::byte, std::size_t{64} << 10> buffer_;
};

JpegFileSource::JpegFileSource(const RandomAccess& file) : jpeg_source_mgr{}, file_(file) {
  const auto nothing = [](j_decompress_ptr) {};
  init_source = nothing;
  term_source = nothing;
  fill_input_buffer = fill;
  skip_input_data = skip;
  resync_to_restart = jpeg_resync_to_restart;
}

boolean JpegFileSource::fill(j_decompress_ptr info) {
  auto& source = *static_cast<JpegFileSource*>(info->src);
  const std::size_t count = source.file_.read(source.next_, source.buffer_);
  if (count == 0) {
    info->err->msg_code = JERR_INPUT_EOF;
    info->err->error_exit(reinterpret_cast<j_common_ptr>(info));
  }
  source.next_ += count;
  source.next_input_byte = reinterpret_cast<const JOCTET*>(source.buffer_.data());
  source.bytes_in_buffer = count;
  return TRUE;
}

void JpegFileSource::skip(j_decompress_ptr info, long bytes) {
  auto& source = *static_cast<JpegFileSource*>(info->src);
  if (bytes <= 0) {
    return;
  }
  const auto count = static_cast<std::size_t>(bytes);
  if (count > source.bytes_in_buffer) {
    source.next_ += count - source.bytes_in_buffer;
    source.bytes_in_buffer = 0;
  } else {
    source.next_input_byte += count;
    source.bytes_in_buffer -= count;
  }
}

JpegRows::JpegRows(const JpegFile& file, bool lenient)
    : source_(file.stored != nullptr ? std::make_unique<JpegFileSource>(*file.stored) : nullptr),
      session_(file.name, lenient) {
  jpeg_decompress_struct& info = session_.info();
  session_.guarded([&] {
    source_ != nullptr ? session_.open(*source_) : session_.open(file.bytes);
    jpeg_read_header(&info, TRUE);
    set_jpeg_output(info, file.header);
    jpeg_start_decompress(&info);
  });
  check_jpeg_output(info, file);
  if (file.is_cmyk()) {
    cmyk_row_.resize(std::size_t{file.header.frame.width} * file.header.frame.component_count);
  }
}

JpegRows::~JpegRows() = default;

void JpegRows::read_to(int end, const View& pixels, int first) {
  jpeg_decompress_struct& info = session_.info();
  session_.guarded([&] { read_jpeg_rows(info, end, pixels, first, cmyk_row_.data()); });
}

void JpegRows::finish() {
  session_.guarded([&] { jpeg_finish_decompress(&session_.info()); });
}

bool JpegRows::is_sequential() {
  jpeg_decompress_struct& info = session_.info();
  return info.arith_code == FALSE && info.progressive_mode == FALSE && jpeg_has_multiple_scans(&info) == FALSE;
}

std::size_t JpegRows::coefficient_bytes() {
  const jpeg_decompress_struct& info = session_.info();
  std::size_t blocks = 0;
  for (const jpeg_component_info& of : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    blocks += std::size_t{of.width_in_blocks} * static_cast<std::size_t>(of.v_samp_factor);
  }
  return blocks * sizeof(JBLOCK);
}

std::shared_ptr<const JpegEncoding> jpeg_encoding_of(const jpeg_decompress_struct& info) {
  if (info.jpeg_color_space != JCS_GRAYSCALE && info.jpeg_color_space != JCS_YCbCr) {
    return nullptr;
  }
  auto encoding = std::make_shared<JpegEncoding>();
  for (const jpeg_component_info& from : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    if (from.quant_table == nullptr) {  // a damaged file read leniently: no scan contains this component
      return nullptr;
    }
    JpegComponent& component = encoding->components.emplace_back();
    component.horizontal_sampling = from.h_samp_factor;
    component.vertical_sampling = from.v_samp_factor;
    std::copy_n(from.quant_table->quantval, component.steps.size(), component.steps.begin());
  }
  return is_writable_sampling(*encoding) ? encoding : nullptr;
}

}  // namespace gpuimg::codecs::jpeg
