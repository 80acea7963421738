// NumPy arrays: images of every supported kind, in both byte orders, and arrays that are not images.
#include <array>

#include "support/catalogue/catalogue.hpp"
#include "support/catalogue/fixed_numbers.hpp"
#include "support/test_images.hpp"

namespace gpuimg::test {
namespace {

using Values = std::vector<std::uint32_t>;

constexpr int kWidth = 4;
constexpr int kHeight = 3;
constexpr std::size_t kCount = 12;

FileBytes header_of(const std::string& type, const std::string& shape, const std::string& is_fortran = "False") {
  std::string text = "{'descr': '" + type + "', 'fortran_order': " + is_fortran + ", 'shape': " + shape + ", }";
  text.append((64 - (text.size() + 11) % 64) % 64, ' ');
  text += '\n';
  FileBytes file = bytes_of(std::string_view("\x93NUMPY\1\0", 8));
  add_le(file, text.size(), 2);
  add_text(file, text);
  return file;
}

FileBytes array_of(const std::string& type, const std::string& shape, const Values& values) {
  FileBytes file = header_of(type, shape);
  for (const std::uint32_t value : values) {
    type == ">u2" ? add_be(file, value, 2) : add_le(file, value, type == "<u2" ? 2 : 1);
  }
  return file;
}

void add_images(Catalogue& to) {
  struct Kind {
    const char* type;
    const char* name;
    Sample sample;
  };
  constexpr std::array kKinds = {
      Kind{"|u1", "bytes", Sample::u8},
      Kind{"<u1", "bytes_little_endian", Sample::u8},
      Kind{"<u2", "shorts", Sample::u16},
      Kind{">u2", "shorts_big_endian", Sample::u16},
  };
  for (const Kind& kind : kKinds) {
    for (int channels = 1; channels <= 4; ++channels) {
      const PixelFormat format{kind.sample, channels};
      const auto per_pixel = static_cast<std::size_t>(channels);
      const Values values = FixedNumbers(7).values(kCount * per_pixel, format.max_value());
      const auto expected = [&] {
        return image_of_pixels(kWidth, kHeight, format, [&](std::size_t i) {
          const auto first = values.begin() + static_cast<std::ptrdiff_t>(i * per_pixel);
          return Values(first, first + channels);
        });
      };
      const std::string name = "npy_" + std::string(kind.name) + "_" + std::to_string(channels);
      const std::string shape = "(3, 4, " + std::to_string(channels) + ")";
      to.add_good(name + ".npy", array_of(kind.type, shape, values), expected());
      if (channels == 1) {
        to.add_good(name + "_flat.npy", array_of(kind.type, "(3, 4)", values), expected());
      }
      FileBytes shorter = array_of(kind.type, shape, values);
      shorter.pop_back();
      to.add_damaged(name + "_a_byte_short.npy", shorter, "fewer bytes");
    }
  }
}

void add_others(Catalogue& to) {
  const auto add_type = [&](const std::string& type, const std::string& name, const std::string& advice) {
    FileBytes file = header_of(type, "(3, 4)");
    file.resize(file.size() + 96);
    to.add_unsupported("npy_of_" + name + ".npy", file, advice);
  };
  add_type("<f4", "floats", "'<f4' (a table, not an image) is not supported; convert it");
  add_type("<f8", "doubles", "(numpy.load('in.npy') * 65535).astype('uint16')");
  add_type("<u4", "wide_sums", "numpy.load('in.npy').astype('uint16')");
  add_type("<u8", "wider_sums", "a table, not an image");
  add_type("<i4", "signed", "numpy.load('in.npy').astype('uint16')");
  add_type("|b1", "truth_values", "numpy.load('in.npy').astype('uint8') * 255");
  add_type("<c8", "complex", "npy of type '<c8' is not supported");
  const auto add_shape = [&](const std::string& shape, const std::string& name, const std::string& advice) {
    FileBytes file = header_of("|u1", shape);
    file.resize(file.size() + 60);
    to.add_unsupported("npy_of_" + name + ".npy", file, advice);
  };
  add_shape("()", "one_number", "numpy.atleast_2d(");
  add_shape("(60,)", "a_row", "numpy.atleast_2d(");
  add_shape("(3, 4, 5)", "planes", "numpy.moveaxis(numpy.load('in.npy'), 0, -1)");
  add_shape("(6, 2, 5)", "five_channels", "numpy.load('in.npy')[..., :3]");
  add_shape("(5, 2, 6)", "a_stack", "numpy.load('in.npy')[0]");
  add_shape("(5, 2, 2, 3)", "a_stack_of_colors", "numpy.load('in.npy')[0]");
  add_shape("(0, 4)", "no_rows", "gpuimg reads arrays of uint8 and uint16");
  add_shape("(40000, 40000)", "a_bomb", "--max-pixels");
  FileBytes columns = header_of("|u1", "(3, 4)", "True");
  columns.resize(columns.size() + kCount);
  to.add_unsupported("npy_in_fortran_order.npy", columns, "numpy.ascontiguousarray(numpy.load('in.npy'))");
  to.add_damaged("npy_of_a_header_alone.npy", header_of("<u2", "(30000, 30000)"), "fewer bytes");
  to.add_damaged("npy_without_shape.npy", header_of("|u1", "None"), "its header");
}

}  // namespace

void add_npys(Catalogue& to) {
  add_images(to);
  add_others(to);
}

}  // namespace gpuimg::test
