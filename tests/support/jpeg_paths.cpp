// Decodes a JPEG in several ways and compares the results.
#include "support/jpeg_paths.hpp"

#include <algorithm>

#include "codecs/jpeg/jpeg.hpp"
#include "codecs/jpeg/jpeg_pipeline.hpp"
#include "codecs/rejections.hpp"

namespace gpuimg::test {

using namespace codecs;
using namespace codecs::jpeg;

namespace {

const std::string kName = "file";

struct Verdict {
  std::string rejection;  ///< empty if the file was read
  DecodedImage decoded;
};

Verdict read(std::span<const std::byte> file, const std::vector<int>& cuts, const ReadOptions& options) {
  Verdict verdict;
  try {
    verdict.decoded = read_jpeg_cut_at(cuts, file, kName, options);
  } catch (const Error& error) {
    verdict.rejection = error.what();
  }
  return verdict;
}

bool same_bytes(ConstView a, ConstView b) {
  return a.width == b.width && a.height == b.height && a.format == b.format &&
         std::memcmp(a.data, b.data, a.tight_pitch_bytes() * static_cast<std::size_t>(a.height)) == 0;
}

}  // namespace

std::string difference_of_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts,
                                     const ReadOptions& options) {
  const FileBytes exact(file.begin(), file.end());  // a sanitizer detects every read past the end
  const Verdict whole = read(exact, {}, options);
  const Verdict parts = read(exact, cuts, options);
  if (whole.rejection != parts.rejection) {
    return "one decoder: '" + whole.rejection + "', parts: '" + parts.rejection + "'";
  }
  if (!whole.rejection.empty()) {
    return "";
  }
  if (whole.decoded.notes != parts.decoded.notes) {
    return "other notes";
  }
  return same_bytes(whole.decoded.image.view(), parts.decoded.image.view()) ? "" : "other pixels";
}

std::optional<Image> read_in_jpeg_parts(std::span<const std::byte> file, const std::vector<int>& cuts, int threads) {
  const JpegHeader header = read_jpeg_header(file, kName);
  const JpegFile jpeg{file, header, kName};
  Image image(static_cast<int>(header.frame.width), jpeg.height(),
              {Sample::u8, header.frame.component_count == 1 ? 1 : 3});
  return read_jpeg_parts(jpeg, cuts, threads, image.view()) ? std::optional(std::move(image)) : std::nullopt;
}

namespace {

struct FromScans {
  Image image;
  std::shared_ptr<const JpegEncoding> encoding;
};

std::optional<FromScans> read_scans(std::span<const std::byte> file, const JpegPipelineChoices& choices) {
  const JpegHeader header = read_jpeg_header(file, kName);
  const std::optional<JpegScript> script = read_jpeg_script(file);
  if (!script) {
    return std::nullopt;
  }
  const JpegFile jpeg{file, header, kName};
  Image image(static_cast<int>(header.frame.width), jpeg.height(),
              {Sample::u8, header.frame.component_count == 1 ? 1 : 3});
  const std::optional<JpegPipelineResult> result = read_jpeg_scans(jpeg, *script, image.view(), choices);
  return result ? std::optional(FromScans{std::move(image), result->encoding}) : std::nullopt;
}

}  // namespace

std::optional<Image> read_in_jpeg_scans(std::span<const std::byte> file, const JpegPipelineChoices& choices) {
  std::optional<FromScans> read = read_scans(file, choices);
  return read ? std::optional(std::move(read->image)) : std::nullopt;
}

std::string difference_of_jpeg_scans(std::span<const std::byte> file, const JpegPipelineChoices& choices) {
  const FileBytes exact(file.begin(), file.end());  // a sanitizer detects every read past the end
  std::optional<FromScans> scans;
  bool is_rejected = false;
  try {
    const JpegHeader header = read_jpeg_header(exact, kName);
    constexpr std::uint64_t kMaxPixels = 1 << 22;
    if (header.frame.width * header.frame.height > kMaxPixels) {
      return "";  // the ordinary decoder would take long, too
    }
    check_size(kName, header.frame.width, header.frame.height, kMaxPixels);
    scans = read_scans(exact, choices);
  } catch (const Error&) {
    is_rejected = true;  // rejected before the first scan
  }
  const Verdict whole = read(exact, {}, {.threads = 1});
  if (is_rejected) {
    return whole.rejection.empty() ? "read only with one decoder" : "";
  }
  if (!scans) {
    return "";
  }
  if (!whole.rejection.empty()) {
    return "one decoder: '" + whole.rejection + "', by scans: read";
  }
  if (!same_bytes(whole.decoded.image.view(), scans->image.view())) {
    return "other pixels";
  }
  const auto* const encoding = dynamic_cast<const JpegEncoding*>(whole.decoded.source_encoding.get());
  const bool is_same = encoding == nullptr || scans->encoding == nullptr
                           ? encoding == scans->encoding.get()
                           : encoding->components == scans->encoding->components;
  return is_same ? "" : "another encoding";
}

}  // namespace gpuimg::test
