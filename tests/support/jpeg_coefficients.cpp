// Calls libjpeg's own reader of coefficients. Its errors return by longjmp.
#include "support/jpeg_coefficients.hpp"

#include <algorithm>
#include <csetjmp>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "codecs/jpeg/jpeg_decoder.hpp"
#include "codecs/jpeg/jpeg_header.hpp"
#include "codecs/rejections.hpp"
#include "gpuimg/error.hpp"
#include "support/file_bytes.hpp"

namespace gpuimg::test {

using namespace codecs;
using namespace codecs::jpeg;

namespace {

class LibjpegCoefficients {
 public:
  explicit LibjpegCoefficients(std::span<const std::byte> file) {
    info_.err = jpeg_std_error(&errors_);
    errors_.error_exit = [](j_common_ptr info) { std::longjmp(static_cast<Errors*>(info->err)->resume, 1); };
    errors_.output_message = [](j_common_ptr) {};
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    has_header_ = guarded([&] { jpeg_read_header(&info_, TRUE); });
    is_sound_ = has_header_ && guarded([&] { arrays_ = jpeg_read_coefficients(&info_); }) && errors_.num_warnings == 0;
  }
  ~LibjpegCoefficients() { jpeg_destroy_decompress(&info_); }
  LibjpegCoefficients(const LibjpegCoefficients&) = delete;
  LibjpegCoefficients& operator=(const LibjpegCoefficients&) = delete;

  [[nodiscard]] bool is_sound() const { return is_sound_; }

  /// The number of coefficients that JpegCoefficients::read returns; 0 if the header is invalid.
  [[nodiscard]] std::size_t size() const {
    std::size_t blocks = 0;
    for (const jpeg_component_info& of : components()) {
      blocks += columns(of) * rows(of);
    }
    return blocks * DCTSIZE2;
  }

  /// The coefficients in the order of JpegCoefficients::read. Requires is_sound().
  std::vector<std::int16_t> values() {
    std::vector<std::int16_t> all;
    for (const jpeg_component_info& of : components()) {
      for (std::size_t row = 0; row < rows(of); ++row) {
        const auto* const blocks = reinterpret_cast<j_common_ptr>(&info_)->mem->access_virt_barray(
            reinterpret_cast<j_common_ptr>(&info_), arrays_[of.component_index], static_cast<JDIMENSION>(row), 1,
            FALSE)[0];
        for (std::size_t column = 0; column < columns(of); ++column) {
          all.insert(all.end(), std::begin(blocks[column]), std::end(blocks[column]));
        }
      }
    }
    return all;
  }

 private:
  struct Errors : jpeg_error_mgr {
    std::jmp_buf resume;
  };

  template <class Call>
  bool guarded(Call call) {
    if (setjmp(errors_.resume) != 0) {
      return false;
    }
    call();
    return true;
  }

  [[nodiscard]] std::span<const jpeg_component_info> components() const {
    return {info_.comp_info, has_header_ ? static_cast<std::size_t>(info_.num_components) : 0};
  }

  static std::size_t rounded_up(JDIMENSION count, int step) {
    const auto by = static_cast<std::size_t>(step);
    return (count + by - 1) / by * by;
  }

  [[nodiscard]] std::size_t columns(const jpeg_component_info& of) const {
    return info_.num_components == 1 ? of.width_in_blocks : rounded_up(of.width_in_blocks, of.h_samp_factor);
  }

  [[nodiscard]] std::size_t rows(const jpeg_component_info& of) const {
    return info_.num_components == 1 ? of.height_in_blocks
                                     : std::size_t{info_.total_iMCU_rows} * static_cast<std::size_t>(of.v_samp_factor);
  }

  jpeg_decompress_struct info_{};
  Errors errors_{};
  jvirt_barray_ptr* arrays_ = nullptr;
  bool has_header_ = false;
  bool is_sound_ = false;
};

}  // namespace

std::span<std::int16_t> SlowSink::memory(std::size_t blocks) {
  memory_.assign(blocks * DCTSIZE2, kUnwritten);
  return memory_;
}

void SlowSink::take(std::span<const JpegBlocks> blocks) {
  copy_and_spoil();
  taken_.assign(blocks.begin(), blocks.end());
}

std::vector<std::int16_t> SlowSink::all() {
  copy_and_spoil();
  return all_;
}

void SlowSink::copy_and_spoil() {
  for (const JpegBlocks& blocks : taken_) {
    const std::size_t first = std::size_t{blocks.first} * DCTSIZE2;
    std::ranges::copy(blocks.coefficients, std::span(all_).subspan(first, blocks.coefficients.size()).begin());
    const auto offset = static_cast<std::size_t>(blocks.coefficients.data() - memory_.data());
    std::ranges::fill(std::span(memory_).subspan(offset, blocks.coefficients.size()), kUnwritten);
  }
  taken_.clear();
}

JpegCodesVerdict verdict_on_jpeg_codes(std::span<const std::byte> file, const JpegPipelineChoices& choices) {
  const FileBytes exact(file.begin(), file.end());  // a sanitizer detects every read past the end
  const std::string name = "file";
  std::optional<JpegScript> script;
  JpegHeader header;
  try {
    header = read_jpeg_header(exact, name);
    check_size(name, header.frame.width, header.frame.height, 1 << 20);
    script = read_jpeg_script(exact);
  } catch (const Error&) {
    return JpegCodesVerdict::left;
  }
  if (!script) {
    return JpegCodesVerdict::left;
  }
  LibjpegCoefficients expected(exact);
  SlowSink found(expected.size());
  if (!read_jpeg_coefficients({exact, header, name}, *script, found, choices)) {
    return JpegCodesVerdict::left;
  }
  return expected.is_sound() && expected.values() == found.all() ? JpegCodesVerdict::same : JpegCodesVerdict::mistaken;
}

}  // namespace gpuimg::test
