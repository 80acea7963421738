// Each part has coefficients of its own, with the MCU rows above and below it, from which its chroma is upsampled.
#include "codecs/jpeg/jpeg_parts.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

/// One thread decodes the codes, a fourth to a half of the work for most photographs. More threads would wait for it.
constexpr int kMaxThreads = 4;

struct Part {
  int first = 0;
  int end = 0;
  JpegCoefficientRows* rows = nullptr;
};

std::vector<Part> parts_between(std::span<const int> cuts, int height, int rows_of_blocks) {
  std::vector<Part> parts = {{0, height}};
  for (const int cut : cuts) {
    const int row = cut - cut % rows_of_blocks;
    if (row > parts.back().first && row < height) {
      parts.back().end = row;
      parts.push_back({row, height});
    }
  }
  return parts;
}

class JpegParts {
 public:
  JpegParts(const JpegFile& file, const JpegScript& script, std::span<const int> cuts, const JpegPartReading& reading)
      : file_(file),
        reading_(reading),
        stored_(file.stored != nullptr ? *file.stored : in_memory(file.bytes)),
        whole_(file),
        rows_of_mcu_(DCTSIZE * whole_.info().max_v_samp_factor),
        mcu_rows_(static_cast<int>(whole_.info().total_iMCU_rows)),
        parts_(parts_between(cuts, file.height(), rows_of_mcu_)),
        codes_(script, 0, codes_of(script), whole_.info(), script.scans.front().components) {}

  bool run() {
    const int threads = std::min({reading_.threads, kMaxThreads, static_cast<int>(parts_.size())});
    make_rows(threads > 1 ? threads + 1 : 1);
    if (threads > 1) {
      run_pipeline(threads);
    } else {
      while (Part* const part = next()) {
        read(*part);
        finish(*part);
      }
    }
    return is_sound_;
  }

 private:
  JpegCodeBits codes_of(const JpegScript& script) {
    const std::byte* const codes = script.scans.front().codes.data();
    return {stored_, static_cast<std::uint64_t>(codes - file_.bytes.data())};
  }

  [[nodiscard]] int above(const Part& part) const { return std::max(part.first / rows_of_mcu_ - 1, 0); }
  [[nodiscard]] int below(const Part& part) const { return std::min(mcu_row_after(part) + 1, mcu_rows_); }
  [[nodiscard]] int mcu_row_after(const Part& part) const { return (part.end + rows_of_mcu_ - 1) / rows_of_mcu_; }

  void make_rows(int count) {
    int kept = 1;
    for (const Part& part : parts_) {
      kept = std::max(kept, below(part) - above(part));
    }
    for (int i = 0; i < count; ++i) {
      rows_.push_back(std::make_unique<JpegCoefficientRows>(whole_.info(), kept));
      free_.push_back(rows_.back().get());
    }
  }

  void run_pipeline(int threads) {
    const auto decode = [&](tbb::flow_control& flow) {
      Part* const part = next();
      if (part == nullptr) {
        flow.stop();
      }
      return part;
    };
    const auto make = [&](Part* part) {
      read(*part);
      return part;
    };
    using tbb::filter_mode;
    CodecArena(threads).execute([&] {
      tbb::parallel_pipeline(rows_.size(), tbb::make_filter<void, Part*>(filter_mode::serial_in_order, decode) &
                                               tbb::make_filter<Part*, Part*>(filter_mode::parallel, make) &
                                               tbb::make_filter<Part*, void>(filter_mode::serial_in_order,
                                                                             [&](const Part* part) { finish(*part); }));
    });
  }

  /// Decodes the codes of the next part. Null after the last one, or if the file is not sound.
  Part* next() {
    if (!is_sound_ || next_ == parts_.size()) {
      return nullptr;
    }
    Part& part = parts_[next_];
    part.rows = take_rows();
    for (int row = above(part); row < decoded_; ++row) {
      part.rows->copy(*parts_[next_ - 1].rows, row);
    }
    decoded_ = below(part);
    ++next_;
    if (!codes_.decode_to(decoded_, *part.rows)) {
      is_sound_ = false;
      return nullptr;
    }
    return &part;
  }

  void read(const Part& part) {
    if (is_sound_) {
      try {
        JpegCoefficientPixels pixels(file_, *part.rows, above(part), below(part));
        reading_.read(pixels, part.first, part.end);
      } catch (const Error&) {
        is_sound_ = false;
      }
    }
    const std::lock_guard lock(mutex_);
    free_.push_back(part.rows);  // unchanged until next() takes them, which may still copy from them
  }

  void finish(const Part& part) {
    if (is_sound_ && reading_.finish) {
      reading_.finish(part.first);
    }
  }

  JpegCoefficientRows* take_rows() {
    const std::lock_guard lock(mutex_);
    JpegCoefficientRows* const rows = free_.back();
    free_.pop_back();
    return rows;
  }

  const JpegFile& file_;
  const JpegPartReading& reading_;
  RandomAccess stored_;
  JpegCoefficientPixels whole_;  // makes no pixels: its header is that of the image
  int rows_of_mcu_;
  int mcu_rows_;
  std::vector<Part> parts_;
  JpegScanCodes codes_;
  std::size_t next_ = 0;
  int decoded_ = 0;  // MCU rows
  std::vector<std::unique_ptr<JpegCoefficientRows>> rows_;
  std::mutex mutex_;
  std::vector<JpegCoefficientRows*> free_;
  std::atomic<bool> is_sound_ = true;
};

}  // namespace

std::vector<int> jpeg_cuts(JpegRows& whole, int height) {
  constexpr std::size_t kPartBytes = std::size_t{3} << 19;
  constexpr std::size_t kMinRows = 3;
  const std::size_t rows = std::max(kMinRows, kPartBytes / whole.coefficient_bytes());
  std::vector<int> cuts;
  const std::int64_t step = static_cast<std::int64_t>(rows) * whole.rows_of_blocks();
  for (std::int64_t cut = step; cut < height; cut += step) {
    cuts.push_back(static_cast<int>(cut));
  }
  return cuts;
}

bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, int threads, const View& pixels) {
  const auto read = [&](JpegCoefficientPixels& part, int first, int end) {
    View to = pixels;
    to.data = pixels.row_bytes(first);
    to.height = end - first;
    part.read_rows_to(end, to, first);
  };
  return read_jpeg_parts(file, cuts, {threads, read, nullptr});
}

bool read_jpeg_parts(const JpegFile& file, std::span<const int> cuts, const JpegPartReading& reading) {
  const std::optional<JpegScript> script = read_jpeg_only_scan(file.bytes);
  if (!script) {
    return false;
  }
  std::optional<JpegParts> parts;
  try {
    parts.emplace(file, *script, cuts, reading);
  } catch (const Error&) {
    return false;  // libjpeg refuses the header, or warns of it
  }
  return parts->run();
}

}  // namespace gpuimg::codecs
