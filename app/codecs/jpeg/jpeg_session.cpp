// libjpeg's callbacks, the limit on scans, and messages. Callbacks must own no memory: longjmp runs no destructor, and
// exceptions must not pass through C.
#include "codecs/jpeg/jpeg_session.hpp"

#include <fmt/format.h>
#include <jerror.h>

#include <algorithm>

#include "codecs/jpeg/jpeg_library.hpp"
#include "codecs/refusals.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

constexpr int kMaxScans = 500;

}  // namespace

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
    refuse_damaged(name_, fmt::format("it has more than {} scans", kMaxScans));
  }
  if (errors_.code == JERR_INPUT_EOF || errors_.code == JERR_INPUT_EMPTY) {
    refuse_truncated(name_);
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
  refuse_damaged(name_, errors_.reason.data());
}

void JpegSession::on_error(j_common_ptr info) {
  auto* errors = static_cast<Errors*>(info->err);
  errors->code = errors->msg_code;
  errors->format_message(info, errors->reason.data());
  std::longjmp(errors->resume, 1);
}

/// True for the message at hand if it tells of an unknown JFIF version, an unknown Adobe transform of three channels
/// (libjpeg takes YCbCr, as others do), bytes between the segments before the first scan, or zeros after a scan. Other
/// bytes after a scan may be what is left of damaged data.
bool JpegSession::is_harmless(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  const std::span<const unsigned char> bytes = static_cast<Errors*>(info->err)->bytes;
  if (bytes.empty()) {
    return false;  // read from a source: a decoder of bytes in memory judges
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
  constexpr int kFirstRestart = 0xD0;
  constexpr int kLastRestart = 0xD7;
  const int marker = info->err->msg_parm.i[1];
  const auto skipped = static_cast<std::size_t>(info->err->msg_parm.i[0]);
  const auto offset = static_cast<std::size_t>(decompress->src->next_input_byte - bytes.data());
  if (offset > bytes.size()) {
    return false;  // libjpeg-turbo reads an end of image of its own
  }
  const auto zeros = bytes.subspan(offset - std::min(offset, skipped), std::min(offset, skipped));
  return (marker < kFirstRestart || marker > kLastRestart) &&
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
    on_error(info);  // without this, the following pixels would be guesses
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

}  // namespace gpuimg::codecs
