#include "daemon/main_loop.hpp"

#include <sys/stat.h>

#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "daemon/daemon_shell.hpp"
#include "daemon/open_files.hpp"

namespace starbus::daemon {
namespace {

struct CommandLine {
  std::string config_file;
  std::optional<std::string> log_level;
  bool check_config = false;
  bool takeover = false;
  bool schema = false;
};

// Returns an exit code if the process must end now.
std::optional<int> parse(const DaemonInfo& info, int argc, const char* const* argv,
                         CommandLine& command) {
  command.config_file =
      info.config_file.empty() ? "/etc/starbus/" + info.name + ".toml" : info.config_file;
  CLI::App app(info.description, info.name);
  app.add_option("--config", command.config_file, "Read this configuration file")
      ->option_text("FILE [" + command.config_file + "]");
  app.add_option("--log-level", command.log_level, "Override the log level of the file")
      ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "critical", "off"}));
  app.add_flag("--check-config", command.check_config, "Check the file and exit");
  app.add_flag("--takeover", command.takeover,
               "Check the file, stop the daemon that uses this state folder, and run in its "
               "place");
  if (info.schema) app.add_flag("--schema", command.schema, "Print what it declares as JSON");
  app.set_version_flag("--version", info.name + " " + info.version);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk
                                : kExitUsage;  // CLI11 has printed help, version or problem
  }
  return std::nullopt;
}

int print_schema(const DaemonInfo& info) {
  try {
    std::cout << info.schema() << std::flush;
  } catch (const std::exception& wrong) {
    std::cerr << info.name << ": " << wrong.what() << std::endl;
    return kExitFailure;
  }
  return std::cout ? kExitOk : kExitFailure;
}

}  // namespace

int run_daemon(const DaemonInfo& info, std::unique_ptr<Daemon> daemon, int argc,
               const char* const* argv) {
  CommandLine command;
  if (const auto exit_code = parse(info, argc, argv, command)) return *exit_code;
  if (command.schema) return print_schema(info);
  auto settings = read_settings(info, *daemon, command.config_file);
  if (!settings) {
    std::cerr << settings.error().detail << std::endl;
    return kExitUsage;
  }
  if (command.check_config) {
    for (const std::string& warning : settings->warnings) {
      std::cout << "warning: " << warning << std::endl;
    }
    std::cout << command.config_file << ": ok" << std::endl;
    return kExitOk;
  }
  allow_all_files();
  ::umask(0077);  // for what libraries make, too: mail, documents, backups
  DaemonShell shell(info, std::move(daemon), command.config_file, std::move(*settings));
  const int exit_code = shell.run(command.log_level, command.takeover);
  if (!info.ends_at_once) return exit_code;
  spdlog::default_logger()->flush();
  std::_Exit(exit_code);
}

}  // namespace starbus::daemon
