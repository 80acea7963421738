// Writes directories one after the other, each followed by its values.
#include "support/metadata_maker.hpp"

namespace gpuimg::test {
namespace {

struct TiffBytes {
  bool is_big_endian = false;
  FileBytes bytes;

  void add(std::uint32_t value, int count) {
    is_big_endian ? add_be(bytes, value, count) : add_le(bytes, value, count);
  }

  void entry(std::uint32_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value, int value_bytes = 4) {
    add(tag, 2);
    add(type, 2);
    add(count, 4);
    add(value, value_bytes);
    bytes.resize(bytes.size() + 4 - static_cast<std::size_t>(value_bytes));
  }
};

}  // namespace

FileBytes rich_exif(const ExifChoices& choices) {
  TiffBytes exif{choices.is_big_endian, bytes_of(choices.is_big_endian ? "MM" : "II")};
  exif.add(42, 2);
  exif.add(8, 4);
  const std::uint32_t main_values = 8 + 2 + 5 * 12 + 4;  // the offset of the main directory's values
  const std::uint32_t exif_at = main_values + 12;
  const std::uint32_t notes = choices.has_maker_note ? 1 : 0;
  const std::uint32_t exif_values = exif_at + 2 + (3 + notes) * 12 + 4;
  const std::uint32_t gps_at = exif_values + 8 + 12 + 8 * notes;
  const std::uint32_t thumbnail = gps_at + 2 + 2 * 12 + 4 + 24;
  exif.add(5, 2);
  exif.entry(271, 2, 12, main_values);  // make
  exif.entry(274, 3, 1, static_cast<std::uint32_t>(choices.orientation), 2);
  exif.entry(296, 3, 1, 2, 2);
  exif.entry(34665, 4, 1, exif_at);
  exif.entry(34853, 4, 1, gps_at);
  exif.add(choices.has_thumbnail ? thumbnail : 0, 4);
  add_text(exif.bytes, std::string_view("Camera Ltd.\0", 12));
  exif.add(3 + notes, 2);
  exif.entry(33434, 5, 1, exif_values);  // exposure time
  exif.entry(34855, 3, 2, 0, 0);         // ISO speed: two numbers in the entry itself
  exif.bytes.resize(exif.bytes.size() - 4);
  exif.add(100, 2);
  exif.add(200, 2);
  if (choices.has_maker_note) {
    exif.entry(37500, 7, 8, exif_values + 20);
  }
  exif.entry(37510, 7, 12, exif_values + 8);  // comment
  exif.add(0, 4);
  exif.add(1, 4);
  exif.add(250, 4);
  add_text(exif.bytes, std::string_view("UNICODE\0", 8));
  exif.add('H', 2);
  exif.add('i', 2);
  if (choices.has_maker_note) {
    add_text(exif.bytes, "NoteNote");
  }
  exif.add(2, 2);
  exif.entry(1, 2, 2, 0, 0);  // latitude reference: north
  exif.bytes.resize(exif.bytes.size() - 4);
  add_text(exif.bytes, std::string_view("N\0\0\0", 4));
  exif.entry(2, 5, 3, gps_at + 2 + 2 * 12 + 4);
  exif.add(0, 4);
  for (const std::uint32_t number : {47U, 1U, 30U, 1U, 123U, 10U}) {
    exif.add(number, 4);
  }
  if (choices.has_thumbnail) {
    exif.add(1, 2);
    exif.entry(259, 3, 1, 6, 2);
    exif.add(0, 4);
  }
  return exif.bytes;
}

}  // namespace gpuimg::test
