#include "tools/mail/cli.hpp"
#include "mail/rows.hpp"

#include <CLI/CLI.hpp>
#include <ostream>

#include "bus/core/wire/name.hpp"
#include "daemon/config/admin_socket.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::mail_tool {
namespace {

static_assert(tools::kMostNumber == mail::kMostNumber);

using daemon::kDefaultAdminUrl;

struct Options {
  std::string directory;
  std::string busd;
  std::string admin;
  bool json = false;
  bool progress = false;
  bool shards = false;
  bool all = false;
  bool acknowledge = false;
  RepairOptions repair;
  LsOptions ls;
  PeekOptions peek;
  ExportOptions exported;
  ImportOptions import;
  RestoreOptions restore;
  BackupOptions backup;
  OfferOptions offer;
  MoveOptions move;
  AdoptOptions adopt;

  LsOptions ls_by_limit() const {
    LsOptions result = ls;
    if (all) result.limit = 0;
    return result;
  }
};

void add_directory(CLI::App& app, Options& options) {
  app.add_option("--directory", options.directory,
                 "folder of the store: [mail] directory of busd.toml; default there: mail in the "
                 "state folder of busd")
      ->required()
      ->type_name("DIR");
  app.add_option(
         "--busd", options.busd,
         "admin socket of the busd that has this store open: busd answers ls, peek and stats "
         "itself; for other commands it detaches the store, and posts to its shards wait "
         "meanwhile")
      ->type_name("URL");
}

void add_admin(CLI::App& app, Options& options) {
  app.add_option("--admin", options.admin,
                 std::string("admin socket of the busd; default $STARBUS_ADMIN, the one beside "
                             "$STARBUS_BUSD, or ") +
                     kDefaultAdminUrl)
      ->type_name("URL");
}

/// Commands on a folder.
void add_offline(CLI::App& app, Options& options) {
  for (const auto& [name, what] :
       {std::pair("check", "verify every row, and name the mailboxes with problems"),
        std::pair("stats", "count mailboxes and messages, and show their age")}) {
    CLI::App& command = *app.add_subcommand(name, what);
    add_directory(command, options);
    if (std::string_view(name) == "stats")
      command.add_flag("--shards", options.shards, "print one row per shard");
    if (std::string_view(name) == "check")
      command.add_flag("--acknowledge", options.acknowledge,
                       "clear the notes of damage that was repaired");
  }
  CLI::App& repair = *app.add_subcommand(
      "repair", "repair a damaged store; print what is lost, and write it to a file");
  add_directory(repair, options);
  repair
      .add_option("--report", options.repair.report,
                  "write the steps of the repair there; default: DIR.repair-TIME.jsonl")
      ->type_name("FILE");
  CLI::App& ls = *app.add_subcommand("ls", "list mailboxes and logs");
  add_directory(ls, options);
  ls.add_option("prefix", options.ls.prefix, "list only names with this prefix")
      ->type_name("PREFIX");
  ls.add_option("--limit", options.ls.limit, "print at most N; default 100")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostRows));
  ls.add_flag("--all", options.all, "print all");
  CLI::App& peek = *app.add_subcommand("peek", "show messages of a mailbox without removing them");
  add_directory(peek, options);
  peek.add_option("name", options.peek.name, "mailbox")->required()->type_name("NAME");
  peek.add_option("--from", options.peek.from, "begin at this number; default: the oldest")
      ->type_name("N")
      ->check(tools::number_to(mail::kMostNumber));
  peek.add_option("--limit", options.peek.limit, "print at most N; default 20")
      ->type_name("N")
      ->check(tools::number_to(tools::kMostRows));
  CLI::App& exported = *app.add_subcommand("export", "write mailboxes to a file of JSON lines");
  add_directory(exported, options);
  exported
      .add_option("file", options.exported.file, "write to this new file; - for standard output")
      ->required()
      ->type_name("FILE");
  exported
      .add_option("--mailbox", options.exported.mailboxes,
                  "export only this mailbox; may be repeated")
      ->type_name("NAME");
  CLI::App& import = *app.add_subcommand("import", "read mailboxes from a file written by export");
  add_directory(import, options);
  import.add_option("file", options.import.file, "file")->required()->type_name("FILE");
  import.add_flag("--append", options.import.append,
                  "add to existing mailboxes, with new numbers; without it they are refused");
  CLI::App& restore = *app.add_subcommand("restore", "restore a store from a backup");
  restore.add_option("backup", options.restore.backup, "folder written by backup")
      ->required()
      ->type_name("BACKUP");
  add_directory(restore, options);
  restore.add_flag("--damaged", options.restore.damaged, "accept an incomplete backup");
  restore
      .add_option("--shards", options.restore.shards,
                  "restore only these, as 0-15,40; the others have moved to other hosts since")
      ->type_name("SHARDS");
}

