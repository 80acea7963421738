// Builds the messages for rejected inputs, and checks declared sizes.
#include "codecs/rejections.hpp"

#include <fmt/format.h>

#include <limits>

#include "codecs/codec.hpp"

namespace gpuimg::codecs {

std::string readable_formats() {
  std::string list;
  for (const Codec& codec : codecs()) {
    const bool is_first = &codec == &codecs().front();
    const bool is_last = &codec == &codecs().back();
    list += fmt::format("{}{}", is_first ? "" : is_last ? " and " : ", ", codec.name);
  }
  return "gpuimg reads 8- and 16-bit " + list;
}

void reject_damaged(std::string_view name, std::string_view why) {
  throw Error(ErrorKind::decode, fmt::format("{}: file is damaged: {}; download or copy it again", name, why));
}

void reject_truncated(std::string_view name) {
  throw TruncatedFile(
      fmt::format("{}: file is truncated: it ends before the image does; download or copy it again", name));
}

void reject_unsupported(std::string_view name, std::string_view what) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: {} is not supported; {}", name, what, readable_formats()));
}

void reject_unsupported(std::string_view name, std::string_view what, std::string_view command) {
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {} is not supported; convert it, for example with: {}", name, what, command));
}

void check_size(std::string_view name, std::uint64_t width, std::uint64_t height, std::uint64_t max_pixels) {
  if (width == 0 || height == 0) {
    reject_damaged(name, fmt::format("it declares {}x{} pixels", width, height));
  }
  constexpr std::uint64_t kMaxSide = std::numeric_limits<int>::max();
  if (width > kMaxSide || height > kMaxSide) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: declares {}x{} pixels, more than {} a side; use a smaller image", name, width, height,
                            kMaxSide));
  }
  if (width * height > max_pixels) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: declares {}x{} pixels, more than the limit of {}; raise it with --max-pixels if you "
                            "trust the file",
                            name, width, height, max_pixels));
  }
}

void check_page(std::string_view name, PageRef page, const PageList& pages) {
  if (page.number <= pages.count()) {
    return;
  }
  // If the first page cannot be read, no later page is known, so the first page's damage is the reason.
  const std::string& lost = pages.count() == 1 ? pages.damage : pages.lost;
  if (!lost.empty()) {
    reject_lost_pages(name, lost);
  }
  throw Error(ErrorKind::usage, fmt::format("{}: the file has only {} page{}; choose another --page", name,
                                            pages.count(), pages.count() == 1 ? "" : "s"));
}

void check_only_page(std::string_view name, PageRef page) { check_page(name, page, {{0}, {}, {}}); }

void reject_lost_pages(std::string_view name, std::string_view why) {
  reject_damaged(name, fmt::format("{}, so this page and all later pages are lost", why));
}

void check_coverage(std::string_view name, std::uint64_t pixels, std::uint64_t covered, const ReadOptions& options) {
  constexpr std::uint64_t kMinShare = 16;
  if (pixels > options.max_sparse_pixels && covered < pixels / kMinShare) {
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: declares {} pixels, but its data covers at most {}; if you trust the file, use "
                            "--max-pixels {}",
                            name, pixels, covered, pixels));
  }
}

}  // namespace gpuimg::codecs
