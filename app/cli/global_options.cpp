// Declares the global options, fills them in from the environment, and checks them.
#include "cli/global_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "backends/backends.hpp"
#include "cli/option_values.hpp"

namespace gpuimg {
namespace {

constexpr const char* kGroup = "Global options (before or after the subcommand)";
constexpr const char* kBackendVariable = "GPUIMG_BACKEND";
constexpr const char* kDeviceVariable = "GPUIMG_DEVICE";
constexpr const char* kThreadsVariable = "GPUIMG_THREADS";
constexpr int kLargestCount = 65536;
constexpr std::uint32_t kMaxPages = 1'000'000;

NamedValues<std::optional<BackendKind>> backend_names() {
  NamedValues<std::optional<BackendKind>> names = {
      {"auto", std::nullopt, "whichever finishes first, including the start of the GPU", {"any"}}};
  for (const BackendEntry& entry : backends()) {
    names.emplace_back(std::string(entry.name), entry.kind, std::string(entry.meaning),
                       std::vector<std::string>(entry.synonyms.begin(), entry.synonyms.end()));
  }
  return names;
}

const NamedValues<ProgressWanted> kProgressNames = {
    {"auto", ProgressWanted::automatic, "a bar on a terminal"},
    {"always", ProgressWanted::always, "a bar, even if not on a terminal", {"yes", "on", "bar"}},
    {"never", ProgressWanted::never, "nothing", {"no", "off", "none"}},
    {"json", ProgressWanted::json, "one JSON object per second, on standard error"},
};

struct Setting {
  std::string source;  ///< "--threads" or "GPUIMG_THREADS", for messages
  std::string value;
};

Setting option_or_environment(const char* option, const std::string& value, const char* variable) {
  if (value.empty()) {
    if (const char* from_environment = std::getenv(variable); from_environment != nullptr && *from_environment != 0) {
      return {variable, from_environment};
    }
  }
  return {option, value};
}

template <class Number>
Number whole_number(const Setting& setting, Number smallest, Number largest, Number if_absent) {
  if (setting.value.empty()) {
    return if_absent;
  }
  Number number{};
  const char* end = setting.value.data() + setting.value.size();
  const auto [stop, failure] = std::from_chars(setting.value.data(), end, number);
  if (failure != std::errc{} || stop != end || number < smallest || number > largest) {
    throw Error(ErrorKind::usage, setting.source + ": '" + setting.value + "' is not a whole number from " +
                                      std::to_string(smallest) + " to " + std::to_string(largest));
  }
  return number;
}

/// Finds a device by number, or by name with the backend of --backend. A number is parsed without calling the driver.
int device_number(const Setting& setting, std::optional<BackendKind> backend) {
  const DeviceFacts* facts = backend ? backend_entry(*backend).device_facts : nullptr;
  const bool is_name =
      std::any_of(setting.value.begin(), setting.value.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return is_name && facts != nullptr ? device_named(backend_entry(*backend), setting.value)
                                     : whole_number(setting, 0, kLargestCount, 0);
}

}  // namespace

void add_global_options(CommandParser& parser, GlobalArguments& arguments) {
  const GlobalOptions defaults;
  const auto backends = backend_names();
  const auto text = [&](const char* name, std::string& value, const OptionText& description, const char* type,
                        const char* variable = "") {
    parser.text({name, description, type, kGroup, false, variable}, value);
  };
  const auto flag = [&](const char* names, bool& value, const char* description) {
    parser.flag({.names = names, .description = description, .group = kGroup}, value);
  };
  text("--backend", arguments.backend, with_choices("where to compute", backends, name_of(defaults.backend, backends)),
       "NAME", kBackendVariable);
  text("--device", arguments.device,
       fmt::format("device to use: its number, or part of its name [{}]", defaults.device), "DEVICE", kDeviceVariable);
  text("--threads", arguments.threads, "CPU threads [one per processor, or as many as a CPU quota allows]", "N",
       kThreadsVariable);
  text("--max-pixels", arguments.max_pixels, fmt::format("reject images with more pixels [{}]", defaults.max_pixels),
       "N");
  text("--max-memory", arguments.max_memory, "memory limit, such as 800M or 2G [half of the free memory]", "BYTES");
  text("--max-device-memory", arguments.max_device_memory,
       "memory limit for the images in flight on each device; larger images are computed in strips, with the same "
       "result "
       "[all free memory]",
       "BYTES");
  text("--page", arguments.page, "read page N of a TIFF, or all its pages as separate images [1]", "N|all");
  flag("--no-auto-orient", arguments.no_auto_orient, "ignore the EXIF orientation [turn images upright]");
  flag("--lenient", arguments.lenient, "read damaged JPEGs as far as possible, with a note [reject them]");
  flag("--timing", arguments.timing, "print the time of each phase to standard error");
  flag("--json", arguments.json, "print results and --timing as JSON");
  flag("--verify", arguments.verify, "compute on the CPU and the GPU and compare every byte");
  flag("-f,--force", arguments.force, "replace existing outputs [report an error]");
  flag("--in-place", arguments.in_place, "allow OUT to be IN; without OUT, replace each input");
  flag("--preserve-times", arguments.preserve_times,
       "give OUT the modification and access time of IN [the time of writing]");
  text("--progress", arguments.progress,
       with_choices("show the progress of a run over many files, or of denoise", kProgressNames,
                    name_of(defaults.progress, kProgressNames)),
       "WHEN");
  flag("-q,--quiet", arguments.quiet, "print errors only");
  flag("-v,--verbose", arguments.verbose, "also print what was chosen and written");
}

GlobalOptions with_backend(GlobalOptions options, BackendKind kind) {
  options.backend = kind;
  options.can_use_cpu = false;
  return options;
}

GlobalArguments with_defaults(GlobalArguments arguments, const GlobalArguments& defaults) {
  constexpr std::array kTexts = {&GlobalArguments::backend,    &GlobalArguments::device,
                                 &GlobalArguments::threads,    &GlobalArguments::max_pixels,
                                 &GlobalArguments::max_memory, &GlobalArguments::max_device_memory,
                                 &GlobalArguments::progress,   &GlobalArguments::page};
  constexpr std::array kFlags = {&GlobalArguments::no_auto_orient, &GlobalArguments::lenient,
                                 &GlobalArguments::timing,         &GlobalArguments::json,
                                 &GlobalArguments::verify,         &GlobalArguments::force,
                                 &GlobalArguments::in_place,       &GlobalArguments::preserve_times};
  for (const auto text : kTexts) {
    if ((arguments.*text).empty()) {
      arguments.*text = defaults.*text;
    }
  }
  for (const auto flag : kFlags) {
    arguments.*flag = arguments.*flag || defaults.*flag;
  }
  if (!arguments.quiet && !arguments.verbose) {
    arguments.quiet = defaults.quiet;
    arguments.verbose = defaults.verbose;
  }
  return arguments;
}

GlobalOptions validated(const GlobalArguments& arguments) {
  GlobalOptions options;
  options.given = std::make_shared<const GlobalArguments>(arguments);
  const Setting backend = option_or_environment("--backend", arguments.backend, kBackendVariable);
  if (!backend.value.empty()) {
    options.backend = value_named(backend.source, backend.value, backend_names());
  }
  options.can_use_cpu = !options.backend;
  options.device = device_number(option_or_environment("--device", arguments.device, kDeviceVariable), options.backend);
  options.threads =
      whole_number(option_or_environment("--threads", arguments.threads, kThreadsVariable), 1, kLargestCount, 0);
  options.max_pixels = whole_number<std::uint64_t>({"--max-pixels", arguments.max_pixels}, 1, std::uint64_t{1} << 62,
                                                   options.max_pixels);
  options.trusts_sizes = !arguments.max_pixels.empty();
  if (!arguments.max_memory.empty()) {
    options.max_memory = parse_byte_size("--max-memory", arguments.max_memory);
  }
  if (!arguments.max_device_memory.empty()) {
    options.max_device_memory = parse_byte_size("--max-device-memory", arguments.max_device_memory);
  }
  reject_together(arguments.quiet && arguments.verbose, "--quiet", "--verbose");
  options.verbosity = arguments.quiet ? Verbosity::quiet : arguments.verbose ? Verbosity::verbose : Verbosity::normal;
  if (!arguments.progress.empty()) {
    options.progress = value_named("--progress", arguments.progress, kProgressNames);
  }
  options.auto_orient = !arguments.no_auto_orient;
  options.lenient = arguments.lenient;
  options.all_pages = arguments.page == "all";
  if (!options.all_pages) {
    options.page = whole_number<std::uint32_t>({"--page", arguments.page}, 1, kMaxPages, 0);
  }
  options.timing = arguments.timing;
  options.json = arguments.json;
  options.verify = arguments.verify;
  options.in_place = arguments.in_place;
  options.preserve_times = arguments.preserve_times;
  options.force = arguments.force;
  return options;
}

void reject_all_pages(const GlobalOptions& options) {
  if (options.all_pages) {
    throw Error(ErrorKind::usage,
                "--page all is only for commands that write an output for each page; give the number of one page");
  }
}

void note_without_effect(const GlobalArguments& arguments, const GlobalOptions& options) {
  const bool cpu_alone = options.backend == BackendKind::cpu && !options.verify;
  const std::string why = "the backend is the CPU";
  note_no_effect(cpu_alone && !arguments.device.empty(), "--device", why, options.verbosity);
  note_no_effect(cpu_alone && !arguments.max_device_memory.empty(), "--max-device-memory", why, options.verbosity);
}

}  // namespace gpuimg
