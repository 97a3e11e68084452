#include "tools/db/cli.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "tools/terminal/command_line.hpp"

namespace starbus::db_tool {
namespace {

constexpr int kExitUsage = 2;

struct Options {
  Session::Place place;
  std::string folder, collection, id;
  FindOptions find;
};

using Command = std::function<int(Session&)>;

void add_place(CLI::App& app, Options& options) {
  auto* const folder = app.add_option(
      "--folder", options.folder, "folder of a database that no node has open; else over the bus");
  app.add_option("--database", options.place.database, "its name on the bus; main")
      ->excludes(folder);
  app.add_option("--bus", options.place.endpoint,
                 "where busd listens; else $STARBUS_BUSD, else its usual socket")
      ->excludes(folder);
  app.add_option("--role", options.place.role, "for busd's access list; node")->excludes(folder);
}

void add_find(CLI::App& app, const Streams& streams, Options& options, Command& command) {
  CLI::App* const find = app.add_subcommand("find", "documents of a range, one a line");
  find->add_option("collection", options.find.collection)->required();
  find->add_option("--index", options.find.index,
                   "return documents in the order of this index; else by id");
  find->add_option("--from", options.find.from,
                   "begin at these values of the first fields, a JSON array");
  find->add_option("--to", options.find.to, "as --from; both are included");
  find->add_option("--path", options.find.paths, "show these alone");
  find->add_option("--limit", options.find.limit, "documents; 100")
      ->check(tools::number_to(tools::kMostRows));
  find->callback([&] {
    command = [&](Session& session) { return db_tool::find(session, streams, options.find); };
  });
}

void add_commands(CLI::App& app, const Streams& streams, Options& options, Command& command) {
  const auto add = [&](const char* name, const char* help, int (*run)(Session&, const Streams&)) {
    app.add_subcommand(name, help)->callback([&, run] {
      command = [&, run](Session& session) { return run(session, streams); };
    });
  };
  add("ls", "collections, their documents and indexes", list);
  add("export", "everything, as lines of JSON, to standard output", export_all);
  add("import", "an export, from standard input; replaces documents of the same id", import_all);
  add("check", "whether all can be read, and counters and indexes agree; 1: not", check);
  CLI::App* const one = app.add_subcommand("get", "one document");
  one->add_option("collection", options.collection)->required();
  one->add_option("id", options.id)->required();
  one->callback([&] {
    command = [&](Session& session) {
      return get(session, streams, options.collection, options.id);
    };
  });
  add_find(app, streams, options, command);
}

}  // namespace

int run_db_tool(const std::vector<std::string>& arguments, const Streams& streams) {
  CLI::App app("Looks into a database of documents.", "starbus-db-tool");
  app.set_version_flag("--version", STARBUS_VERSION);
  app.require_subcommand(1);
  app.fallthrough();
  Options options;
  Command command;
  add_place(app, options);
  add_commands(app, streams, options, command);
  if (const auto ended = tools::parse(app, arguments, streams.out, streams.err, kExitUsage)) {
    return *ended;
  }
  options.place.folder = options.folder;
  Session session(
      [&](const std::string& what) { streams.err << "starbus-db-tool: " << what << std::endl; });
  if (const auto opened = session.open(options.place); !opened) {
    return fail(streams, opened.error().to_string());
  }
  return command(session);
}

}  // namespace starbus::db_tool
