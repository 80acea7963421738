// Pictures whose pixels are in host memory or in a file, cut into strips of whole rows that are uploaded to a backend.
// docs/decisions/0022-bands-of-rows.md.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

#include "codecs/row_reader.hpp"
#include "engine/phase_times.hpp"
#include "gpuimg/backend.hpp"

namespace gpuimg {

/// Thrown if the strips of a file are void (RowReader::read): the file must be decoded whole.
class VoidStrips : public std::exception {};

/// The pixels of a file, for operations of a StripedBackend alone.
Picture picture_of(std::shared_ptr<codecs::RowReader> rows);

/// Pixels in host memory.
Picture picture_of(Image image);
Image& image_of(const Picture& picture);

/// Rows [begin, end) of an image.
template <class Byte>
BasicView<Byte> rows_of(BasicView<Byte> pixels, int begin, int end) {
  pixels.data = pixels.row_bytes(begin);
  pixels.height = end - begin;
  return pixels;
}
void copy_rows(ConstView from, View to, int first_row);

/// Rows [begin, end) of a picture; the mask of its Selection is on the backend.
struct Strip {
  int begin;
  int end;
  int halo_above;          ///< rows of `picture` above `begin`; fewer than asked for at the top of the image
  const Picture& picture;  ///< on the backend: the strip's rows, and its halo
  Selection selection;     ///< of the strip
  bool is_selected;        ///< the region intersects the strip
};

/// How large strips are.
struct StripMemory {
  StripMemory(std::size_t most) : StripMemory(most, most) {}
  StripMemory(std::size_t most, std::size_t most_with_halo) : usual(most), with_halo(most_with_halo) {}

  std::size_t usual;      ///< most bytes of a strip's input and output; but a strip has at least one row
  std::size_t with_halo;  ///< the same if it has halo rows, which are read again with the next strip
};

struct StripNeeds {
  std::size_t bytes_per_pixel = 0;  ///< of the backend's memory, besides the input and its mask
  int halo_rows = 0;
  codecs::RowReader::Order order = codecs::RowReader::Order::top_down;  ///< of strips without halo
};

/// Calls `visit` for each strip. `selection.mask` is a Picture in host memory. A file's strips come on its decoder's
/// threads, one at a time. With `times`, uploads count there. Throws VoidStrips.
void for_strips(Backend& backend, const Picture& picture, const Selection& selection, const StripMemory& memory,
                const StripNeeds& needs, PhaseTimes* times, const std::function<void(const Strip& strip)>& visit);

}  // namespace gpuimg
