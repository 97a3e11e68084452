#include "tools/bustop/cli.hpp"

#include <algorithm>
#include <memory>
#include <ostream>

#include "daemon/admin/http_client.hpp"
#include "daemon/config/admin_socket.hpp"
#include "tools/bustop/cli_options.hpp"
#include "tools/bustop/gates/gate_link.hpp"
#include "tools/bustop/gates/gate_readings.hpp"
#include "tools/bustop/live/live_screen.hpp"
#include "tools/bustop/manager_link.hpp"
#include "tools/bustop/spaces/space_commands.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/completion.hpp"

namespace starbus::bustop {
namespace {

using daemon::kDefaultAdminUrl;
using std::chrono::milliseconds;

Result<std::unique_ptr<AdminSource>> source_at(const std::string& url, milliseconds timeout) {
  auto client = daemon::HttpClient::at(url, timeout);
  if (!client) return client.error();
  return std::unique_ptr<AdminSource>(std::make_unique<HttpSource>(std::move(*client)));
}

int dispatch(const std::string& command, const Context& context, Options& options) {
  if (command == "tree") return run_tree(context);
  if (command == "hosts") return run_hosts(context);
  if (command == "nodes") return run_nodes(context);
  if (command == "channels") {
    if (options.all_names) options.names.limit = 0;
    return run_channels(context, options.names);
  }
  if (command == "route") return run_route(context, options.name);
  if (command == "trace") return run_trace(context, options.trace);
  if (command == "why") return run_why(context, options.why);
  if (command == "tail") return run_tail(context, options.tail);
  if (command == "rates") return run_rates(context, options.rates);
  if (command == "mail") {
    if (options.mail_command == "ls") return run_mail_ls(context, options.mail);
    if (options.mail_command == "peek") return run_mail_peek(context, options.mail);
    if (options.mail_command == "purge") return run_mail_purge(context, options.mail);
    return run_mail_stats(context, options.mail);
  }
  if (command == "doctor") return run_doctor(context, options.interval);
  if (options.json) {
    context.err << "bustop: the live view has no --json: use  bustop rates --json\n";
    return kExitUsage;
  }
  return run_live(context, options.interval);
}

bus::Result<nodes::manager::SetbackReport> setbacks_of(const Options& options) {
  ManagerLink link(options.busd, options.role, options.timeout);
  if (const auto connected = link.connect(); !connected) return connected.error();
  return link.setbacks();
}

/// One link for both readings: one that had ended would be shown as a process that is gone.
bus::Result<GateReadings> readings_of(const Options& options, std::unique_ptr<GateLink>& link) {
  if (!link) {
    auto fresh = std::make_unique<GateLink>(options.busd, options.role, options.timeout);
    if (const auto connected = fresh->connect(); !connected) return connected.error();
    link = std::move(fresh);
  }
  return read_gates([&](const std::string& prefix) { return link->names(prefix); }, link->looker(),
                    wall_clock_ms);
}

int connect_and_run(const std::string& command, Options& options, const Environment& environment) {
  if (options.admin.empty()) options.admin = environment.admin;
  if (options.admin.empty()) options.admin = kDefaultAdminUrl;
  auto local = source_at(options.admin, options.timeout);
  auto root = options.root_admin.empty()
                  ? Result<std::unique_ptr<AdminSource>>(std::unique_ptr<AdminSource>())
                  : source_at(options.root_admin, options.timeout);
  if (!local || !root) {
    environment.err << "bustop: " << (local ? root.error() : local.error()).to_string()
                    << "\n  -> an admin URL looks like " << kDefaultAdminUrl << "\n";
    return kExitUsage;
  }
  const ClusterView view(std::move(*local), std::move(*root));
  const Look look{environment.colour && !options.no_color, environment.width};
  std::unique_ptr<GateLink> gates;
  // A link that is not served is silent, and doctor would say so.
  const auto wait_for = [&](milliseconds time) {
    gates ? gates->wait(time) : environment.sleep(time);
  };
  const Context context{view,
                        environment.out,
                        environment.err,
                        look,
                        options.json,
                        options.admin,
                        wait_for,
                        [&options] { return setbacks_of(options); },
                        [&options, &gates] { return readings_of(options, gates); }};
  return dispatch(command, context, options);
}

int ask_nodes(const std::string& command, Options& options, const Environment& environment) {
  const Look look{environment.colour && !options.no_color, environment.width};
  const ManagerContext context{environment.out, environment.err,      look,
                               options.json,    options.busd,         options.role,
                               options.timeout, environment.read_line};
  if (command == "clients") {
    if (options.all_clients) options.clients.limit = 0;
    return run_clients(context, options.clients);
  }
  if (command == "client") return run_client(context, options.name);
  if (command == "spaces") {
    if (options.all_spaces) options.spaces.limit = 0;
    return run_spaces(context, options.spaces);
  }
  if (command == "announce") return run_announce(context, options.announce);
  if (command == "cluster") {
    return options.release.empty() ? run_cluster(context) : run_release(context, options.release);
  }
  if (command == "entity") return run_entity(context, options.name);
  if (!options.shutdown.reason.empty()) options.shutdown.follow = !options.no_follow;
  return run_shutdown(context, options.shutdown);
}

}  // namespace

int run_bustop(const std::vector<std::string>& arguments, const Environment& environment) {
  Options options;
  CLI::App app("bustop: the starbus message bus as it runs, in a terminal", "bustop");
  app.fallthrough();  // common options may follow the sub-command
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", STARBUS_VERSION);
  app.footer(
      "Exit codes: 0 ok, 1 not found or warnings, 2 errors found, 3 the daemon does not answer,\n"
      "4 the request failed, 64 wrong command line.");
  add_options(app, options);
  if (const auto ended =
          tools::parse(app, arguments, environment.out, environment.err, kExitUsage)) {
    return *ended;
  }
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "live" : chosen.front()->get_name();
  const auto over_the_bus = {"cluster", "shutdown", "entity", "clients",
                             "client",  "announce", "spaces"};
  if (std::ranges::count(over_the_bus, command) != 0) {
    return ask_nodes(command, options, environment);
  }
  if (command != "completion") return connect_and_run(command, options, environment);
  const auto script = completion_script(app, options.shell);
  environment.out << *script;
  return kExitOk;
}

}  // namespace starbus::bustop
