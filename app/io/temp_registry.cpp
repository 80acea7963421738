// One registry per process, because a signal is sent to the process.
#include "io/temp_registry.hpp"

#include <unistd.h>

#include <mutex>
#include <set>

namespace gpuimg {
namespace {

struct Registry {
  std::mutex mutex;
  std::set<std::string> paths;
};

/// Static storage: used on the out-of-memory path, so it must not allocate. Never destroyed, because threads may still
/// write while the process exits.
union NeverDestroyed {
  NeverDestroyed() : registry{} {}
  ~NeverDestroyed() {}
  Registry registry;
};

Registry& registry() {
  static NeverDestroyed storage;
  return storage.registry;
}

}  // namespace

void register_temporary(const std::string& path) {
  const std::lock_guard lock(registry().mutex);
  registry().paths.insert(path);
}

void unregister_temporary(const std::string& path) noexcept {
  const std::lock_guard lock(registry().mutex);
  registry().paths.erase(path);
}

void remove_registered_temporaries() {
  registry().mutex.lock();
  for (const std::string& path : registry().paths) {
    ::unlink(path.c_str());
  }
}

}  // namespace gpuimg
