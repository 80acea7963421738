// Finds and removes temporary files of killed processes.
#pragma once

#include <cstddef>
#include <string>

namespace gpuimg {

/// ".gpuimg-" and 16 hexadecimal digits: 6 from this host's name, 10 random. The writer holds an flock(2) on the file
/// until it has its final name.
std::string new_temporary_name();

/// Removes the temporary files of this host that nobody has locked, and returns their number; 0 if the folder cannot be
/// read. Files of other hosts are kept: on some file systems (NFS mounted with nolock) locks do not reach other hosts.
std::size_t remove_stale_temporaries(const std::string& folder);

}  // namespace gpuimg
