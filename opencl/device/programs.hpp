// Compiles the kernels, and keeps what is compiled in the user's cache folder.
#pragma once

#include <string>

#include "device/device.hpp"

namespace gpuimg::opencl {

/// The embedded source of a file of kernels/ by its name without ending, after the files that all of them use.
std::string kernel_source(const std::string& file);

/// Compiles for one device. Borrows everything.
struct ProgramMaker {
  const Api& api;
  cl_context context;
  const FoundDevice& device;
  std::size_t group_items;          ///< the macro GROUP_ITEMS
  const std::string& cache_folder;  ///< empty = no cache

  /// A built program of a file of kernels/. Throws Error{backend_unavailable} with the compiler's first lines if it
  /// does not compile.
  [[nodiscard]] cl_program make(const char* file, const std::string& macros) const;

 private:
  [[nodiscard]] cl_program from_source(const std::string& source, const std::string& options) const;
  [[nodiscard]] cl_program from_binary(const std::string& binary, const std::string& options) const;
  [[nodiscard]] std::string binary_of(cl_program program) const;
};

}  // namespace gpuimg::opencl
