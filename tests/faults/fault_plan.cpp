// The plan is read once, at the start of main. The counts are in a shared mapping, so that they survive a crash.
#include "fault_plan.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace gpuimg::faults {
namespace {

constexpr const char* kNames[kKinds] = {
    "malloc",    "mmap",        "thread",    "stat",       "open",      "read",        "write",
    "close",     "dup",         "rename",    "norename",   "link",      "chmod",       "mkdir",
    "truncate",  "map",         "shared",    "part",       "task",      "cuda_memory", "cuda_create",
    "cuda_copy", "cuda_launch", "cuda_wait", "cuda_query", "cuda_free", "cuda_lost",   "cuda_planted"};

struct Fault {
  std::uint64_t first = 0;  ///< 0: never
  bool lasting = false;
};

// Plain data without constructors: allocations happen before our static initialization.
bool is_armed = false;
thread_local int suspensions = 0;
Fault plan[kKinds];
const char* appearing = nullptr;
std::uint64_t look_before_it_appears = 0;
std::atomic<std::uint64_t> looks;
std::atomic<std::uint64_t> own_counts[kKinds];
std::atomic<std::uint64_t>* counts = own_counts;
static_assert(sizeof own_counts == kKinds * sizeof(std::uint64_t), "the counts file has plain integers");

[[noreturn]] void reject() {
  constexpr char kText[] =
      "GPUIMG_FAIL: not KIND:N[+],… with a kind of tests/faults/README.md, or GPUIMG_FAULT_APPEARS: not N:FOLDER\n";
  (void)!::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(99);
}

int kind_named(const char* name, std::size_t length) {
  for (int kind = 0; kind < kKinds; ++kind) {
    if (std::strlen(kNames[kind]) == length && std::memcmp(kNames[kind], name, length) == 0) {
      return kind;
    }
  }
  reject();
}

void read_plan(const char* text) {
  while (*text != '\0') {
    const char* colon = std::strchr(text, ':');
    if (colon == nullptr) {
      reject();
    }
    Fault& fault = plan[kind_named(text, static_cast<std::size_t>(colon - text))];
    char* end = nullptr;
    fault.first = std::strtoull(colon + 1, &end, 10);
    fault.lasting = *end == '+';
    end += fault.lasting ? 1 : 0;
    if (fault.first == 0 || (*end != '\0' && *end != ',')) {
      reject();
    }
    text = *end == ',' ? end + 1 : end;
  }
}

void read_appearance(const char* text) {
  char* end = nullptr;
  look_before_it_appears = std::strtoull(text, &end, 10);
  if (look_before_it_appears == 0 || *end != ':') {
    reject();
  }
  appearing = end + 1;
}

void share_counts(const char* path) {
  const int file = ::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || ::ftruncate(file, sizeof own_counts) != 0) {
    reject();
  }
  void* shared = ::mmap(nullptr, sizeof own_counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shared == MAP_FAILED) {
    reject();
  }
  counts = static_cast<std::atomic<std::uint64_t>*>(shared);
  ::close(file);
}

}  // namespace

bool fails(Kind kind) noexcept {
  if (!is_armed || suspensions > 0) {
    return false;
  }
  const auto index = static_cast<int>(kind);
  const std::uint64_t number = ++counts[index];
  const Fault& fault = plan[index];
  return fault.first != 0 && (number == fault.first || (fault.lasting && number > fault.first));
}

bool appears(const char* path) noexcept {
  return is_armed && appearing != nullptr && std::strcmp(path, appearing) == 0 && ++looks == look_before_it_appears;
}

Suspension::Suspension() noexcept { ++suspensions; }
Suspension::~Suspension() { --suspensions; }

void arm() noexcept {
  if (const char* path = std::getenv("GPUIMG_FAULT_COUNTS")) {
    share_counts(path);
  }
  if (const char* text = std::getenv("GPUIMG_FAIL")) {
    read_plan(text);
  }
  if (const char* text = std::getenv("GPUIMG_FAULT_APPEARS")) {
    read_appearance(text);
  }
  is_armed = true;
}

}  // namespace gpuimg::faults

// The linker makes the startup code call this function instead of main (--wrap=main). Calls before main do not count.
extern "C" int __real_main(int argc, char** argv);
extern "C" int __wrap_main(int argc, char** argv);
extern "C" int __wrap_main(int argc, char** argv) {
  gpuimg::faults::arm();
  return __real_main(argc, argv);
}
