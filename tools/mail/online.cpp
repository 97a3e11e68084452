// Commands that ask a busd which runs: shards, backup.
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "bus/core/wire/shard_list.hpp"
#include "daemon/admin/admin_http.hpp"
#include "tools/cluster/cluster_view.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::OrderedJson;
using daemon::HttpClient;
constexpr std::chrono::milliseconds kPoll{500};
/// For a busd that opens its store again: it looks once a second, and replays a log.
constexpr std::chrono::seconds kDetachPatience{20};

using report::MailBackup;

std::string what_of(const MailBackup& backup) {
  return bustop::count_of(backup.mailboxes, "mailbox") + ", " +
         bustop::count_of(backup.messages, "message") + ", " +
         bustop::human_bytes(static_cast<double>(backup.bytes));
}

bool is_busroot(const std::string& admin) {
  auto client = HttpClient::at(admin);
  if (!client) return false;
  const bustop::ClusterView view(std::make_unique<bustop::HttpSource>(std::move(*client)), nullptr);
  const auto status = view.status();
  return status && status->is_root();
}

}  // namespace

int unreachable(const Context& context, const std::string& admin, const Error& error) {
  if (error == Errc::unreachable || error == Errc::deadline) {
    return fail(context,
                {error.code, "the busd at " + admin +
                                 " does not answer; start it, or give "
                                 "its admin socket with --admin unix://PATH or $STARBUS_ADMIN"});
  }
  if (error.detail.starts_with("404") && is_busroot(admin)) {
    return fail(
        context,
        {error.code, admin + " is the admin socket of busroot, which has no mail; "
                             "name that of a busd with --admin unix://PATH or $STARBUS_ADMIN"});
  }
  return fail(context, {error.code, bustop::text_of(error)});
}

Result<nlohmann::json> object_of(const Result<std::string>& text) {
  if (!text) return text.error();
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return Error{Errc::bad_bytes, "busd's answer is not a JSON object"};
  return Result<nlohmann::json>(in_place_value, std::move(json));
}

std::uint64_t number_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

Result<bustop::MailPlaces> mail_places(const std::string& admin) {
  auto client = HttpClient::at(admin);
  if (!client) return client.error();
  const bustop::ClusterView view(std::make_unique<bustop::HttpSource>(std::move(*client)), nullptr);
  return view.mail_places();
}

int run_shards(const Context& context, const std::string& admin) {
  const auto places = mail_places(admin);
  if (!places) return unreachable(context, admin, places.error());
  const std::vector<std::uint8_t> nobodys = places->of("");
  const auto for_each_host = [&](auto&& show) {
    for (const std::string& host : places->hosts) show(host, places->of(host));
  };
  if (context.json) {
    OrderedJson rows = OrderedJson::array();
    for_each_host([&](const std::string& host, const std::vector<std::uint8_t>& shards) {
      rows.push_back(
          {{"host", host}, {"shards", bus::shards_text(shards)}, {"count", shards.size()}});
    });
    context.out << bustop::dump({{"hosts", rows},
                                 {"nobody", bus::shards_text(nobodys)},
                                 {"missing", nobodys.size()},
                                 {"from", places->from}});
  } else {
    bustop::Table table({{"HOST", bustop::Table::Align::left, true},
                         {"COUNT", bustop::Table::Align::right},
                         {"SHARDS"}});
    for_each_host([&](const std::string& host, const std::vector<std::uint8_t>& shards) {
      table.add(
          {host, std::to_string(shards.size()), shards.empty() ? "-" : bus::shards_text(shards)});
    });
    if (!nobodys.empty())
      table.add({"(nobody)", std::to_string(nobodys.size()), bus::shards_text(nobodys)});
    context.out << table.text(context.look);
    if (!places->from_root) {
      context.out << "note: busroot did not answer; these are the shards of " << places->from
                  << "\n";
    }
  }
  return nobodys.empty() ? kExitOk : kExitFindings;
}

