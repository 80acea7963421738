// Reads and writes cached programs. A file is a line with the checksum of what follows, the size of the key, the key
// and the program.
#include "device/program_cache.hpp"

#include <array>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
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

}  // namespace

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

}  // namespace gpuimg::opencl
