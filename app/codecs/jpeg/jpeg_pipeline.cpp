// Keeps only the coefficient rows of a few parts (or of a few steps of the stages) in memory, so that they stay in the
// processor's cache.
#include "codecs/jpeg/jpeg_pipeline.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs::jpeg {
namespace {

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

/// The parts of an image. Each part has its own coefficients, including the MCU rows directly above and below it.
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
    const int threads = std::min({reading_.threads, kMaxJpegPartThreads, static_cast<int>(parts_.size())});
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

  /// Decodes the codes of the next part. Returns null after the last part, or if the file has a defect.
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
    free_.push_back(part.rows);  // next() may still copy from these rows until it reuses them
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
  JpegCoefficientPixels whole_;  // used only for its header; makes no pixels
  int rows_of_mcu_;
  int mcu_rows_;
  std::vector<Part> parts_;
  JpegScanCodes codes_;
  std::size_t next_ = 0;
  int decoded_ = 0;  // number of decoded MCU rows
  std::vector<std::unique_ptr<JpegCoefficientRows>> rows_;
  std::mutex mutex_;
  std::vector<JpegCoefficientRows*> free_;
  std::atomic<bool> is_sound_ = true;
};

/// Number of steps whose rows are in memory. Three are the minimum; more steps keep the slowest stage from waiting.
constexpr int kKeptSteps = 8;

/// Number of steps in a band, the unit that a sink takes; and number of bands in memory: the sink's current band, the
/// next one, and the band that the stages work on.
constexpr int kBandSteps = 2;
constexpr int kKeptBands = 3;

/// The slowest stage takes half of the total time, so more threads would only wait.
constexpr int kMaxStageThreads = 4;

constexpr std::size_t kNone = ~std::size_t{0};

/// A pipeline with a stage for each scan of the file. A stage processes a row after the earlier stages have processed
/// it. The last stage makes the pixels, or passes the coefficients to a sink.
class JpegPipeline {
 public:
  /// Decodes to pixels.
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels, const View& pixels)
      : JpegPipeline(file, script, step_pixels) {
    pixels_ = pixels;
    kept_ = std::min(kKeptSteps * step_, rows_of_mcus_);
    output_step_ = step_;
  }

  /// Decodes to coefficients.
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels, JpegBlockSink* sink)
      : JpegPipeline(file, script, step_pixels) {
    sink_ = sink;
    output_step_ = held_ = kBandSteps * step_;
    kept_ = std::min(kKeptBands, (rows_of_mcus_ - 1) / output_step_ + 1) * output_step_;
  }

  std::optional<JpegPipelineResult> run(int threads) {
    if (sink_ != nullptr) {
      const jpeg_decompress_struct& info = libjpeg_.info();
      rows_.emplace(info, kept_, sink_->memory(JpegCoefficientRows::block_count(info, kept_)));
    } else {
      rows_.emplace(libjpeg_.info(), kept_);
    }
    threads = std::min({threads, kMaxStageThreads, static_cast<int>(stages_.size())});
    if (threads <= 1) {
      work();
    } else {
      CodecArena(threads).execute([&] {
        tbb::parallel_for(
            0, threads, [&](int) { work(); }, tbb::simple_partitioner());
      });
    }
    return has_failed_ ? std::nullopt : std::optional(result_);
  }

 private:
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels)
      : script_(script), stages_(stages_of(script)), libjpeg_(file) {
    const jpeg_decompress_struct& info = libjpeg_.info();
    rows_of_mcus_ = static_cast<int>(info.total_iMCU_rows);
    step_ = std::max(1, step_pixels / (static_cast<int>(info.image_width) * DCTSIZE * info.max_v_samp_factor));
    result_.encoding = jpeg_encoding_of(info);
    output_ = stages_.size();
    stages_.emplace_back();
  }

  struct Stage {
    std::optional<JpegScanCodes> codes;  ///< set in the first step; not used by the last stage
    std::vector<std::size_t> inputs;     ///< stages whose rows this stage needs
    std::uint32_t cleared = 0;           ///< same meaning as in JpegScanCodes
    int done = 0;                        ///< number of MCU rows completed
    bool is_busy = false;                ///< a thread is running a step of this stage
  };

  /// A stage needs the earlier scans on which its codes depend, and the scans that clear its components.
  static std::vector<Stage> stages_of(const JpegScript& script) {
    std::vector<Stage> stages(script.scans.size());
    std::uint32_t cleared = 0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const JpegScan& scan = script.scans[i];
      stages[i].cleared = scan.components & ~cleared;
      cleared |= scan.components;
      for (std::size_t before = 0; before < i; ++before) {
        if (scan.depends_on(script.scans[before]) || (stages[before].cleared & scan.components) != 0) {
          stages[i].inputs.push_back(before);
        }
      }
    }
    return stages;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (!has_failed_ && wait_for_more()) {
      const std::size_t i = next_stage();
      if (i == kNone) {
        changed_.wait(lock);
        continue;
      }
      Stage& stage = stages_[i];
      const int end = end_of_step(i);
      stage.is_busy = true;
      lock.unlock();
      const bool is_sound = run_step(i, end);
      lock.lock();
      stage.is_busy = false;
      stage.done = end;
      has_failed_ = has_failed_ || !is_sound;
      changed_.notify_all();
    }
  }

  [[nodiscard]] bool wait_for_more() const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& one) { return one.done < rows_of_mcus_; });
  }

  [[nodiscard]] int end_of_step(std::size_t i) const {
    return std::min(stages_[i].done + (i == output_ ? output_step_ : step_), rows_of_mcus_);
  }

  /// The runnable stage with the fewest completed rows, because then the rows in memory stay in the processor's cache.
  /// Returns kNone if all stages must wait. Whenever no stage is running, at least one can run.
  [[nodiscard]] std::size_t next_stage() const {
    std::size_t best = kNone;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if ((best == kNone || stages_[i].done < stages_[best].done) && can_run(i)) {
        best = i;
      }
    }
    return best;
  }

  [[nodiscard]] bool can_run(std::size_t i) const {
    const Stage& stage = stages_[i];
    const int end = end_of_step(i);
    if (stage.is_busy || stage.done == rows_of_mcus_) {
      return false;
    }
    if (i == output_) {
      const int needed = sink_ != nullptr ? end : std::min(end + 1, rows_of_mcus_);
      return std::all_of(stages_.begin(), stages_.end(),
                         [&](const Stage& one) { return &one == &stage || one.done >= needed; });
    }
    return end <= std::max(0, stages_[output_].done - held_) + kept_ &&
           std::all_of(stage.inputs.begin(), stage.inputs.end(),
                       [&](std::size_t input) { return stages_[input].done >= end; });
  }

  /// Runs a step. Returns false if a single decoder must read the file.
  bool run_step(std::size_t i, int end) {
    try {
      if (i != output_ || sink_ == nullptr) {
        return decode_step(i, end);
      }
      sink_->take(rows_->blocks_of(stages_[i].done, end));
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      has_failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  bool decode_step(std::size_t i, int end) {
    try {
      if (i == output_) {
        libjpeg_.read_to(end, *rows_, pixels_);
        return true;
      }
      Stage& stage = stages_[i];
      if (!stage.codes) {
        stage.codes.emplace(script_, i, JpegCodeBits(script_.scans[i].codes), libjpeg_.info(), stage.cleared);
      }
      return stage.codes->decode_to(end, *rows_);
    } catch (const Error&) {
      return false;
    }
  }

  const JpegScript& script_;
  View pixels_;                    // not used if there is a sink
  JpegBlockSink* sink_ = nullptr;  // receives coefficients
  std::vector<Stage> stages_;
  std::size_t output_ = 0;  // index of the last stage
  // Numbers of MCU rows:
  int rows_of_mcus_ = 0;
  int step_ = 1;
  int output_step_ = 1;
  int held_ = 0;  // held by the sink
  int kept_ = 0;  // in memory
  JpegCoefficientPixels libjpeg_;
  std::optional<JpegCoefficientRows> rows_;
  JpegPipelineResult result_;
  std::mutex mutex_;  // guards `done`, `is_busy` and has_failed_
  std::condition_variable changed_;
  bool has_failed_ = false;
};

template <class Target>
std::optional<JpegPipelineResult> run_pipeline(const JpegFile& file, const JpegScript& script,
                                               const JpegPipelineChoices& choices, const Target& to) {
  std::optional<JpegPipeline> pipeline;
  try {
    pipeline.emplace(file, script, choices.step_pixels, to);
  } catch (const Error&) {
    return std::nullopt;
  }
  return pipeline->run(choices.threads);
}

}  // namespace

