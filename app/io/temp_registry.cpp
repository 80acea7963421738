// One set for the process, because a signal is sent to the process.
#include "io/temp_registry.hpp"

#include <unistd.h>

#include <mutex>
#include <set>

namespace gpuimg {
namespace {

struct Live {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Never destroyed, for threads may still write when the process leaves; in no memory that must be had first, for it is
/// asked where there is none.
union Lasting {
  Lasting() : live{} {}
  ~Lasting() {}
  Live live;
};

Live& live() {
  static Lasting lasting;
  return lasting.live;
}

}  // namespace

void announce_temporary(const std::string& path) {
  const std::lock_guard lock(live().mutex);
  live().paths.insert(path);
}

void withdraw_temporary(const std::string& path) noexcept {
  const std::lock_guard lock(live().mutex);
  live().paths.erase(path);
}

void remove_live_temporaries() {
  live().mutex.lock();
  for (const std::string& path : live().paths) {
    ::unlink(path.c_str());
  }
}

}  // namespace gpuimg
