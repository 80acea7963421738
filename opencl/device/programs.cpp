// Compiles the kernels, and keeps the compiled programs in the user's cache folder: one folder per device and driver
// version, one file per program. A file has a line with the checksum of the remaining bytes, then the size of the key,
// the key and the program. A damaged file, or a program that the driver rejects, is compiled again.
#include "device/device.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

namespace gpuimg::opencl {
namespace {

/// FNV-1a, 64 bits.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 14695981039346656037U;
  for (const char c : text) {
    sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  return sum;
}

std::string hex(std::uint64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, number /= 16) {
    *digit = kDigits[number % 16];
  }
  return text;
}

std::string file_name(const std::string& key) { return hex(checksum(key)) + ".bin"; }

/// Never throws: if the cache cannot be read or written, programs are compiled again.
class ProgramCache {
 public:
  ProgramCache(const std::string& folder, const OpenclDevice& device);

  [[nodiscard]] bool is_on() const { return !folder_.empty(); }

  /// The program stored for this key; empty if there is none, or if the file is damaged.
  [[nodiscard]] std::string read(const std::string& key) const noexcept;

  /// Writes a file under another name and then renames it, so that a reader sees the whole file or none.
  void write(const std::string& key, const std::string& binary) const noexcept;

 private:
  std::filesystem::path folder_;
};

ProgramCache::ProgramCache(const std::string& folder, const OpenclDevice& device) {
  if (!folder.empty()) {
    const std::string identity = device.name + '\n' + device.platform + '\n' + device.version + '\n' + device.driver;
    folder_ = std::filesystem::path(folder) / hex(checksum(identity));
  }
}

std::string ProgramCache::read(const std::string& key) const noexcept {
  try {
    if (!is_on()) {
      return {};
    }
    std::ifstream file(folder_ / file_name(key), std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const std::size_t line = 17;  // 16 digits and the end of the line
    const std::string head = hex(key.size()) + key;
    const bool is_whole = content.size() > line + head.size() &&
                          content.compare(0, line - 1, hex(checksum(std::string_view(content).substr(line)))) == 0 &&
                          content.compare(line, head.size(), head) == 0;
    return is_whole ? content.substr(line + head.size()) : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

void ProgramCache::write(const std::string& key, const std::string& binary) const noexcept {
  try {
    if (!is_on() || binary.empty()) {
      return;
    }
    std::error_code failed;
    if (std::filesystem::create_directories(folder_, failed)) {
      std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, failed);
    }
    const std::filesystem::path to = folder_ / file_name(key);
    std::filesystem::path unfinished = to;
    unfinished += '.';
    unfinished += hex(std::random_device{}() + (std::uint64_t{std::random_device{}()} << 32));
    const std::string content = hex(key.size()) + key + binary;
    std::ofstream file(unfinished, std::ios::binary);
    file << hex(checksum(content)) << '\n' << content;
    file.close();
    if (file) {
      std::filesystem::rename(unfinished, to, failed);
    }
    if (!file || failed) {
      std::filesystem::remove(unfinished, failed);
    }
  } catch (const std::exception&) {
  }
}

/// The first 300 characters of the compiler's output, in one line.
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

/// Returns nullptr if the driver rejects the binary.
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

/// Returns an empty string if the driver does not provide the binary.
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
