// Creates a decompressor, which compares the versions before it does anything else.
#include "codecs/jpeg/jpeg_library.hpp"

// jpeglib.h needs size_t and FILE declared before it.
#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on
#include <fmt/format.h>
#include <jerror.h>

#include <csetjmp>
#include <string_view>

namespace gpuimg::codecs {

namespace {

struct Errors : jpeg_error_mgr {
  std::jmp_buf resume;
};

[[noreturn]] void leave(j_common_ptr info) { std::longjmp(static_cast<Errors*>(info->err)->resume, 1); }

/// False if libjpeg refuses; errors.msg_code then says why. Holds no object with a destructor: longjmp would skip it.
bool creates(Errors& errors, int version, std::size_t struct_bytes) {
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

}  // namespace

std::string jpeg_library_problem(int built_version, std::size_t built_struct_bytes) {
  Errors errors{};
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

}  // namespace gpuimg::codecs
