// Each scan of the file is a stage that follows those before it row by row. The last stage makes the pixels.
#include "codecs/jpeg/jpeg_pipeline.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "codecs/codec_arena.hpp"
#include "codecs/jpeg/jpeg_coefficient_pixels.hpp"
#include "codecs/jpeg/jpeg_scan_codes.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::codecs {

namespace {

/// Steps of rows in memory. The slowest stage should neither wait for others nor be waited for; three would suffice for
/// progress.
constexpr int kKeptSteps = 8;

/// The slowest stage takes half of the time, so further threads only wait.
constexpr int kMaxThreads = 4;

constexpr std::size_t kNone = ~std::size_t{0};

class JpegPipeline {
 public:
  /// For pixels.
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels, const View& pixels)
      : JpegPipeline(file, script, step_pixels) {
    pixels_ = pixels;
    output_ = stages_.size();
    stages_.emplace_back();
    rows_.emplace(libjpeg_.info(), std::min(kKeptSteps * step_, rows_of_mcus_));
  }

  /// For coefficients.
  JpegPipeline(const JpegFile& file, const JpegScript& script, int step_pixels, std::span<std::int16_t> to)
      : JpegPipeline(file, script, step_pixels) {
    rows_.emplace(libjpeg_.info(), to);
  }

  std::optional<JpegPipelineResult> run(int threads) {
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
  }

  struct Stage {
    std::optional<JpegScanCodes> codes;  ///< from the first step on, but for the pixels
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
      const int end = end_of_step(stage);
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

  [[nodiscard]] int end_of_step(const Stage& stage) const { return std::min(stage.done + step_, rows_of_mcus_); }

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
    const int end = end_of_step(stage);
    if (stage.is_busy || stage.done == rows_of_mcus_) {
      return false;
    }
    if (i == output_) {
      const int needed = std::min(end + 1, rows_of_mcus_);
      return std::all_of(stages_.begin(), stages_.end(),
                         [&](const Stage& one) { return &one == &stage || one.done >= needed; });
    }
    return (output_ == kNone || end <= stages_[output_].done + kKeptSteps * step_) &&
           std::all_of(stage.inputs.begin(), stage.inputs.end(),
                       [&](std::size_t input) { return stages_[input].done >= end; });
  }

  /// Runs a step. Returns false if one decoder must read the file.
  bool runs(std::size_t i, int end) {
    try {
      return run_step(i, end);
    } catch (const Error&) {
      return false;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      has_failed_ = true;
      changed_.notify_all();
      throw;
    }
  }

  bool run_step(std::size_t i, int end) {
    if (i == output_) {
      libjpeg_.read_to(end, *rows_, pixels_);
      return true;
    }
    Stage& stage = stages_[i];
    if (!stage.codes) {
      stage.codes.emplace(script_, i, JpegCodeBits(script_.scans[i].codes), libjpeg_.info(), stage.cleared);
    }
    return stage.codes->decode_to(end, *rows_);
  }

  const JpegScript& script_;
  View pixels_;
  std::vector<Stage> stages_;
  std::size_t output_ = kNone;  // the stage that makes the pixels, if wanted
  int rows_of_mcus_ = 0;
  int step_ = 1;  // MCU rows
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
  try {
    return JpegPipeline(file, script, choices.step_pixels, to).run(choices.threads);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<JpegPipelineResult> read_jpeg_scans(const JpegFile& file, const JpegScript& script, const View& pixels,
                                                  const JpegPipelineChoices& choices) {
  return read(file, script, choices, pixels);
}

std::optional<JpegPipelineResult> read_jpeg_coefficients(const JpegFile& file, const JpegScript& script,
                                                         std::span<std::int16_t> to,
                                                         const JpegPipelineChoices& choices) {
  return read(file, script, choices, to);
}

}  // namespace gpuimg::codecs