namespace {

/// Files of another user could not be opened by busd any more.
Result<> check_is_owner(const std::filesystem::path& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0 || facts.st_uid == ::geteuid()) return {};
  const passwd* const owner = ::getpwuid(facts.st_uid);  // NOLINT: one thread
  const std::string user = owner != nullptr ? owner->pw_name : std::to_string(facts.st_uid);
  return Error{Errc::denied, folder.string() + " belongs to " + user +
                                 ", and busd could not open the files that you would " +
                                 "write there: run it as that user (sudo -u " + user + " ...)"};
}

}  // namespace

Result<mail::Detach> detach_store(const std::string& admin, const std::filesystem::path& folder) {
  if (auto there = check_is_store(folder); !there) return there.error();
  if (auto own = check_is_owner(folder); !own) return own.error();
  const auto client = HttpClient::at(admin);
  if (!client) return client.error();
  const std::string path = std::filesystem::absolute(folder).string();
  const std::string question = "/mail/detach?folder=" + daemon::percent_encode(path);
  const auto end = std::chrono::steady_clock::now() + kDetachPatience;
  for (;; std::this_thread::sleep_for(kPoll)) {
    // Released before the next try: busd does not open the store while we hold it.
    auto hold = mail::Detach::take(folder);
    if (!hold) return error_of(hold.error());
    const auto closed = object_of(client->post(question, ""));
    if (closed) return std::move(*hold);
    // The program that held it before has just ended, and busd opens it.
    const bool busy =
        closed.error() == Errc::handler_failed && closed.error().detail.starts_with("503 ");
    if (!busy || std::chrono::steady_clock::now() >= end) return closed.error();
  }
}

int run_acknowledge(const Context& context, const std::string& admin) {
  const auto client = HttpClient::at(admin);
  if (!client) return fail(context, client.error());
  const auto done = object_of(client->post("/mail/damage/acknowledge", ""));
  if (!done) return unreachable(context, admin, done.error());
  const std::uint64_t notes = number_in(*done, "acknowledged");
  if (context.json) {
    context.out << bustop::dump({{"acknowledged", notes}});
  } else {
    context.out << bustop::count_of(notes, "note") << " of damage acknowledged; kept in lost/\n";
  }
  return kExitOk;
}

int run_backup(const Context& context, const BackupOptions& options) {
  const auto client = HttpClient::at(options.admin);
  if (!client) return fail(context, client.error());
  auto state = document_of<MailBackup>(
      client->post("/mail/backup?to=" + daemon::percent_encode(options.target), ""));
  ProgressLine line(context);
  bool stopping = false;
  while (state && state->state == "running") {
    line.show("copies " + what_of(*state));
    if (!stopping && context.interrupted && context.interrupted()) {
      stopping = true;
      state = document_of<MailBackup>(client->post("/mail/backup/stop", ""));
      if (!state) break;
    }
    std::this_thread::sleep_for(kPoll);
    state = document_of<MailBackup>(client->get("/mail/backup"));
  }
  if (!state) return unreachable(context, options.admin, state.error());
  if (state->state != "done") {
    const std::string what = state->rows == 0 ? "no backup: " : "the backup is not whole: ";
    return fail(context, {Errc::io_error, what + state->error});
  }
  if (context.json) {
    context.out << bustop::dump({{"to", options.target},
                                 {"mailboxes", state->mailboxes},
                                 {"messages", state->messages},
                                 {"rows", state->rows},
                                 {"bytes", state->bytes},
                                 {"damaged", state->damaged}});
  } else {
    context.out << what_of(*state) << " are in " << bustop::printable(options.target) << "\n";
  }
  if (state->damaged == 0) return kExitOk;
  context.err << "starbus-mail: " << state->damaged
              << " rows or blocks could not be read and are missing in it\n"
              << "  -> stop busd, then starbus-mail check and repair\n";
  return kExitFindings;
}

}  // namespace starbus::mail_tool
