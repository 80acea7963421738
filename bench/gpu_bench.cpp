// gpuimg_gpu_bench: compares gpuimg's kernels with memory ceilings, CUB, NPP and textbook kernels in a single run.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>

#include "bench/measurement.hpp"
#include "bench/report.hpp"
#include "gpuimg/cuda.hpp"
#include "gpuimg/error.hpp"

namespace gpuimg::bench {
namespace {

struct Options {
  std::vector<std::string> sizes = {"16384x16384", "1280x1024"};
  bool all = false;
  std::vector<std::string> only;
  bool check_only = false;
  std::string check_size = "1024x768";
  std::string json_file;
  int repeats = 30;
  int device = 0;
};

RivalSize parsed_size(const std::string& text) {
  RivalSize size;
  int end = 0;
  const int fields = std::sscanf(text.c_str(), "%dx%d%n", &size.width, &size.height, &end);
  const bool is_whole = fields == 2 && static_cast<std::size_t>(end) == text.size();
  if (!is_whole || size.width < 1 || size.height < 1 || size.width > 65536 || size.height > 65536) {
    throw Error(ErrorKind::usage, "--size: '" + text + "' is not WIDTHxHEIGHT with sides from 1 to 65536");
  }
  return size;
}

/// The operations with the given names; all operations if `names` is empty.
std::vector<OperationFacts> chosen_operations(const std::vector<std::string>& names) {
  std::vector<OperationFacts> chosen;
  for (const OperationFacts& facts : kOperationFacts) {
    if (names.empty() || std::find(names.begin(), names.end(), facts.name) != names.end()) {
      chosen.push_back(facts);
    }
  }
  return chosen;
}

std::string operation_names() {
  std::vector<std::string_view> names;
  for (const OperationFacts& facts : kOperationFacts) {
    names.push_back(facts.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A validator for CLI11: returns an empty string if an operation has this name.
std::string name_fault(const std::string& name) {
  const bool is_known = chosen_operations({name}).size() == 1;
  return is_known ? "" : "'" + name + "' is not an operation; the operations are: " + operation_names();
}

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

std::string driver_text() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

Surroundings surroundings_of(int device) {
  const CudaDevice facts = cuda_devices().at(static_cast<std::size_t>(device));
  const CudaVersions versions = cuda_versions(true);
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return {
      {"device", fmt::format("{}, sm_{}{}, {} SMs, {:.0f} GiB", facts.name, facts.compute_major, facts.compute_minor,
                             facts.multiprocessors, static_cast<double>(facts.total_bytes) / (1024.0 * 1024 * 1024))},
      {"driver", driver_text()},
      {"cuda", "runtime " + version_text(versions.runtime) + ", driver " + version_text(versions.driver)},
      {"rivals", "CUB " + cub_version() + ", NPP " + npp_version()},
      {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))}};
}

/// Returns the number of wrong results.
std::size_t print_faults(const std::vector<std::string>& differences_from_cpu, const std::vector<Result>& results) {
  std::vector<std::string> faults = differences_from_cpu;
  for (const Result& result : results) {
    const std::string where = fmt::format("{}x{} {}, {}: ", result.size.width, result.size.height,
                                          facts_of(result.operation).name, name_of(result.distribution));
    if (!result.fault.empty()) {
      faults.push_back(where + result.fault);
    }
    for (const RivalResult& rival : result.rivals) {
      if (!rival.fault.empty()) {
        faults.push_back(where + rival.name + ": " + rival.fault);
      }
    }
  }
  constexpr std::size_t kShown = 20;
  for (std::size_t i = 0; i < faults.size() && i < kShown; ++i) {
    fmt::print("WRONG: {}\n", faults[i]);
  }
  if (faults.size() > kShown) {
    fmt::print("WRONG: {} more\n", faults.size() - kShown);
  }
  return faults.size();
}

int bench(const Options& options) {
  std::vector<RivalSize> sizes;
  for (const std::string& text :
       options.all ? std::vector<std::string>{"32768x32768", "16384x16384", "4096x4096", "1280x1024"} : options.sizes) {
    sizes.push_back(parsed_size(text));
  }
  const Surroundings surroundings = surroundings_of(options.device);
  for (const auto& [name, value] : surroundings) {
    fmt::print("{:<7} {}\n", name, value);
  }
  const auto begin = std::chrono::steady_clock::now();
  Measurement measurement(std::make_shared<cuda::Device>(options.device), chosen_operations(options.only),
                          options.repeats);
  const std::vector<std::string> differences_from_cpu = measurement.check_against_cpu(parsed_size(options.check_size));
  std::vector<Result> results;
  if (!options.check_only) {
    for (const RivalSize size : sizes) {
      std::vector<Result> more = measurement.at(size);
      std::move(more.begin(), more.end(), std::back_inserter(results));
    }
    const auto empty_launch = measurement.empty_launch();
    fmt::print("{}", tables(results, measurement.ceilings(), empty_launch));
    if (!options.json_file.empty()) {
      std::ofstream file(options.json_file);
      file << json(surroundings, results, measurement.ceilings(), empty_launch);
      if (!file.flush()) {
        throw Error(ErrorKind::write, "bench: cannot write " + options.json_file);
      }
    }
  }
  const std::size_t wrong = print_faults(differences_from_cpu, results);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("\nresults verified before timing: {}; medians of {}; {:.1f} s in total\n",
             wrong == 0 ? "all right" : fmt::format("{} WRONG", wrong), options.repeats, elapsed.count());
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpuimg::bench

int main(int argc, char** argv) {
  CLI::App app("Times gpuimg's CUDA kernels against memory ceilings, CUB, NPP and textbook kernels");
  gpuimg::bench::Options options;
  app.add_option("--size", options.sizes, "WIDTHxHEIGHT, repeatable; default 16384x16384 and 1280x1024");
  app.add_flag("--all", options.all, "32768x32768, 16384x16384, 4096x4096 and 1280x1024");
  app.add_option("--only", options.only, "time only the operation with this name, repeatable")
      ->check(CLI::Validator(gpuimg::bench::name_fault, "NAME"));
  app.add_flag("--check-only", options.check_only, "compare with the CPU and stop");
  app.add_option("--check-size", options.check_size, "size of the images compared with the CPU");
  app.add_option("--json", options.json_file, "write every number to this file");
  app.add_option("--repeats", options.repeats, "event timings per median")->check(CLI::Range(1, 10000));
  app.add_option("--device", options.device, "CUDA device")->check(CLI::Range(0, 255));
  CLI11_PARSE(app, argc, argv);
  try {
    return gpuimg::bench::bench(options);
  } catch (const gpuimg::Error& error) {
    fmt::print(stderr, "gpuimg_gpu_bench: {}\n", error.what());
    return error.kind() == gpuimg::ErrorKind::usage ? 2 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpuimg_gpu_bench: {}\n", error.what());
    return 1;
  }
}
