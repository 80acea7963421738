// Each scan of the file is a stage that follows those before it row by row. The last stage makes the pixels, or gives
// the coefficients to a sink.
#include "codecs/jpeg/jpeg_pipeline.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "codecs/jpeg/jpeg_coefficients.hpp"
#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "codecs/threads.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

/// Steps of rows in memory. The slowest stage should neither wait for others nor be waited for; three would suffice for
/// progress.
constexpr int kKeptSteps = 8;

/// Steps of rows that a sink takes at once, and how many such bands are in memory: one that it has, one that it gets
/// next, and one for the stages to go on with.
constexpr int kBandSteps = 2;
constexpr int kKeptBands = 3;

/// The slowest stage takes half of the time, so further threads only wait.
constexpr int kMaxThreads = 4;

constexpr std::size_t kNone = ~std::size_t{0};

class JpegPipeline {
 public:
  /// For pixels.
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels, const View& pixels)
      : JpegPipeline(file, script, step_pixels) {
    pixels_ = pixels;
    kept_ = std::min(kKeptSteps * step_, rows_of_mcus_);
    output_step_ = step_;
  }

  /// For coefficients.
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
    threads = std::min({threads, kMaxThreads, static_cast<int>(stages_.size())});
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
    std::optional<JpegScanCodes> codes;  ///< from the first step on, but of the last stage
    std::vector<std::size_t> inputs;     ///< stages whose rows this one needs
    std::uint32_t cleared = 0;           ///< as JpegScanCodes has it
    int done = 0;                        ///< MCU rows
    bool is_busy = false;                ///< a thread runs a step of it
  };

  /// A stage needs the scans before it on which its codes depend, and those that clear its components.
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
    while (!has_failed_ && has_more()) {
      const std::size_t i = next_stage();
      if (i == kNone) {
        changed_.wait(lock);
        continue;
      }
      Stage& stage = stages_[i];
      const int end = end_of_step(i);
      stage.is_busy = true;
      lock.unlock();
      const bool is_sound = runs(i, end);
      lock.lock();
      stage.is_busy = false;
      stage.done = end;
      has_failed_ = has_failed_ || !is_sound;
      changed_.notify_all();
    }
  }

  [[nodiscard]] bool has_more() const {
    return std::any_of(stages_.begin(), stages_.end(), [&](const Stage& one) { return one.done < rows_of_mcus_; });
  }

  [[nodiscard]] int end_of_step(std::size_t i) const {
    return std::min(stages_[i].done + (i == output_ ? output_step_ : step_), rows_of_mcus_);
  }

  /// The one that is farthest behind, so that the rows in memory stay in the processor's cache; kNone if all must wait.
  /// Some stage can always run unless another one is running.
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

  /// Runs a step. Returns false if one decoder must read the file.
  bool runs(std::size_t i, int end) {
    try {
      if (i != output_ || sink_ == nullptr) {
        return decodes(i, end);
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

  bool decodes(std::size_t i, int end) {
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
  View pixels_;                    // unless there is a sink
  JpegBlockSink* sink_ = nullptr;  // of coefficients
  std::vector<Stage> stages_;
  std::size_t output_ = 0;  // the last stage
  // MCU rows:
  int rows_of_mcus_ = 0;
  int step_ = 1;
  int output_step_ = 1;
  int held_ = 0;  // by the sink, of those it has taken
  int kept_ = 0;  // in memory
  JpegCoefficientPixels libjpeg_;
  std::optional<JpegCoefficientRows> rows_;
  JpegPipelineResult result_;
  std::mutex mutex_;  // guards `done`, `is_busy` and has_failed_
  std::condition_variable changed_;
  bool has_failed_ = false;
};

template <class Target>
std::optional<JpegPipelineResult> read(const JpegFile& file, const JpegScript& script,
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

std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, const View& pixels,
                                                  const JpegPipelineChoices& choices) {
  return read(file, script, choices, pixels);
}

std::optional<JpegPipelineResult> read_jpeg_coefficients(const JpegFile& file, const JpegScript& script,
                                                         JpegBlockSink& sink, const JpegPipelineChoices& choices) {
  return read(file, script, choices, &sink);
}

}  // namespace gpuimg::codecs
