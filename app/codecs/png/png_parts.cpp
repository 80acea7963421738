// Parts inflated ahead, by any thread, and joined in order: app/codecs/png/png_parts.hpp.
#include "codecs/png/png_parts.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "codecs/deflate/speculative_inflate.hpp"
#include "codecs/png/png_row_inflater.hpp"

namespace gpuimg {
namespace {

constexpr std::size_t kWindow = Inflater::kWindow;

std::size_t filtered_bytes(const PlainPng& png) { return (png.row_bytes() + 1) * static_cast<std::size_t>(png.height); }

/// Puts parts behind one another, and inflates itself what lies between them or was not sound.
class PartJoiner {
 public:
  PartJoiner(const PlainPng& png, PngRowFinisher& finisher)
      : finisher_(finisher),
        inflater_(png.image_data),
        longest_tail_(longest_tail(png)),
        bytes_left_(filtered_bytes(png)),
        before_(std::max(kWindow, finisher.room())),
        memory_(new std::uint8_t[before_ + PngRowInflater::kBlockBytes + Inflater::kOvershoot]) {}

  /// The next part, and the bit of the stream from which on the one behind it was looked for.
  void join(InflateAhead* part, std::uint64_t end) {
    if (part != nullptr && part->is_sound()) {
      inflate_up_to(part->begin());
      if (is_sound_ && inflater_.is_paused() && inflater_.position() == part->begin() && known_ == kWindow) {
        hand_over(part->resolve(window_));
        data_end_ = part->data_end();
        inflater_.move_to(part->end(), part->holds_last_block());
      }
    }
    inflate_up_to(end);
  }

  /// After the last part.
  [[nodiscard]] bool is_whole() const {
    return is_sound_ && bytes_left_ == 0 && inflater_.has_ended() &&
           inflater_.position() - data_end_ <= longest_tail_ && inflater_.declared_adler() == finisher_.adler();
  }
  [[nodiscard]] bool is_sound() const { return is_sound_; }

 private:
  void inflate_up_to(std::uint64_t position) {
    inflater_.pause_at(position);
    std::uint8_t* const begin = memory_.get() + before_;
    while (is_sound_ && !inflater_.is_paused() && !inflater_.has_ended()) {
      std::copy_n(window_.end() - static_cast<std::ptrdiff_t>(known_), known_, begin - known_);
      // To see the end of the stream, the last run must ask for more than there is.
      const std::size_t wanted = std::clamp<std::size_t>(bytes_left_, 1, PngRowInflater::kBlockBytes);
      const std::uint8_t* const reached = inflater_.run(begin - known_, begin, begin + wanted);
      if (reached == nullptr) {
        is_sound_ = false;
        return;
      }
      data_end_ = reached > begin ? inflater_.position() : data_end_;
      hand_over({begin, static_cast<std::size_t>(reached - begin)});
    }
  }

  void hand_over(std::span<std::uint8_t> bytes) {
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
    finisher_.take_bytes(bytes.data(), bytes.size());
    is_sound_ = finisher_.is_sound();
  }

  PngRowFinisher& finisher_;
  Inflater inflater_;
  std::uint64_t longest_tail_;
  std::uint64_t data_end_ = 0;  // the bit behind the last byte so far
  std::size_t bytes_left_;
  std::size_t before_;
  std::unique_ptr<std::uint8_t[]> memory_;
  InflateAhead::Window window_;
  std::size_t known_ = 0;
  std::atomic<bool> is_sound_ = true;  // looked at while parts are joined
};

/// A part on its way from one thread to another.
struct Part {
  InflateAhead* inflated = nullptr;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class PartReader {
 public:
  PartReader(const PlainPng& png, const PngParts& parts, PngRowFinisher& finisher)
      : png_(png),
        parts_(parts),
        deflated_bytes_(png.deflated_bytes()),
        room_(finisher.room()),
        ahead_(static_cast<std::size_t>(parts.threads) + 1),
        joiner_(png, finisher) {}

  bool run() {
    const auto take = [&](tbb::flow_control& flow) {
      if (next_byte_ >= deflated_bytes_ || !joiner_.is_sound()) {
        flow.stop();
        return Part{};
      }
      return next();
    };
    const auto inflate = [&](Part part) {
      if (part.begin > 0) {  // in front of the first nothing is missing, and nothing can be taken ahead of it
        part.inflated->run(part.begin, part.end);
      }
      return part;
    };
    const auto join = [&](Part part) { this->join(part); };
    tbb::task_arena(parts_.threads).execute([&] {
      tbb::parallel_pipeline(ahead_.size(), tbb::make_filter<void, Part>(tbb::filter_mode::serial_in_order, take) &
                                                tbb::make_filter<Part, Part>(tbb::filter_mode::parallel, inflate) &
                                                tbb::make_filter<Part, void>(tbb::filter_mode::serial_in_order, join));
    });
    return joiner_.is_whole();
  }

 private:
  Part next() {
    std::unique_ptr<InflateAhead>& inflated = ahead_[number_++ % ahead_.size()];
    if (inflated == nullptr) {
      inflated = std::make_unique<InflateAhead>(png_.image_data, room_, parts_.capacity);
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

  const PlainPng& png_;
  const PngParts& parts_;
  std::size_t deflated_bytes_;
  std::size_t room_;
  std::vector<std::unique_ptr<InflateAhead>> ahead_;  // as many as are on their way, used by turns
  PartJoiner joiner_;
  std::size_t next_byte_ = 0;
  std::size_t number_ = 0;
};

}  // namespace

PngParts PngParts::of(const PlainPng& png, int threads) {
  constexpr std::size_t kWanted = std::size_t{2} << 20;  // bytes of rows in a part
  constexpr std::size_t kFewestParts = 3;
  constexpr std::size_t kLongestRow = std::size_t{128} << 10;
  constexpr int kMostThreads = 6;       // the filters are undone by one alone
  constexpr std::size_t kMostGain = 4;  // drawings deflate better, and repeat what they repeat for ever
  const std::size_t filtered = filtered_bytes(png);
  const std::size_t deflated = png.deflated_bytes();
  if (threads < 2 || filtered < kFewestParts * kWanted || png.row_bytes() > kLongestRow ||
      filtered / kMostGain > deflated) {
    return {};
  }
  // In the middle it is seen whether there are blocks to begin at, and whether most of a part would be bytes.
  InflateAhead probe(png.image_data, 0, kWanted / 2);
  if (!probe.settles(deflated / 2)) {
    return {};
  }
  const std::size_t part_count = filtered / kWanted;
  return {deflated / part_count + 1, 2 * kWanted,
          static_cast<int>(std::min(part_count, static_cast<std::size_t>(std::min(threads, kMostThreads))))};
}

bool read_in_parts(const PlainPng& png, const PngParts& parts, PngRowFinisher& finisher) {
  return PartReader(png, parts, finisher).run();
}

}  // namespace gpuimg
