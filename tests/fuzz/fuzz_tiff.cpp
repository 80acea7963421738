// Fuzzes TIFF, page by page. A page must be decoded or rejected with an Error. The result must be the same twice, and
// also if the page is read in bands of rows. Its declared size must be its decoded size, and the page must survive
// writing and reading.
#include <algorithm>
#include <optional>

#include "codecs/codec.hpp"
#include "codecs/image_reader.hpp"
#include "codecs/image_writer.hpp"
#include "codecs/metadata/metadata.hpp"
#include "fuzz/finding.hpp"
#include "fuzz/fuzz_input.hpp"
#include "gpuimg/error.hpp"
#include "support/row_paths.hpp"

namespace {

using namespace gpuimg::codecs;
using gpuimg::fuzz::demand;
using gpuimg::fuzz::same_image;

constexpr std::uint32_t kMaxPages = 4;
const std::string kName = "fuzzed.tif";

struct Outcome {
  std::optional<DecodedImage> decoded;
  std::string rejection;
};

template <class Decode>
Outcome outcome_of(const Decode& decode) {
  try {
    return {decode(), {}};
  } catch (const gpuimg::Error& error) {
    return {std::nullopt, error.what()};
  }
}

void check_written(DecodedImage page) {
  WriteOptions options;
  options.metadata = carried_metadata(std::move(page.metadata), FileFormat::tiff, page.image.format()).metadata;
  const auto file = encode_image(page.image.view(), FileFormat::tiff, kName, options);
  const DecodedImage back = decode_image(file, kName, {.auto_orient = false, .threads = 1});
  demand(same_image(page.image.view(), back.image.view()), "what was written is read differently");
  demand(back.notes.empty(), "what was written has notes");
}

void check_page(std::span<const std::byte> file, PageRef page) {
  const gpuimg::RandomAccess content = gpuimg::in_memory(file);
  const PagedReading& paged = *codec_of(FileFormat::tiff).paged;
  const ReadOptions options{.max_pixels = 1 << 20, .auto_orient = false, .page = page, .threads = 1};
  const auto read = [&] { return paged.decode(content, kName, options); };
  Outcome first = outcome_of(read);
  const Outcome second = outcome_of(read);
  demand(first.rejection == second.rejection, "the second rejection differs");
  const std::string of_rows = gpuimg::test::compare_row_paths(file, kName, options, {3, 64}).difference;
  demand(of_rows.empty(), of_rows.c_str());
  if (first.decoded) {
    const gpuimg::ConstView pixels = first.decoded->image.view();
    demand(same_image(pixels, second.decoded->image.view()), "the second decoding gives other pixels");
    demand(paged.declared(content, kName, page).pixels() == pixels.pixel_count(),
           "the size differs from the declared one");
    check_written(std::move(*first.decoded));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = std::as_bytes(std::span(data, size));
  const Codec& tiff = codec_of(FileFormat::tiff);
  if (!tiff.recognizes(file, kName)) {
    return 0;
  }
  const PageList pages = tiff.paged->pages(gpuimg::in_memory(file));
  demand(pages.count() > 0, "there is no first page");
  demand(pages.lost.empty() || !pages.damage.empty(), "pages are lost without damage");
  check_page(file, {});
  for (std::uint32_t page = 1; page <= std::min(pages.count(), kMaxPages); ++page) {
    check_page(file, {page});
    check_page(file, {page, pages.places[page - 1]});
  }
  return 0;
}
