// Calls libjpeg with its default error handler, which ends the program: all files made here are valid.
#include "support/jpeg_maker.hpp"

#include <cstddef>
#include <cstdio>
// clang-format off
#include <jpeglib.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstdlib>
#include <stdexcept>

namespace gpuimg::test {

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
  std::array<jpeg_scan_info, 4> scans{};
  if (choices.separate_scans) {
    for (int i = 0; i < info.num_components; ++i) {
      scans.at(static_cast<std::size_t>(i)) = {1, {i}, 0, DCTSIZE2 - 1, 0, 0};
    }
    info.scan_info = scans.data();
    info.num_scans = info.num_components;
  }
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < pixels.height; ++y) {
    FileBytes row(pixels.row_bytes(y), pixels.row_bytes(y) + pixels.tight_pitch_bytes());
    auto* samples = reinterpret_cast<JSAMPROW>(row.data());
    jpeg_write_scanlines(&info, &samples, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  FileBytes file(first, first + size);
  std::free(memory);
  return file;
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
