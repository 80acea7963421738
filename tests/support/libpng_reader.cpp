// Collects everything that libpng reports.
#include "support/libpng_reader.hpp"

#include <png.h>

#include <csetjmp>
#include <cstring>

namespace gpuimg::test {
namespace {

struct Source {
  std::span<const std::byte> rest;
  std::string* complaints;
};

void read_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (source->rest.size() < count) {
    png_error(png, "read past the end");
  }
  std::memcpy(out, source->rest.data(), count);
  source->rest = source->rest.subspan(count);
}

void note(png_structp png, png_const_charp message) {
  *static_cast<std::string*>(png_get_error_ptr(png)) += std::string(message) + "\n";
}

[[noreturn]] void note_and_leave(png_structp png, png_const_charp message) {
  note(png, message);
  png_longjmp(png, 1);
}

/// Not inlined: the function to which libpng jumps back must not contain the variables of this one.
[[gnu::noinline]] void read_rows(png_structp png, png_infop info, Image& image, std::vector<png_bytep>& rows) {
  png_read_info(png, info);
  if (png_get_bit_depth(png, info) == 16) {
    png_set_swap(png);
  }
  png_read_update_info(png, info);
  const PixelFormat format{png_get_bit_depth(png, info) == 16 ? Sample::u16 : Sample::u8, png_get_channels(png, info)};
  image = Image(static_cast<int>(png_get_image_width(png, info)), static_cast<int>(png_get_image_height(png, info)),
                format);
  rows.resize(static_cast<std::size_t>(image.height()));
  for (int y = 0; y < image.height(); ++y) {
    rows[static_cast<std::size_t>(y)] = image.view().row<png_byte>(y);
  }
  png_read_image(png, rows.data());
  png_read_end(png, info);
}

}  // namespace

LibpngResult read_with_libpng(std::span<const std::byte> bytes) {
  LibpngResult result;
  Source source{bytes, &result.complaints};
  std::vector<png_bytep> rows;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &result.complaints, note_and_leave, note);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_read_struct(&png, &info, nullptr);
    result.image = Image();
    return result;
  }
  png_set_user_limits(png, 0x7FFFFFFF, 0x7FFFFFFF);
  png_set_benign_errors(png, 0);
  png_set_read_fn(png, &source, read_bytes);
  read_rows(png, info, result.image, rows);
  png_textp entries = nullptr;
  int count = 0;
  png_get_text(png, info, &entries, &count);
  for (int i = 0; i < count; ++i) {
    result.text.emplace_back(entries[i].key, std::string(entries[i].text, entries[i].text_length));
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (!source.rest.empty()) {
    result.complaints += "bytes after IEND\n";
  }
  return result;
}

}  // namespace gpuimg::test
