// Threads take task numbers from one atomic counter. A task is fully published before its number becomes available.
#include "codecs/png/ordered_tasks.hpp"

#include <utility>

namespace gpuimg::codecs::png {

OrderedTasks::OrderedTasks(int threads, std::size_t in_flight, std::function<void(int number)> run)
    : run_(std::move(run)), slots_(in_flight) {
  if (threads > 1) {
    others_.emplace(threads);
  }
}

OrderedTasks::~OrderedTasks() noexcept { abandon(); }

void OrderedTasks::begin() {
  const int number = begun_;
  wait_for(number - static_cast<int>(slots_.size()));
  slot_of(number).is_done = false;
  begun_ = number + 1;
  if (others_) {
    others_->arena.execute([&] { others_->group.run([this] { (void)run_next(); }); });
  }
}

/// Runs the first submitted task that no thread has taken. Returns false if there is none.
bool OrderedTasks::run_next() noexcept {
  int number = taken_;
  do {
    if (number == begun_) {
      return false;
    }
  } while (!taken_.compare_exchange_weak(number, number + 1));
  Slot& slot = slot_of(number);
  try {
    run_(number);
  } catch (...) {
    slot.error = std::current_exception();
  }
  slot.is_done = true;
  slot.is_done.notify_one();
  return true;
}

void OrderedTasks::wait_for(int number) {
  if (number < 0) {
    return;
  }
  Slot& slot = slot_of(number);
  while (!slot.is_done && run_next()) {
  }
  slot.is_done.wait(false);
  if (slot.error != nullptr) {
    std::rethrow_exception(std::exchange(slot.error, nullptr));
  }
}

void OrderedTasks::abandon() noexcept {
  const int taken = taken_.exchange(begun_);
  for (int number = taken; number < begun_; ++number) {
    slot_of(number).is_done = true;
  }
  for (const Slot& slot : slots_) {
    slot.is_done.wait(false);
  }
  if (others_) {
    others_->arena.execute([&] { others_->group.wait(); });
  }
}

}  // namespace gpuimg::codecs::png
