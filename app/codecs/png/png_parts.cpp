// Parts are inflated speculatively on any thread and joined in order.
#include "codecs/png/png_parts.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "codecs/codec_arena.hpp"
#include "codecs/deflate/speculative_inflate.hpp"
#include "codecs/png/png_row_inflater.hpp"

namespace gpuimg::codecs {
namespace {

constexpr std::size_t kWindow = Inflater::kWindow;

std::size_t filtered_bytes(const SimplePng& png) {
  return (png.row_bytes() + 1) * static_cast<std::size_t>(png.height);
}

/// Joins parts in order; inflates the gaps between them, and parts that turned out unusable, itself.
class PartJoiner {
 public:
  PartJoiner(const SimplePng& png, PngRowSink& sink)
      : sink_(sink),
        inflater_(png.image_data),
        max_tail_bits_(max_tail_bits(png)),
        bytes_left_(filtered_bytes(png)),
        before_(std::max(kWindow, sink.room())),
        memory_(new std::uint8_t[before_ + PngRowInflater::kBlockBytes + Inflater::kOvershoot]) {}

  /// Joins the next part. `end` is the bit at which the search for the part after it started.
  void join(SpeculativeInflater* part, std::uint64_t end) {
    if (part != nullptr && part->is_sound()) {
      inflate_up_to(part->begin());
      if (is_sound_ && inflater_.is_paused() && inflater_.position() == part->begin() && known_ == kWindow) {
        emit(part->resolve(window_));
        data_end_ = part->data_end();
        inflater_.move_to(part->end(), part->holds_last_block());
      }
    }
    inflate_up_to(end);
  }

  /// After the last part.
  [[nodiscard]] bool is_whole() const {
    return is_sound_ && bytes_left_ == 0 && inflater_.has_ended() &&
           inflater_.position() - data_end_ <= max_tail_bits_ && inflater_.declared_adler() == sink_.adler();
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }

 private:
  void inflate_up_to(std::uint64_t position) {
    inflater_.pause_at(position);
    std::uint8_t* const begin = memory_.get() + before_;
    while (is_sound_ && !inflater_.is_paused() && !inflater_.has_ended()) {
      std::copy_n(window_.end() - static_cast<std::ptrdiff_t>(known_), known_, begin - known_);
      // To reach the end of the stream, the last run must ask for more than is left.
      const std::size_t wanted = std::clamp<std::size_t>(bytes_left_, 1, PngRowInflater::kBlockBytes);
      const std::uint8_t* const reached = inflater_.run(begin - known_, begin, begin + wanted);
      if (reached == nullptr) {
        is_sound_ = false;
        return;
      }
      data_end_ = reached > begin ? inflater_.position() : data_end_;
      emit({begin, static_cast<std::size_t>(reached - begin)});
    }
  }

  void emit(std::span<std::uint8_t> bytes) {
    if (bytes.size() > bytes_left_) {
      is_sound_ = false;
      return;
    }
    bytes_left_ -= bytes.size();
    const std::size_t kept = std::min(bytes.size(), kWindow);
    std::copy(window_.begin() + static_cast<std::ptrdiff_t>(kept), window_.end(), window_.begin());
    std::copy(bytes.end() - static_cast<std::ptrdiff_t>(kept), bytes.end(),
              window_.end() - static_cast<std::ptrdiff_t>(kept));
    known_ = std::min(kWindow, known_ + bytes.size());
    sink_.take_bytes(bytes.data(), bytes.size());
    is_sound_ = sink_.is_sound();
  }

