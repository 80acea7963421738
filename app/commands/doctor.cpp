// gpuimg doctor: checks the installation and the GPU, and says how to fix problems.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.hpp"
#include "codecs/codec.hpp"
#include "codecs/jpeg/jpeg.hpp"
#include "commands/commands.hpp"
#include "engine/backend_choice.hpp"
#include "engine/codec_selftest.hpp"
#include "io/output_file.hpp"
#include "io/tar.hpp"
#include "operations/result_checks.hpp"

namespace gpuimg::commands::doctor {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  gpuimg doctor\n"
    "  gpuimg doctor --backend cpu\n"
    "  gpuimg doctor --device 1\n"
    "  gpuimg doctor --backend opencl";

/// Prints each fact as soon as it is known: a device may take seconds to answer.
template <class... Values>
void print(fmt::format_string<Values...> format, Values&&... values) {
  write_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Prints one line of a self-test and its failures; returns whether it passed.
bool print_result(const std::string& what, const SelfTestResult& result) {
  constexpr std::size_t kMaxFailures = 5;
  print("  {}: {} check{}, {}\n", what, result.checks, result.checks == 1 ? "" : "s",
        result.failures.empty() ? std::string("all good") : fmt::format("{} FAILED", result.failures.size()));
  for (std::size_t i = 0; i < result.failures.size() && i < kMaxFailures; ++i) {
    print("    {}\n", result.failures[i]);
  }
  return result.failures.empty();
}

/// Tests the codecs of the host; returns advice if something is wrong.
std::vector<std::string> examine_codecs() {
  std::vector<std::string> advice;
  print("codecs on the CPU\n");
  for (const codecs::Codec& codec : codecs::codecs()) {
    const SelfTestResult result = test_codec(codec);
    if (result.checks > 0 && !print_result(std::string(codec.name), result)) {
      advice.push_back(
          fmt::format("gpuimg reads or writes {} wrongly here: rebuild it, and report this output", codec.name));
    }
  }
  print("  tar archives: {}\n", tar_library().empty()
                                    ? "none; they need libarchive (Debian: libarchive13, and libarchive-dev to build)"
                                    : tar_library());
  print("  HEIC and AVIF: {}\n", heif_reader());
  if (std::string why = codecs::jpeg::jpeg_library_problem(); !why.empty()) {
    advice.assign({std::move(why)});
  }
  return advice;
}

/// Tests the backend's own codecs, if it has any; returns advice if the host has to replace them.
std::vector<std::string> examine_codecs_of(Backend& backend) {
  std::vector<std::string> advice;
  const auto examine_one = [&](const char* doing, const SelfTestResult& result, const char* consequence) {
    if (result.checks == 0) {
      print("  {}: left to the CPU\n", doing);
    } else if (!print_result(fmt::format("{}, identical to the CPU to the byte", doing), result)) {
      advice.emplace_back(consequence);
    }
  };
  examine_one("decoding JPEG", test_decoder(backend, codecs::FileFormat::jpeg),
              "gpuimg decodes JPEG on the CPU: the GPU's decoder does not agree with this libjpeg");
  examine_one("encoding JPEG", test_encoder(backend, codecs::FileFormat::jpeg),
              "gpuimg encodes JPEG on the CPU: the GPU's encoder does not agree with this libjpeg");
  examine_one("decoding PNG", test_decoder(backend, codecs::FileFormat::png),
              "gpuimg decodes PNG on the CPU: the GPU's decoder does not agree with this libpng; report this output");
  examine_one("encoding PNG", test_encoder(backend, codecs::FileFormat::png),
              "gpuimg encodes PNG on the CPU: the GPU's encoder writes other bytes; report this output");
  return advice;
}

/// Tests a backend on one device against the CPU; returns advice if something is wrong. A device that computes wrong
/// results is rejected from now on (if its backend remembers failures); a device that passes is accepted again.
std::vector<std::string> examine_device(const BackendEntry& entry, const GlobalOptions& globals, Backend& cpu) {
  const auto remember = [&](const std::string& difference) {
    if (entry.device_facts != nullptr && entry.device_facts->remember_failure != nullptr) {
      entry.device_facts->remember_failure(globals.device, difference);
    }
  };
  try {
    remember({});
    BackendSource source(with_backend(globals, entry.kind));
    Backend& backend = source.get();
    print("self-test on {} ({})\n", entry.title, backend.description());
    const SelfTestResult known = test_known_answers(backend);
    const SelfTestResult agreement = test_agreement(backend, cpu);
    const bool is_right = print_result("known answers", known);
    if (!print_result("agreement with the CPU, to the byte", agreement) || !is_right) {
      remember((is_right ? agreement : known).failures.front());
      return {fmt::format("{} computes wrong results on {}: use --backend cpu, and report this output", entry.title,
                          backend.description())};
    }
    return examine_codecs_of(backend);
  } catch (const Error& error) {
    return {error.what()};
  }
  return {};
}

/// Tests a backend that `auto` may choose, on the device of --device.
std::vector<std::string> examine(const BackendEntry& entry, const GlobalOptions& globals, Backend& cpu) {
  try {
    if (entry.device_facts != nullptr) {
      entry.device_facts->tell([](const std::string& text) { print("{}", text); });
    }
  } catch (const Error& error) {
    return {error.what()};
  }
  return examine_device(entry, globals, cpu);
}

/// Tests a backend that is used only if --backend names it. If --backend names it here, tests every device; otherwise
/// only lists the devices, because its programs take minutes to compile. Missing devices are not an error.
std::vector<std::string> examine_opt_in(const BackendEntry& entry, const GlobalOptions& globals, Backend& cpu) {
  std::vector<std::string> advice;
  try {
    entry.device_facts->tell([](const std::string& text) { print("{}", text); });
    if (!globals.backend) {
      print("  self-test: gpuimg doctor --backend {}\n", entry.name);
      return {};
    }
    print("  a device's first self-test compiles hundreds of programs, which can take minutes\n");
    for (const int device : entry.device_facts->devices()) {
      GlobalOptions here = globals;
      here.device = device;
      for (std::string& line : examine_device(entry, here, cpu)) {
        advice.push_back(std::move(line));
      }
    }
  } catch (const Error& error) {
    if (!globals.backend) {
      print("  {}\n", error.what());
      return {};
    }
    advice.emplace_back(error.what());
  }
  return advice;
}

void run(const GlobalOptions& globals) {
  if (globals.json) {
    print_note(globals.verbosity, "--json has no effect: doctor prints only text");
  }
  print("{}\n", version_text());
  BackendSource source(with_backend(globals, BackendKind::cpu));
  Backend& cpu = source.get();
  print("self-test on the CPU ({})\n", cpu.description());
  std::vector<std::string> advice;
  bool broken = false;
  if (!print_result("known answers", test_known_answers(cpu))) {
    broken = true;
    advice.emplace_back("the CPU computes wrong results here: rebuild gpuimg, and report this output");
  }
  for (std::string& line : examine_codecs()) {
    broken = true;
    advice.push_back(std::move(line));
  }
  for (const BackendEntry& entry : backends()) {
    if (entry.kind != BackendKind::cpu && globals.backend.value_or(entry.kind) == entry.kind) {
      for (std::string& line : (entry.is_opt_in ? examine_opt_in : examine)(entry, globals, cpu)) {
        advice.push_back(std::move(line));
      }
    }
  }
  print("what to do\n");
  if (advice.empty()) {
    print("  nothing: everything works\n");
  }
  for (const std::string& line : advice) {
    print("  {}\n", line);
  }
  if (broken || (globals.backend && !advice.empty())) {
    throw Error(ErrorKind::backend_unavailable, "doctor: a backend does not work; see above");
  }
}

RunCommand declare(CommandParser& /*parser*/) {
  return [](const GlobalOptions& globals) {
    run(globals);
    return ExitCode::ok;
  };
}

}  // namespace
}  // namespace gpuimg::commands::doctor

namespace gpuimg {

Command doctor_command() {
  return {"doctor", "check the installation and the GPU", commands::doctor::kExamples, commands::doctor::declare};
}

}  // namespace gpuimg
