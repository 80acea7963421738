// Registry of this process's temporary files, so that an immediate exit can remove them.
#pragma once

#include <string>

namespace gpuimg {

/// Register a path before its file is created; unregister it after the file is renamed or removed.
void register_temporary(const std::string& path);
void unregister_temporary(const std::string& path) noexcept;

/// Removes every registered file. Afterwards, registering and unregistering block forever: call it only before exiting.
void remove_registered_temporaries();

}  // namespace gpuimg
