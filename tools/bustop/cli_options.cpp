#include "tools/bustop/cli_options.hpp"

#include <vector>

#include "daemon/config/admin_socket.hpp"
#include "daemon/config/config_values.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::bustop {
namespace {

using daemon::kDefaultAdminUrl;
using std::chrono::milliseconds;
constexpr milliseconds kLongest = std::chrono::hours(1);

CLI::Option* add_duration(CLI::App& app, const std::string& name, milliseconds& target,
                          const std::string& description) {
  const auto set = [&target, name](const std::string& text) {
    const auto value = daemon::parse_duration(text);
    if (!value || *value <= milliseconds(0) || *value > kLongest) {
      throw CLI::ValidationError(name, "not a duration such as 500ms, 1s or 2m: " + text);
    }
    target = *value;
  };
  return app.add_option_function<std::string>(name, set, description)
      ->type_name("DURATION (500ms, 1s, 2m)");
}

CLI::Validator one_of(std::vector<std::string> words) {
  return tools::quiet(CLI::IsMember(std::move(words)));
}

void add_common(CLI::App& app, Options& options) {
  app.add_option("--admin", options.admin,
                 std::string("admin socket of the local busd (or of a busroot); default "
                             "$STARBUS_ADMIN, the one beside $STARBUS_BUSD, or ") +
                     kDefaultAdminUrl)
      ->type_name("URL");
  app.add_option("--root-admin", options.root_admin,
                 "admin socket of busroot, to ask it directly and not over the bus")
      ->type_name("URL");
  app.add_flag("--json", options.json, "print JSON for scripts; see docs/operate/bustop.md");
  app.add_flag("--no-color", options.no_color, "print without colours, as with $NO_COLOR");
  add_duration(app, "--timeout", options.timeout, "longest wait for each answer; default 5s");
}

void add_name_commands(CLI::App& app, Options& options) {
  CLI::App& channels =
      *app.add_subcommand("channels", "list channels by prefix: owner, epoch, state");
  channels.add_option("prefix", options.names.prefix, "show names with this prefix")
      ->type_name("PREFIX");
  channels.add_option("--limit", options.names.limit, "show at most N; default 100")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostRows));
  channels.add_flag("--all", options.all_names, "show all");
  channels.add_option("--host", options.names.host, "show this host only")->type_name("HOST");

  CLI::App& route = *app.add_subcommand("route", "show the owner of a channel, and each hop to it");
  route.add_option("name", options.name, "channel")->required()->type_name("NAME");

  CLI::App& trace = *app.add_subcommand("trace", "trace a message, hop by hop, with times");
  trace.add_option("name", options.trace.name, "channel")->required()->type_name("NAME");
  trace.add_option("--lane", options.trace.lane, "lane to trace; default call")
      ->type_name("call|sync|bulk")
      ->check(one_of({"call", "sync", "bulk"}));

  CLI::App& why = *app.add_subcommand("why", "show why messages for a channel failed");
  why.add_option("name", options.why.name, "channel")->required()->type_name("NAME");
  why.add_option("--limit", options.why.limit, "show at most N failures; default 20")
      ->type_name("N")
      ->check(tools::number_to(100'000));
  why.add_flag("--everywhere", options.why.everywhere, "ask the daemons of all hosts");

  CLI::App& tail = *app.add_subcommand("tail", "show messages for a channel as they pass");
  tail.add_option("name", options.tail.name, "channel")->required()->type_name("NAME");
  tail.add_option("--count", options.tail.count, "stop after N lines")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostNumber));
  tail.add_flag("--here", options.tail.here,
                "show the messages that pass this host, even if the owner is elsewhere");
}

void add_mail_commands(CLI::App& app, Options& options) {
  CLI::App& mail = *app.add_subcommand("mail", "show and purge mailboxes: ls, peek, purge, stats");
  mail.require_subcommand(1);
  mail.fallthrough();
  CLI::App& ls = *mail.add_subcommand("ls", "list mailboxes and logs by prefix");
  ls.add_option("prefix", options.mail.prefix, "show names with this prefix")->type_name("PREFIX");
  ls.add_flag("--all", options.mail.all, "show all");
  CLI::App& peek = *mail.add_subcommand("peek", "show messages of a mailbox without removing them");
  peek.add_option("name", options.mail.name, "mailbox")->required()->type_name("NAME");
  peek.add_option("--from", options.mail.from, "first number; default: the oldest")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostNumber));
  CLI::App& purge = *mail.add_subcommand("purge", "erase messages of a mailbox for good");
  purge.add_option("name", options.mail.name, "mailbox or log of this host's store")
      ->required()
      ->type_name("NAME");
  purge.add_option("--upto", options.mail.upto, "erase up to this number; default: all")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostNumber));
  CLI::App& stats =
      *mail.add_subcommand("stats", "show the number, size and age of messages, per host");
  for (CLI::App* const command : {&ls, &stats}) {
    command->add_option("--host", options.mail.host, "show this host only")->type_name("HOST");
  }
  for (CLI::App* const command : {&ls, &peek}) {
    command->add_option("--limit", options.mail.limit, "show at most N; default 100, for peek 20")
        ->type_name("N")
        ->check(tools::number_to(tools::kMostRows));
  }
  for (CLI::App* const command : {&ls, &peek, &purge, &stats}) {
    command->callback([&options, command] { options.mail_command = command->get_name(); });
  }
}

