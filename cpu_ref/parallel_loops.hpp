// Parallel loops on the threads of the current task arena, over bands of whole rows, over indices and over tiles; and
// per-thread storage. oneTBB's templates are instantiated only once, in parallel_loops.cpp, instead of for each loop
// body.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace gpuimg::cpu {

/// A reference to a callable object, which must outlive the FunctionRef.
template <class Signature>
class FunctionRef;

template <class... Arguments>
class FunctionRef<void(Arguments...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<Function, FunctionRef>) FunctionRef(const Function& function)  // NOLINT: implicit
      : object_(&function), call_([](const void* object, Arguments... arguments) {
          (*static_cast<const Function*>(object))(arguments...);
        }) {}

  void operator()(Arguments... arguments) const { call_(object_, arguments...); }

 private:
  const void* object_;
  void (*call_)(const void*, Arguments...);
};

constexpr int kPixelsPerBand = 1 << 16;

/// Large enough that scheduling a band costs little compared with its work.
inline int rows_per_band(int width) { return std::max(1, kPixelsPerBand / std::max(1, width)); }

/// Upper bound on the number of bands of for_row_bands, which halves bands until they have at most rows_per_band rows.
inline std::int64_t max_bands(int width, int height) {
  const int rows = rows_per_band(width);
  return height <= rows ? 1 : 2 * (std::int64_t{height} / rows + 1);
}

/// Calls body(first_row, end_row) for bands that together cover the rows 0 … height − 1.
void for_row_bands(int width, int height, FunctionRef<void(int first_row, int end_row)> body);

/// Calls body(i) for begin ≤ i < end.
void for_each_index(int begin, int end, FunctionRef<void(int i)> body);

/// Calls body(row, column) for each tile.
void for_each_tile(int rows, int columns, FunctionRef<void(int row, int column)> body);

/// The number of threads that a loop may use.
int loop_threads();

/// Each thread has its own pointer to an object; initially null.
class ThreadSlots {
 public:
  struct Object {
    Object() = default;
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;
    virtual ~Object() = default;
  };

  ThreadSlots();
  ThreadSlots(const ThreadSlots&) = delete;
  ThreadSlots& operator=(const ThreadSlots&) = delete;
  ~ThreadSlots();

  /// The slot of the calling thread.
  std::unique_ptr<Object>& local();
  void for_each(FunctionRef<void(std::unique_ptr<Object>& object)> use);

 private:
  struct Slots;
  std::unique_ptr<Slots> slots_;
};

/// One T per thread, created on first use.
template <class T>
class PerThread {
 public:
  explicit PerThread(std::function<T()> make) : make_(std::move(make)) {}

  /// The T of the calling thread.
  T& local() {
    std::unique_ptr<ThreadSlots::Object>& slot = slots_.local();
    if (slot == nullptr) {
      slot = std::make_unique<Held>(make_());
    }
    return static_cast<Held&>(*slot).value;
  }

  /// Calls use(object) for each T that was created, in any order, on the calling thread.
  template <class Use>
  void for_each(const Use& use) {
    slots_.for_each([&](std::unique_ptr<ThreadSlots::Object>& slot) {
      if (slot != nullptr) {
        use(static_cast<Held&>(*slot).value);
      }
    });
  }

 private:
  struct Held final : ThreadSlots::Object {
    explicit Held(T made) : value(std::move(made)) {}
    T value;
  };

  std::function<T()> make_;
  ThreadSlots slots_;
};

}  // namespace gpuimg::cpu
