#include "tools/starbus/cli.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <ostream>

#include "tools/starbus/code/client_code.hpp"
#include "tools/starbus/project.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::starter {
namespace {

constexpr int kExitRefused = 1;
constexpr int kExitUsage = 64;

template <class Failure>
int refused(std::ostream& err, const Failure& failure) {
  err << "starbus: " << failure.to_string() << "\n";
  return kExitRefused;
}

int write_new(const std::string& folder, const std::string& name, const std::string& from,
              std::ostream& out, std::ostream& err) {
  const auto found = find_template(from);
  if (!found) return refused(err, found.error());
  if (const Status written = write_project(folder, name, **found); !written) {
    return refused(err, written.error());
  }
  const std::string place = (std::filesystem::path(folder) / name).lexically_normal().string();
  out << "wrote " << place << ". Next:\n"
      << "  cd " << place << "\n"
      << "  cmake --preset debug && cmake --build --preset debug\n"
      << "  scripts/up && scripts/try-page && scripts/down\n";
  return 0;
}

/// One line of each.
std::string listed_templates() {
  std::string text;
  for (const Template& each : templates()) {
    text += "\n  " + std::string(each.name) + ": " + std::string(each.about);
  }
  return text;
}

int write_code(const CodeOrder& order, std::ostream& out, std::ostream& err) {
  const auto written = client_code(order);
  if (!written) return refused(err, written.error());
  out << "wrote " << written->string() << "\n";
  return 0;
}

}  // namespace

int run_starbus(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  std::string name;
  std::string folder = ".";
  std::string from(templates().front().name);
  CodeOrder order;
  CLI::App app("starbus: begins a project that is built on starbus, and writes code of its clients",
               "starbus");
  app.require_subcommand(1);
  app.set_version_flag("--version", STARBUS_VERSION);
  CLI::App& made = *app.add_subcommand(
      "new", "write a project: a small game on two hosts, with accounts, and a page that plays");
  made.add_option("name", name, "of the project, and of its folder")->required()->type_name("NAME");
  made.add_option("--in", folder, "folder that the project's own is made in; default: here")
      ->type_name("DIR");
  made.add_option("--template", from, "what it begins with; default: " + from)
      ->type_name("TEMPLATE");
  made.footer("Templates:" + listed_templates());
  CLI::App& code = *app.add_subcommand(
      "client-code", "write typed code for clients from what node programs print with --schema");
  const std::map<std::string, CodeLanguage> languages{{"typescript", CodeLanguage::typescript},
                                                      {"cpp", CodeLanguage::cpp}};
  code.add_option("--language", order.language, "typescript or cpp")
      ->required()
      ->transform(CLI::CheckedTransformer(languages))
      ->type_name("LANGUAGE");
  code.add_option("--out", order.folder, "folder of the file; it is made if it is not there")
      ->required()
      ->type_name("DIR");
  code.add_option("--name", order.name, "of the file, and of its namespace in C++; default: stubs")
      ->type_name("NAME");
  code.add_option("schemas", order.schemas, "files with schemas, of one version")
      ->required()
      ->type_name("SCHEMA.json");
  if (const auto ended = tools::parse(app, arguments, out, err, kExitUsage)) return *ended;
  return made.parsed() ? write_new(folder, name, from, out, err) : write_code(order, out, err);
}

}  // namespace starbus::starter
