// Calls libjpeg with its default error handler, which exits on an error; so all files made here are valid.
#include "support/jpeg_maker.hpp"

#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>

namespace gpuimg::test {

namespace {

/// The file that libjpeg wrote to `memory`. Frees that memory.
FileBytes taken(unsigned char* memory, unsigned long size) {
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  FileBytes file(first, first + size);
  std::free(memory);
  return file;
}

void set_processes(jpeg_compress_struct& info, const JpegChoices& choices) {
  if (choices.progressive) {
    jpeg_simple_progression(&info);
  }
  info.arith_code = choices.arithmetic ? TRUE : FALSE;
  info.restart_interval = static_cast<unsigned>(choices.restart_interval);
  info.comp_info[0].h_samp_factor = choices.horizontal_sampling;
  info.comp_info[0].v_samp_factor = choices.vertical_sampling;
  for (int i = 1; i < std::min(info.num_components, 3); ++i) {
    info.comp_info[i].h_samp_factor = choices.chroma_horizontal_sampling;
    info.comp_info[i].v_samp_factor = choices.chroma_vertical_sampling;
  }
}

/// The scans to write; empty for libjpeg's usual scans.
std::vector<jpeg_scan_info> scans_of(const jpeg_compress_struct& info, const JpegChoices& choices) {
  std::vector<jpeg_scan_info> scans;
  for (int i = 0; choices.separate_scans && i < info.num_components; ++i) {
    scans.push_back({1, {i}, 0, DCTSIZE2 - 1, 0, 0});
  }
  for (const JpegScanChoice& choice : choices.scans) {
    jpeg_scan_info& scan = scans.emplace_back();
    scan = {1, {choice.component}, choice.first, choice.last, choice.high, choice.low};
    if (choice.component < 0) {
      scan.comps_in_scan = info.num_components;
      std::iota(std::begin(scan.component_index), std::end(scan.component_index), 0);
    }
  }
  return scans;
}

/// The size in blocks of one component, in whole MCUs.
std::array<JDIMENSION, 2> blocks_of(const jpeg_compress_struct& info, const jpeg_component_info& component) {
  int across = 1;
  int down = 1;
  for (const jpeg_component_info& one : std::span(info.comp_info, static_cast<std::size_t>(info.num_components))) {
    across = std::max(across, one.h_samp_factor);
    down = std::max(down, one.v_samp_factor);
  }
  const auto mcus = [](JDIMENSION pixels, int factor) {
    const auto side = static_cast<JDIMENSION>(DCTSIZE * factor);
    return (pixels + side - 1) / side;
  };
  return {mcus(info.image_width, across) * static_cast<JDIMENSION>(component.h_samp_factor),
          mcus(info.image_height, down) * static_cast<JDIMENSION>(component.v_samp_factor)};
}

}  // namespace

FileBytes make_jpeg_of_coefficients(Random& random, int width, int height, int limit, int max_step,
                                    const JpegChoices& choices) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  set_processes(info, choices);
  for (const int slot : {0, 1}) {
    std::array<unsigned, DCTSIZE2> steps{};
    std::generate(steps.begin(), steps.end(), [&] { return static_cast<unsigned>(random.between(1, max_step)); });
    jpeg_add_quant_table(&info, slot, steps.data(), 100, FALSE);
  }
  std::array<jvirt_barray_ptr, 3> arrays{};
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto [across, down] = blocks_of(info, info.comp_info[i]);
    arrays[i] = info.mem->request_virt_barray(reinterpret_cast<j_common_ptr>(&info), JPOOL_IMAGE, TRUE, across, down,
                                              static_cast<JDIMENSION>(info.comp_info[i].v_samp_factor));
  }
  jpeg_write_coefficients(&info, arrays.data());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto [across, down] = blocks_of(info, info.comp_info[i]);
    for (JDIMENSION row = 0; row < down; ++row) {
      JBLOCKARRAY const blocks =
          info.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&info), arrays[i], row, 1, TRUE);
      for (JCOEF& coefficient : std::span(&blocks[0][0][0], std::size_t{across} * DCTSIZE2)) {
        coefficient = static_cast<JCOEF>(random.below(3) == 0 ? random.between(-limit, limit) : 0);
      }
    }
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return taken(memory, size);
}

FileBytes make_jpeg(ConstView pixels, const JpegChoices& choices) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  info.image_width = static_cast<JDIMENSION>(pixels.width);
  info.image_height = static_cast<JDIMENSION>(pixels.height);
  info.input_components = pixels.format.channels;
  info.in_color_space = choices.as_cmyk || choices.as_ycck ? JCS_CMYK
                        : pixels.format.channels == 1      ? JCS_GRAYSCALE
                                                           : JCS_RGB;
  jpeg_set_defaults(&info);
  if (choices.as_rgb) {
    jpeg_set_colorspace(&info, JCS_RGB);
  }
  if (choices.as_ycck) {
    jpeg_set_colorspace(&info, JCS_YCCK);
  }
  if (!choices.adobe) {
    info.write_Adobe_marker = FALSE;
  }
  jpeg_set_quality(&info, choices.quality, TRUE);
  set_processes(info, choices);
  const std::vector<jpeg_scan_info> scans = scans_of(info, choices);
  if (!scans.empty()) {
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < pixels.height; ++y) {
    FileBytes row(pixels.row_bytes(y), pixels.row_bytes(y) + pixels.tight_pitch_bytes());
    auto* samples = reinterpret_cast<JSAMPROW>(row.data());
    jpeg_write_scanlines(&info, &samples, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return taken(memory, size);
}

Image read_with_libjpeg(std::span<const std::byte> bytes) {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  Image image(static_cast<int>(info.output_width), static_cast<int>(info.output_height),
              {Sample::u8, info.output_components});
  while (info.output_scanline < info.output_height) {
    auto* row = reinterpret_cast<JSAMPROW>(image.view().row_bytes(static_cast<int>(info.output_scanline)));
    jpeg_read_scanlines(&info, &row, 1);
  }
  const long warnings = errors.num_warnings;
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  if (warnings != 0) {
    throw std::runtime_error("libjpeg warned of the test's own file");
  }
  return image;
}

FileBytes exif_with(int orientation, bool big_endian) {
  FileBytes exif = bytes_of(big_endian ? "MM" : "II");
  const auto add = [&](std::uint32_t value, int bytes) {
    big_endian ? add_be(exif, value, bytes) : add_le(exif, value, bytes);
  };
  add(42, 2);
  add(8, 4);
  add(1, 2);
  add(0x0112, 2);
  add(3, 2);
  add(1, 4);
  add(static_cast<std::uint32_t>(orientation), 2);
  add(0, 2);
  add(0, 4);
  return exif;
}

FileBytes with_exif(const FileBytes& jpeg, const FileBytes& exif) {
  FileBytes file(jpeg.begin(), jpeg.begin() + 2);
  add_be(file, 0xFFE1, 2);
  add_be(file, static_cast<std::uint32_t>(exif.size() + 8), 2);
  add_text(file, "Exif");
  add_be(file, 0, 2);
  add_bytes(file, exif);
  add_bytes(file, std::span(jpeg).subspan(2));
  return file;
}

}  // namespace gpuimg::test
