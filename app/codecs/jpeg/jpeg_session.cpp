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
  jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
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
    lines.push_back(fmt::format("file is damaged; decoded anyway: {}", errors_.warnings.at(i).data()));
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

void JpegSession::on_message(j_common_ptr info, int level) {
  auto* errors = static_cast<Errors*>(info->err);
  if (level >= 0 || errors->msg_code == errors->ignored) {
    return;
  }
  if (!errors->lenient) {
    errors->was_warning = true;
    on_error(info);  // without this, the following pixels would be guesses
  }
  if (errors->warning_count < kKeptWarnings) {
    errors->format_message(info, errors->warnings.at(errors->warning_count).data());
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
