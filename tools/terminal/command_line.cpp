#include "tools/terminal/command_line.hpp"

#include <ostream>

namespace starbus::tools {
namespace {

/// The command that was typed so far: the deepest one of which a part was understood.
const CLI::App& reached(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : reached(*parsed.front());
}

std::string full_name(const CLI::App& app) {
  const CLI::App* const parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string names_of(const std::vector<const CLI::App*>& commands) {
  std::string names;
  for (const CLI::App* const command : commands) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

/// CLI11's text for a missing command does not name the one that was typed instead.
std::string reason_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = reached(app);
  const auto known = command.get_subcommands([](const CLI::App*) { return true; });
  const auto unknown = app.remaining(true);
  if (known.empty() || (unknown.empty() && error.get_name() != "RequiredError")) {
    return error.what();
  }
  const std::string asked = unknown.empty() ? "a command is missing"
                            : unknown.front().starts_with("-")
                                ? "no option \"" + unknown.front() + "\""
                                : "no command \"" + unknown.front() + "\"";
  return asked + "; commands of " + full_name(command) + ": " + names_of(known);
}

}  // namespace

std::optional<int> parse(CLI::App& app, const std::vector<std::string>& arguments,
                         std::ostream& out, std::ostream& err, int exit_usage) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error, out, err);
    err << app.get_name() << ": " << reason_of(app, error) << "\n  -> " << full_name(reached(app))
        << " --help\n";
    return exit_usage;
  }
}

CLI::Validator quiet(CLI::Validator validator) {
  return validator.description("");
}

CLI::Validator number_to(std::uint64_t most) {
  return quiet(CLI::Range(std::uint64_t{1}, most));
}

}  // namespace starbus::tools