/// Adds --bus, for commands that ask over the bus.
void add_busd(CLI::App& command, Options& options) {
  command.add_option("--busd", options.busd, "endpoint of the local busd; default $STARBUS_BUSD")
      ->type_name("ENDPOINT");
  command.add_option("--role", options.role, "role in the access list of busd; default node")
      ->type_name("ROLE");
}

void add_manager_commands(CLI::App& app, Options& options) {
  CLI::App& cluster =
      *app.add_subcommand("cluster", "show nodes as the manager sees them: state, load");
  CLI::App& shutdown =
      *app.add_subcommand("shutdown", "show the plan or the progress of a staged cluster shutdown");
  shutdown
      .add_option("--reason", options.shutdown.reason,
                  "begin a shutdown for this reason, and follow it")
      ->type_name("TEXT");
  shutdown.add_flag("--follow", options.shutdown.follow, "follow a running shutdown until it ends");
  shutdown.add_flag("--no-follow", options.no_follow,
                    "with --reason: begin the shutdown and return");
  cluster.add_option("--release", options.release, "release this service instance from quarantine")
      ->type_name("TYPE/N");
  CLI::App& entity = *app.add_subcommand(
      "entity", "show one entity, wherever it lives: properties, timers, saving");
  entity.add_option("name", options.name, "its channel")->required()->type_name("NAME");
  for (CLI::App* const command : {&cluster, &shutdown, &entity}) {
    add_busd(*command, options);
  }
}

void add_gate_commands(CLI::App& app, Options& options) {
  CLI::App& clients =
      *app.add_subcommand("clients", "list clients of all gates, by prefix of account or player");
  clients.add_option("prefix", options.clients.prefix, "show names with this prefix")
      ->type_name("PREFIX");
  clients.add_option("--limit", options.clients.limit, "show at most N; default 100")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostRows));
  clients.add_flag("--all", options.all_clients, "show all");
  clients.add_option("--after", options.clients.after, "go on where the last list ended")
      ->type_name("GATE/SESSION");
  clients.add_option("--gate", options.clients.gate, "show clients of this gate only")
      ->type_name("HOST.NODE");
  CLI::App& client = *app.add_subcommand(
      "client", "show one client: state, numbers, queue, bytes, why it was disconnected");
  client.add_option("id", options.name, "session, account or player")->required()->type_name("ID");
  CLI::App& announce =
      *app.add_subcommand("announce", "say something to a group of clients, or to all");
  announce.add_option("group", options.announce.group, "group of clients; '*' is all")
      ->required()
      ->type_name("GROUP");
  announce.add_option("text", options.announce.text, "text, shown by clients as they like")
      ->type_name("TEXT");
  announce
      .add_option("--method", options.announce.method,
                  "call this method of clients, with the types of its arguments")
      ->type_name("CLASS.METHOD(str,i32)");
  announce.add_option("--args", options.announce.arguments, "arguments of the method")
      ->type_name("JSON");
  announce.add_flag("--preview", options.announce.preview, "show how many would hear it, only");
  announce.add_flag("--yes", options.announce.yes, "do not ask");
  announce
      .add_option("--ask-from", options.announce.ask_from,
                  "ask if N clients or more would hear it; default 100")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostNumber));
  for (CLI::App* const command : {&clients, &client, &announce}) add_busd(*command, options);
}

void add_space_commands(CLI::App& app, Options& options) {
  CLI::App& spaces =
      *app.add_subcommand("spaces", "list spaces of all nodes: seats, ticks; and those nodes");
  spaces.add_option("prefix", options.spaces.prefix, "show names with this prefix")
      ->type_name("PREFIX");
  spaces.add_option("--limit", options.spaces.limit, "show at most N; default 100")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostRows));
  spaces.add_flag("--all", options.all_spaces, "show all");
  spaces.add_option("--node", options.spaces.node, "show spaces of this node only")
      ->type_name("HOST.NODE");
  add_busd(spaces, options);
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
  add_common(app, options);
  CLI::App& live = *app.add_subcommand("live", "show the full-screen view; the default command");
  add_duration(live, "--interval", options.interval, "time between two readings; default 1s");
  app.add_subcommand("tree", "show root, hosts and processes as a tree");
  app.add_subcommand("hosts", "list hosts as busroot sees them");
  app.add_subcommand("nodes", "list processes of all hosts");
  add_name_commands(app, options);
  add_mail_commands(app, options);
  add_manager_commands(app, options);
  add_gate_commands(app, options);
  add_space_commands(app, options);
  CLI::App& rates = *app.add_subcommand("rates", "show messages and bytes per second, per link");
  add_duration(rates, "--interval", options.rates.interval,
               "time between two readings; default 1s");
  rates.add_flag("--once", options.rates.once, "measure once");
  rates.add_flag("--local", options.rates.local, "show this host only");
  CLI::App& doctor =
      *app.add_subcommand("doctor", "find problems, with their effects and remedies");
  add_duration(doctor, "--interval", options.interval, "time between two readings; default 1s");
  add_busd(doctor, options);
  CLI::App& completion = *app.add_subcommand("completion", "print a completion script");
  completion.add_option("shell", options.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(one_of({"bash", "zsh", "fish"}));
}

}  // namespace starbus::bustop
