// Reads many files in advance with several threads and bounded memory, and hands them out in order. Needs the target
// gpuimg::loader.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpuimg/codecs.hpp"

namespace gpuimg {

/// Runs tasks 0 … `count` − 1 on its own threads, and hands out their results in this order. A task starts once its
/// result fits within the limits of Plan, together with the results that are in progress or not yet taken. The task
/// whose result is next to be taken starts in any case. So memory is bounded, and no task waits forever.
template <class Result>
class ReadAhead {
 public:
  /// Makes the result of task `index`. Each thread creates its own Make, so a Make can hold state that is not
  /// thread-safe.
  using Make = std::function<Result(std::size_t index)>;

  struct Plan {
    std::size_t count = 0;
    int workers = 1;                              ///< threads, at least 1
    std::size_t ahead = 8;                        ///< limit on results in progress or not yet taken; at least 1
    std::uint64_t max_bytes = ~std::uint64_t{0};  ///< limit on the sum of bytes_of over these results
    std::function<std::uint64_t(std::size_t index)> bytes_of = {};  ///< size of a result in memory; empty = 0
    std::function<Make()> make_worker;
  };

  struct Item {
    std::size_t index = 0;
    std::optional<Result> result;
    std::exception_ptr error;  ///< set instead of `result` if the task threw
  };

  /// Throws std::system_error if not a single thread can be started.
  explicit ReadAhead(Plan plan) : plan_(std::move(plan)), done_(std::max<std::size_t>(plan_.ahead, 1)) {
    threads_.reserve(static_cast<std::size_t>(plan_.workers));
    try {
      for (int i = 0; i < plan_.workers; ++i) {
        threads_.emplace_back([this] { work(); });
      }
    } catch (...) {
      if (threads_.empty()) {
        throw;
      }
    }
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  /// Waits for the tasks that have started.
  ~ReadAhead() { stop(); }

  /// Blocks until the next result is available. Returns nullopt after the last result, and after stop(). Call it from
  /// one thread at a time.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || taken_ == plan_.count || place(taken_).has_value(); });
    if (stopped_ || taken_ == plan_.count) {
      return std::nullopt;
    }
    std::optional<Done> done = std::exchange(place(taken_++), std::nullopt);
    bytes_held_ -= done->bytes;
    changed_.notify_all();
    return std::move(done->item);
  }

  /// Starts no more tasks, and waits for those that are running.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

 private:
  struct Done {
    Item item;
    std::uint64_t bytes = 0;
  };

  void work() {
    Make make;
    while (const std::optional<Begun> begun = begin()) {
      Done done{{begun->index, std::nullopt, nullptr}, begun->bytes};
      try {
        if (!make) {
          make = plan_.make_worker();
        }
        done.item.result = make(begun->index);
      } catch (...) {
        done.item.error = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      place(begun->index) = std::move(done);
      changed_.notify_all();
    }
  }

  struct Begun {
    std::size_t index;
    std::uint64_t bytes;
  };

  /// Claims the next task in order, and waits until there is room for its result.
  std::optional<Begun> begin() {
    const std::lock_guard in_order(order_);
    if (begun_ == plan_.count) {
      return std::nullopt;
    }
    const std::uint64_t bytes = bytes_of(begun_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      const std::size_t waiting = begun_ - taken_;
      const bool fits = waiting < done_.size() && bytes <= plan_.max_bytes - std::min(bytes_held_, plan_.max_bytes);
      return stopped_ || waiting == 0 || fits;
    });
    if (stopped_) {
      return std::nullopt;
    }
    bytes_held_ += bytes;
    return Begun{begun_++, bytes};
  }

  /// 0 if the size cannot be determined. The task itself then reports the error.
  [[nodiscard]] std::uint64_t bytes_of(std::size_t index) const {
    try {
      return plan_.bytes_of ? plan_.bytes_of(index) : 0;
    } catch (const std::exception&) {
      return 0;
    }
  }

  /// The slot for a task's result. There are as many slots as tasks in progress or not yet taken.
  std::optional<Done>& place(std::size_t index) { return done_[index % done_.size()]; }

  Plan plan_;
  std::mutex order_;  ///< held while claiming the next task
  std::size_t begun_ = 0;
  std::mutex mutex_;  ///< guards all members below, and begun_ while it changes
  std::condition_variable changed_;
  std::size_t taken_ = 0;
  std::uint64_t bytes_held_ = 0;
  bool stopped_ = false;
  std::vector<std::optional<Done>> done_;
  std::vector<std::thread> threads_;
};

struct ReadFilesOptions {
  ReadFileOptions file = {};  ///< here, `threads` = 0 means 1, because files are read in parallel
  int workers = 0;            ///< number of threads; 0 = one per processor
  std::uint64_t max_bytes = std::uint64_t{2}
                            << 30;  ///< limit on images in progress or not yet taken; larger images are read alone
};

/// Reads the files in the given order. If a file cannot be read, its item holds the error instead of the image, and
/// reading continues with the next file. Throws std::system_error if not a single thread can be started.
inline ReadAhead<ImageFile> read_image_files(std::vector<std::string> paths, ReadFilesOptions options = {}) {
  using Files = ReadAhead<ImageFile>;
  const int processors = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  options.file.threads = std::max(options.file.threads, 1);
  Files::Plan plan;
  plan.count = paths.size();
  plan.workers = options.workers > 0 ? options.workers : processors;
  plan.ahead = 2 * static_cast<std::size_t>(plan.workers);
  plan.max_bytes = options.max_bytes;
  const auto names = std::make_shared<const std::vector<std::string>>(std::move(paths));
  plan.bytes_of = [names, file = options.file](std::size_t index) {
    return read_image_file_header((*names)[index], file).decoding_bytes;
  };
  plan.make_worker = [names, file = options.file] {
    return [names, file](std::size_t index) { return read_image_file((*names)[index], file); };
  };
  return Files(std::move(plan));
}

}  // namespace gpuimg