  PngRowSink& sink_;
  Inflater inflater_;
  std::uint64_t max_tail_bits_;
  std::uint64_t data_end_ = 0;  // the bit after the last byte of output so far
  std::size_t bytes_left_;
  std::size_t before_;
  std::unique_ptr<std::uint8_t[]> memory_;
  SpeculativeInflater::Window window_;
  std::size_t known_ = 0;
  std::atomic<bool> is_sound_ = true;  // also read by the thread that hands out parts
};

/// A part on its way through the pipeline.
struct Part {
  SpeculativeInflater* inflated = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class PartReader {
 public:
  PartReader(const SimplePng& png, const PngParts& parts, PngRowSink& sink, const CheckPngData& check)
      : png_(png),
        parts_(parts),
        check_(check),
        deflated_bytes_(png.deflated_bytes()),
        room_(sink.room()),
        ahead_(static_cast<std::size_t>(parts.threads) + 1),
        joiner_(png, sink) {}

  bool run() {
    const auto take = [&](tbb::flow_control& flow) {
      if (next_byte_ >= deflated_bytes_ || !joiner_.is_sound() || !is_right_) {
        flow.stop();
        return Part{};
      }
      const Part part = next();
      is_right_ = check_(part.end);
      return part;
    };
    const auto inflate = [&](Part part) {
      if (part.begin > 0) {  // the first part has no unknown window; the joiner inflates it
        part.inflated->run(part.begin, part.end);
      }
      return part;
    };
    const auto join = [&](Part part) { this->join(part); };
    CodecArena(parts_.threads).execute([&] {
      tbb::parallel_pipeline(ahead_.size(), tbb::make_filter<void, Part>(tbb::filter_mode::serial_in_order, take) &
                                                tbb::make_filter<Part, Part>(tbb::filter_mode::parallel, inflate) &
                                                tbb::make_filter<Part, void>(tbb::filter_mode::serial_in_order, join));
    });
    return is_right_ && joiner_.is_whole();
  }

 private:
  Part next() {
    std::unique_ptr<SpeculativeInflater>& inflated = ahead_[number_++ % ahead_.size()];
    if (inflated == nullptr) {
      inflated = std::make_unique<SpeculativeInflater>(png_.image_data, room_, parts_.capacity);
    }
    const std::size_t begin = next_byte_;
    next_byte_ = std::min(begin + parts_.part_bytes, deflated_bytes_);
    return {inflated.get(), begin, next_byte_};
  }

  void join(const Part& part) {
    const bool is_last = part.end == deflated_bytes_;
    joiner_.join(part.begin > 0 ? part.inflated : nullptr,
                 is_last ? std::numeric_limits<std::uint64_t>::max() : 8 * std::uint64_t{part.end});
  }

  const SimplePng& png_;
  const PngParts& parts_;
  const CheckPngData& check_;
  std::size_t deflated_bytes_;
  std::size_t room_;
  std::vector<std::unique_ptr<SpeculativeInflater>> ahead_;  // one per part in the pipeline, reused in turn
  PartJoiner joiner_;
  std::size_t next_byte_ = 0;
  bool is_right_ = true;
  std::size_t number_ = 0;
};

}  // namespace

PngParts PngParts::of(const SimplePng& png, int threads) {
  constexpr std::size_t kPartRowBytes = std::size_t{1} << 20;  // wanted output of a part
  constexpr std::size_t kMinParts = 6;
  constexpr std::size_t kMaxRowBytes = std::size_t{128} << 10;
  constexpr int kMaxThreads = 6;        // more only wait for the one thread that unfilters
  constexpr std::size_t kMaxRatio = 4;  // drawings compress better, and their matches keep placeholders alive
  const std::size_t filtered = filtered_bytes(png);
  const std::size_t deflated = png.deflated_bytes();
  if (threads < 2 || filtered < kMinParts * kPartRowBytes || png.row_bytes() > kMaxRowBytes ||
      filtered / kMaxRatio > deflated) {
    return {};
  }
  // Probes the middle of the data: are there blocks to start at, and would most of a part become bytes?
  SpeculativeInflater probe(png.image_data, 0, kPartRowBytes / 2);
  if (!probe.settles(deflated / 2)) {
    return {};
  }
  const std::size_t part_count = filtered / kPartRowBytes;
  return {deflated / part_count + 1, 2 * kPartRowBytes,
          static_cast<int>(std::min(part_count, static_cast<std::size_t>(std::min(threads, kMaxThreads))))};
}

bool read_in_parts(const SimplePng& png, const PngParts& parts, PngRowSink& sink, const CheckPngData& check) {
  return PartReader(png, parts, sink, check).run();
}

}  // namespace gpuimg::codecs
