// Temporary files that a killed process left behind: how they are known, and their removal.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg {

/// ".gpuimg-" and 16 hexadecimal digits: 6 of this host's name, 10 random ones. Writers hold an flock(2) on the file
/// until it has its final name.
std::string new_temporary_name();

/// Removes from a folder the temporary files made on this host that nobody holds a lock on. The host's part of the name
/// guards file systems whose locks do not reach other hosts (NFS mounted with nolock): their files are left alone.
/// Returns how many were removed; a folder that cannot be read has none.
std::size_t remove_stale_temporaries(const std::string& folder);

}  // namespace gpuimg
