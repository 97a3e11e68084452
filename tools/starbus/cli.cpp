#include "tools/starbus/cli.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

#include "tools/starbus/project.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::starter {
namespace {

constexpr int kExitRefused = 1;
constexpr int kExitUsage = 64;

}  // namespace

int run_starbus(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  std::string name;
  std::string folder = ".";
  CLI::App app("starbus: begins a project that is built on starbus", "starbus");
  app.require_subcommand(1);
  app.set_version_flag("--version", STARBUS_VERSION);
  CLI::App& made = *app.add_subcommand(
      "new", "write a project: services, accounts and players, two hosts, a page that plays");
  made.add_option("name", name, "of the project, and of its folder")->required()->type_name("NAME");
  made.add_option("--in", folder, "folder that the project's own is made in; default: here")
      ->type_name("DIR");
  if (const auto ended = tools::parse(app, arguments, out, err, kExitUsage)) return *ended;
  if (const Status written = write_project(folder, name); !written) {
    err << "starbus: " << written.error().to_string() << "\n";
    return kExitRefused;
  }
  const std::string place = (std::filesystem::path(folder) / name).lexically_normal().string();
  out << "wrote " << place << ". Next:\n"
      << "  cd " << place << "\n"
      << "  cmake --preset debug && cmake --build --preset debug\n"
      << "  scripts/up && scripts/try && scripts/try-page && scripts/down\n";
  return 0;
}

}  // namespace starbus::starter
