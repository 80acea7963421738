// Makes the subcommands.
#include "commands/commands.hpp"

#include "operations/operations.hpp"

namespace gpuimg {

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const auto& command : kCommands) {
    commands.push_back(command());
  }
  return commands;
}

Command operation_command(std::string_view name, const char* examples, RunCommand (*declare)(CommandParser&)) {
  const Operation& operation = *find_operation(name);
  return {std::string(operation.name), std::string(operation.summary), examples, declare};
}

}  // namespace gpuimg
