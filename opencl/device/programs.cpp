// Compiles the kernels. A cached program is used only if the driver accepts it; any doubt means compiling again.
#include "device/programs.hpp"

#include <algorithm>

#include "device/cl_check.hpp"
#include "device/program_cache.hpp"
#include "kernel_sources.hpp"

namespace gpuimg::opencl {
namespace {

/// The first lines that the compiler says, in one.
std::string first_lines(std::string log) {
  constexpr std::size_t kMaxLength = 300;
  log.resize(std::min({log.find('\0'), log.size(), kMaxLength}));
  log.erase(log.find_last_not_of(" \n\r\t") + 1);
  std::replace_if(
      log.begin(), log.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return log.empty() ? "the compiler does not say why" : log;
}

std::string build_log(const Api& api, cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  if (api.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS) {
    return {};
  }
  std::string log(bytes, '\0');
  const cl_int code = api.GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  return code == CL_SUCCESS ? log : std::string();
}

}  // namespace

cl_program ProgramMaker::make(const char* file, const std::string& macros) const {
  const std::string options =
      "-cl-std=CL1.2 -D GROUP_ITEMS=" + std::to_string(group_items) +
      (device.divides_exactly ? " -cl-fp32-correctly-rounded-divide-sqrt -D DIVIDES_EXACTLY" : "") + " " + macros;
  const std::string source = kernel_source(file);
  const ProgramCache cache(cache_folder, device.facts);
  const std::string key = options + '\n' + source;
  if (const std::string binary = cache.read(key); !binary.empty()) {
    if (cl_program program = from_binary(binary, options); program != nullptr) {
      return program;
    }
  }
  cl_program program = from_source(source, options);
  if (cache.is_on()) {
    cache.write(key, binary_of(program));
  }
  return program;
}

cl_program ProgramMaker::from_source(const std::string& source, const std::string& options) const {
  const char* text = source.data();
  const std::size_t length = source.size();
  cl_int code = CL_SUCCESS;
  cl_program program = api.CreateProgramWithSource(context, 1, &text, &length, &code);
  cl_check(code, "creating a program");
  code = api.BuildProgram(program, 1, &device.id, options.c_str(), nullptr, nullptr);
  if (code == CL_SUCCESS) {
    return program;
  }
  const std::string log = code == CL_BUILD_PROGRAM_FAILURE ? build_log(api, program, device.id) : std::string();
  (void)api.ReleaseProgram(program);
  if (code != CL_BUILD_PROGRAM_FAILURE) {
    cl_check(code, "compiling a program");
  }
  throw Error(ErrorKind::backend_unavailable, "OpenCL: " + device.facts.name + " does not compile gpuimg's kernels: " +
                                                  first_lines(log) + "; update its driver, or use --backend cpu");
}

/// nullptr if the driver does not take it.
cl_program ProgramMaker::from_binary(const std::string& binary, const std::string& options) const {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  cl_int code = CL_SUCCESS;
  cl_program program = api.CreateProgramWithBinary(context, 1, &device.id, &length, &bytes, nullptr, &code);
  if (code != CL_SUCCESS) {
    return nullptr;
  }
  if (api.BuildProgram(program, 1, &device.id, options.c_str(), nullptr, nullptr) != CL_SUCCESS) {
    (void)api.ReleaseProgram(program);
    return nullptr;
  }
  return program;
}

/// Empty if the driver does not hand it out.
std::string ProgramMaker::binary_of(cl_program program) const {
  std::size_t bytes = 0;
  if (api.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr) != CL_SUCCESS) {
    return {};
  }
  std::string binary(bytes, '\0');
  char* to = binary.data();
  const cl_int code = api.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(char*), &to, nullptr);
  return code == CL_SUCCESS ? binary : std::string();
}

}  // namespace gpuimg::opencl