void add_adopt(CLI::App& app, Options& options) {
  CLI::App& adopt = *app.add_subcommand(
      "adopt", "keep shards here, because the host that had them is gone for good");
  adopt.add_option("shards", options.adopt.shards, "shards, as 0-15,40")
      ->required()
      ->type_name("SHARDS");
  add_directory(adopt, options);
}

/// Commands on a running busd.
void add_online(CLI::App& app, Options& options) {
  CLI::App& shards = *app.add_subcommand("shards", "show which host has which of the 256 shards");
  add_admin(shards, options);
  CLI::App& acknowledge =
      *app.add_subcommand("acknowledge", "clear the notes of damage that a busd has repaired");
  add_admin(acknowledge, options);
  CLI::App& offer = *app.add_subcommand(
      "offer", "let another host take shards of the host of that busd, within a day");
  offer.add_option("shards", options.offer.shards, "shards, as 0-15,40; those that it keeps count")
      ->type_name("SHARDS");
  offer.add_option("--to", options.offer.to, "the host that may take them")->type_name("HOST");
  offer.add_flag("--withdraw", options.offer.withdraw, "no host may take them any more");
  offer.footer(
      "Without SHARDS the command shows what is offered. Then, at the host that takes "
      "them: starbus-mail move SHARDS.");
  add_admin(offer, options);
  CLI::App& move = *app.add_subcommand(
      "move", "move shards of other hosts to the host of that busd while all of them serve");
  move.add_option("shards", options.move.shards, "shards, as 0-15,40")->type_name("SHARDS");
  move.add_option("--from", options.move.from, "move all shards of this host")->type_name("HOST");
  move.add_flag("--stop", options.move.stop, "end the move that is under way");
  move.add_flag("--follow", options.move.follow,
                "show the move that is under way until it has ended");
  move.footer(
      "Ctrl-C ends, in order, the move that this command began. Without SHARDS and --from the "
      "command shows the move that is under way, on a terminal until that has ended; Ctrl-C then "
      "only ends the display.");
  add_admin(move, options);
  CLI::App& backup = *app.add_subcommand(
      "backup", "copy the store of a running busd, as it is now, while it serves");
  backup
      .add_option("target", options.backup.target,
                  "a new folder on the host of that busd: an absolute path that it may write")
      ->required()
      ->type_name("TARGET");
  add_admin(backup, options);
}

int dispatch(const std::string& command, const Context& context, Options& options) {
  const Folder directory = options.directory;
  if (command == "check") return run_check(context, {directory, options.acknowledge});
  if (command == "stats") return run_stats(context, directory, options.shards);
  if (command == "repair") {
    options.repair.directory = directory;
    return run_repair(context, options.repair);
  }
  if (command == "ls") {
    options.ls.directory = directory;
    return run_ls(context, options.ls_by_limit());
  }
  if (command == "peek") {
    options.peek.directory = directory;
    return run_peek(context, options.peek);
  }
  if (command == "export") {
    options.exported.directory = directory;
    return run_export(context, options.exported);
  }
  if (command == "import") {
    options.import.directory = directory;
    return run_import(context, options.import);
  }
  if (command == "adopt") {
    options.adopt.directory = directory;
    return run_adopt(context, options.adopt);
  }
  if (command == "shards") return run_shards(context, options.admin);
  if (command == "acknowledge") return run_acknowledge(context, options.admin);
  if (command == "offer") {
    options.offer.admin = options.admin;
    return run_offer(context, options.offer);
  }
  if (command == "move") {
    options.move.admin = options.admin;
    return run_move(context, options.move);
  }
  if (command == "backup") {
    options.backup.admin = options.admin;
    return run_backup(context, options.backup);
  }
  options.restore.directory = directory;
  return run_restore(context, options.restore);
}

