// The subcommands: each add_… declares its options to the parser and returns what to run when it is chosen.
#pragma once

#include <functional>

#include "cli/exit_code.hpp"
#include "cli/global_options.hpp"

namespace CLI {
class App;
}

namespace gpuimg {

struct Command {
  CLI::App* parser = nullptr;
  /// Throws Error; its kind decides the exit code.
  std::function<ExitCode(const GlobalOptions&)> run;
};

Command add_hist(CLI::App& app);
Command add_equalize(CLI::App& app);
Command add_integral(CLI::App& app);
Command add_hsl(CLI::App& app);
Command add_report(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_doctor(CLI::App& app);
Command add_help(CLI::App& app);
Command add_version(CLI::App& app);

}  // namespace gpuimg
