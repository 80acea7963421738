// The temporary files that this process is writing, so that a process told to leave at once takes them with it.
#pragma once

#include <string>

namespace gpuimg {

/// A path is announced before its file is created and withdrawn after the file is renamed or removed.
void announce_temporary(const std::string& path);
void withdraw_temporary(const std::string& path) noexcept;

/// Removes every file announced. From here on announcing and withdrawing wait forever: for a process that ends.
void remove_live_temporaries();

}  // namespace gpuimg
