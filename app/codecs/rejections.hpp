// Errors for rejected inputs. All readers use one pattern: "name: why; what to do".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codecs/byte_fields.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

struct PageList;
struct PageRef;
struct ReadOptions;

/// A list of the formats that gpuimg reads, to end a message.
std::string readable_formats();

/// Throws Error{decode}: the content is inconsistent. `why` is a clause, for example "the palette is missing".
/// `name` is printable.
[[noreturn]] void reject_damaged(std::string_view name, std::string_view why);

/// Error{decode}: the file ends before the image does. A caller that has read only a prefix should read more and retry.
class TruncatedFile : public Error {
 public:
  explicit TruncatedFile(const std::string& message) : Error(ErrorKind::decode, message) {}
};

/// Throws TruncatedFile.
[[noreturn]] void reject_truncated(std::string_view name);

/// Rejects a file of fewer than `size` bytes as truncated.
inline void require_bytes(ByteSpan bytes, std::size_t size, std::string_view name) {
  if (bytes.size() < size) {
    reject_truncated(name);
  }
}

/// Throws Error{unsupported}. `what` names a valid format or feature, for example "TIFF" or "lossless JPEG".
[[noreturn]] void reject_unsupported(std::string_view name, std::string_view what);

/// Like above, but the message advises a command that converts the file, instead of listing the readable formats.
[[noreturn]] void reject_unsupported(std::string_view name, std::string_view what, std::string_view command);

/// Throws Error{decode} for a size of 0, and Error{unsupported} for more pixels than max_pixels or than an
/// Image can hold.
void check_size(std::string_view name, std::uint64_t width, std::uint64_t height, std::uint64_t max_pixels);

/// Throws Error{usage} if the file does not have this page. If it may be one of the lost pages, throws as
/// reject_lost_pages does. `name` includes the page. Page 0 means the first page.
void check_page(std::string_view name, PageRef page, const PageList& pages);

/// Like check_page, for a file of one image.
void check_only_page(std::string_view name, PageRef page);

/// Throws Error{decode} for pages that cannot be found: the first such page and all after it. `why`: PageList::lost.
[[noreturn]] void reject_lost_pages(std::string_view name, std::string_view why);

/// For formats whose data need not cover the image: throws Error{unsupported} for more than
/// options.max_sparse_pixels if the data cover less than a sixteenth of them.
void check_coverage(std::string_view name, std::uint64_t pixels, std::uint64_t covered, const ReadOptions& options);

}  // namespace gpuimg::codecs