std::vector<int> jpeg_cuts(JpegRows& whole, int height) {
  const std::size_t rows = std::max(kJpegPartRows, kJpegPartBytes / whole.coefficient_bytes());
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
    return false;  // libjpeg rejects the header or warns about it
  }
  return parts->run();
}

std::optional<std::vector<ByteSpan>> jpeg_bytes_after_scans(const JpegFile& file) {
  std::optional<JpegScript> script = read_jpeg_only_scan(file.bytes);
  const bool is_only_scan = script.has_value();
  script = is_only_scan ? std::move(script) : read_jpeg_script(file.bytes);
  if (!script) {
    return std::nullopt;
  }
  try {
    JpegCoefficientPixels header(file);  // used only for its header; makes no pixels
    const int mcu_rows = static_cast<int>(header.info().total_iMCU_rows);
    JpegCoefficientRows rows(header.info(), is_only_scan ? 1 : mcu_rows);
    std::uint32_t cleared = 0;
    std::vector<ByteSpan> after;
    for (std::size_t i = 0; i < script->scans.size(); ++i) {
      const JpegScan& scan = script->scans[i];
      JpegScanCodes codes(*script, i, JpegCodeBits(scan.codes), header.info(), scan.components & ~cleared);
      cleared |= scan.components;
      codes.decode_to(mcu_rows, rows);
      const std::optional<std::size_t> end = codes.end_of_codes();
      if (!end) {
        return std::nullopt;
      }
      after.push_back(scan.codes.subspan(*end));
    }
    return after;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, const View& pixels,
                                                  const JpegPipelineChoices& choices) {
  return run_pipeline(file, script, choices, pixels);
}

std::optional<JpegPipelineResult> read_jpeg_coefficients(const JpegFile& file, const JpegScript& script,
                                                         JpegBlockSink& sink, const JpegPipelineChoices& choices) {
  return run_pipeline(file, script, choices, &sink);
}

}  // namespace gpuimg::codecs::jpeg
