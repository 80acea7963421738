// Implements the loops of parallel_loops.hpp with oneTBB.
#include "parallel_loops.hpp"

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace gpuimg::cpu {

void for_row_bands(int width, int height, FunctionRef<void(int, int)> body) {
  const auto grain = static_cast<std::size_t>(rows_per_band(width));
  tbb::parallel_for(tbb::blocked_range<int>(0, height, grain),
                    [&](const tbb::blocked_range<int>& rows) { body(rows.begin(), rows.end()); });
}

void for_each_index(int begin, int end, FunctionRef<void(int)> body) {
  tbb::parallel_for(begin, end, [&](int i) { body(i); });
}

void for_each_tile(int rows, int columns, FunctionRef<void(int, int)> body) {
  tbb::parallel_for(tbb::blocked_range2d<int>(0, rows, 0, columns), [&](const tbb::blocked_range2d<int>& range) {
    for (int row = range.rows().begin(); row < range.rows().end(); ++row) {
      for (int column = range.cols().begin(); column < range.cols().end(); ++column) {
        body(row, column);
      }
    }
  });
}

int loop_threads() { return tbb::this_task_arena::max_concurrency(); }

struct ThreadSlots::Slots {
  tbb::enumerable_thread_specific<std::unique_ptr<Object>> of_threads;
};

ThreadSlots::ThreadSlots() : slots_(std::make_unique<Slots>()) {}

ThreadSlots::~ThreadSlots() = default;

std::unique_ptr<ThreadSlots::Object>& ThreadSlots::local() { return slots_->of_threads.local(); }

void ThreadSlots::for_each(FunctionRef<void(std::unique_ptr<Object>&)> use) {
  for (std::unique_ptr<Object>& object : slots_->of_threads) {
    use(object);
  }
}

}  // namespace gpuimg::cpu