/// A name that no mailbox can have is a mistake on the command line.
Result<> check_names(const Options& options) {
  std::vector<std::string> names = options.exported.mailboxes;
  if (!options.peek.name.empty()) names.push_back(options.peek.name);
  for (const std::string& name : names) {
    if (auto good = bus::check_channel_name(name); !good) {
      return Error{Errc::bad_name, name + ": " + good.error().to_string()};
    }
  }
  return {};
}

/// So is a malformed list of shards.
Result<> check_shards(const Options& options) {
  for (const std::string& text :
       {options.offer.shards, options.move.shards, options.adopt.shards, options.restore.shards}) {
    if (text.empty()) continue;
    if (auto shards = shards_in(text); !shards) return shards.error();
  }
  return {};
}

/// Shards are offered to a host, or withdrawn.
Result<> check_offer(const OfferOptions& offer) {
  const bool complete = offer.shards.empty() ? offer.to.empty() && !offer.withdraw
                                             : offer.to.empty() == offer.withdraw;
  if (complete) return {};
  return Error{Errc::bad_name, "offer: SHARDS with --to HOST, or with --withdraw; or none of them"};
}

/// Only one option may name the shards to move.
Result<> check_move(const MoveOptions& move) {
  if (!move.shards.empty() && !move.from.empty()) {
    return Error{Errc::bad_name, "move: leave out " + move.shards + " to move all that " +
                                     move.from + " has, or --from to move " + move.shards +
                                     " from whichever hosts have them"};
  }
  if ((move.stop || move.follow) && (!move.shards.empty() || !move.from.empty())) {
    return Error{Errc::bad_name,
                 std::string("move: ") + (move.stop ? "--stop" : "--follow") +
                     " is for the move that is under way: leave out the shards and --from"};
  }
  return {};
}

}  // namespace

int run_mail_tool(const std::vector<std::string>& arguments, const Environment& environment) {
  Options options;
  CLI::App app("starbus-mail: checks, repairs, moves and copies the mail stores of hosts",
               "starbus-mail");
  app.fallthrough();
  app.require_subcommand(1);
  app.set_version_flag("--version", STARBUS_VERSION);
  app.footer(
      "Exit codes: 0 all is well, 1 something is wrong or the command failed, 2 wrong command "
      "line.");
  app.add_flag("--json", options.json, "print JSON for scripts; see docs/operate/mail-tools.md");
  app.add_flag("--progress", options.progress, "show progress, also where there is no terminal");
  add_offline(app, options);
  add_adopt(app, options);
  add_online(app, options);
  if (const auto ended =
          tools::parse(app, arguments, environment.out, environment.err, kExitUsage)) {
    return *ended;
  }
  if (options.admin.empty()) options.admin = environment.admin;
  if (options.admin.empty()) options.admin = kDefaultAdminUrl;
  const Context context{environment.out,
                        environment.err,
                        options.json,
                        environment.terminal || options.progress,
                        environment.interrupted,
                        environment.look};
  auto good = check_names(options);
  if (good) good = check_offer(options.offer);
  if (good) good = check_move(options.move);
  if (good) good = check_shards(options);
  if (!good) {
    (void)fail(context, good.error());
    return kExitUsage;
  }
  const std::string command = app.get_subcommands().front()->get_name();
  // restore needs the store for a moment alone, and asks for it then.
  options.restore.busd = options.busd;
  if (options.busd.empty() || command == "restore") return dispatch(command, context, options);
  // Who only looks does not take the store away from those who post.
  if (command == "ls") return run_ls_online(context, options.ls_by_limit(), options.busd);
  if (command == "peek") return run_peek_online(context, options.peek, options.busd);
  if (command == "stats") return run_stats_online(context, options.shards, options.busd);
  const auto detached = detach_store(options.busd, options.directory);
  if (!detached) return unreachable(context, options.busd, detached.error());
  return dispatch(command, context, options);
}

}  // namespace starbus::mail_tool
