// Commands that ask a busd which runs: shards, backup.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "bus/core/post_head.hpp"
#include "bus/daemon/admin_http.hpp"
#include "bus/daemon/http_client.hpp"
#include "tools/bustop/cluster_view.hpp"
#include "tools/bustop/json_out.hpp"
#include "tools/bustop/text.hpp"
#include "tools/mail/commands.hpp"

namespace starbus::mail_tool {
namespace {

using bus::daemon::HttpClient;
using bustop::OrderedJson;
constexpr std::string_view kShardNames = "store/";
constexpr std::chrono::milliseconds kPoll{500};

int unreachable(const Context& context, const std::string& admin, const Error& error) {
  if (error == Errc::unreachable || error == Errc::deadline) {
    return fail(context, {error.code, "the busd at " + admin +
                                          " does not answer; start it, or name "
                                          "its admin port with --admin URL or $STARBUS_ADMIN"});
  }
  return fail(context, {error.code, bustop::text_of(error)});
}

/// "0-12, 40": of numbers in order.
std::string ranges_of(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 1) text += "-" + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

std::optional<unsigned> shard_in(std::string_view name) {
  unsigned shard = 0;
  if (!name.starts_with(kShardNames)) return std::nullopt;
  name.remove_prefix(kShardNames.size());
  const auto read = std::from_chars(name.data(), name.data() + name.size(), shard);
  const bool whole = read.ec == std::errc() && read.ptr == name.data() + name.size();
  return whole && shard < bus::kShards ? std::optional(shard) : std::nullopt;
}

/// What busd says about its backup.
struct BackupState {
  std::string state;  // running, done, failed
  std::string error;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t damaged = 0;
};

Result<BackupState> read_state(const Result<std::string>& text) {
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object()) return Error{Errc::bad_bytes, "busd's answer is not a JSON object"};
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  };
  return BackupState{word("state"), word("error"), number("rows"), number("bytes"),
                     number("damaged")};
}

}  // namespace

int run_shards(const Context& context, const std::string& admin) {
  auto client = HttpClient::at(admin);
  if (!client) return fail(context, client.error());
  const bustop::ClusterView view(std::make_unique<bustop::HttpSource>(std::move(*client)), nullptr);
  const auto names = view.names({std::string(kShardNames), "", 0});
  if (!names) return unreachable(context, admin, names.error());
  std::array<std::string, bus::kShards> owners;
  for (const bustop::NameRow& row : names->names) {
    if (const auto shard = shard_in(row.name)) owners[*shard] = bustop::host_of(row.owner);
  }
  std::map<std::string, std::vector<unsigned>> hosts;
  for (unsigned shard = 0; shard < bus::kShards; ++shard) hosts[owners[shard]].push_back(shard);
  const std::vector<unsigned> nobodys = hosts[""];
  hosts.erase("");
  if (context.json) {
    OrderedJson rows = OrderedJson::array();
    for (const auto& [host, shards] : hosts) {
      rows.push_back({{"host", host}, {"shards", ranges_of(shards)}, {"count", shards.size()}});
    }
    context.out << bustop::dump({{"hosts", rows},
                                 {"nobody", ranges_of(nobodys)},
                                 {"missing", nobodys.size()},
                                 {"from", names->from}});
  } else {
    bustop::Table table({{"HOST", bustop::Table::Align::left, true},
                         {"COUNT", bustop::Table::Align::right},
                         {"SHARDS"}});
    for (const auto& [host, shards] : hosts) {
      table.add({host, std::to_string(shards.size()), ranges_of(shards)});
    }
    if (!nobodys.empty())
      table.add({"(nobody)", std::to_string(nobodys.size()), ranges_of(nobodys)});
    context.out << table.text(context.look);
    if (names->from != "busroot") {
      context.out << "note: busroot did not answer; these are the shards of " << names->from
                  << "\n";
    }
  }
  return nobodys.empty() ? kExitOk : kExitFindings;
}

int run_backup(const Context& context, const BackupOptions& options) {
  const auto client = HttpClient::at(options.admin);
  if (!client) return fail(context, client.error());
  auto state = read_state(
      client->post("/mail/backup?to=" + bus::daemon::percent_encode(options.target), ""));
  ProgressLine line(context);
  bool stopping = false;
  while (state && state->state == "running") {
    line.show("copies " + std::to_string(state->rows) + " rows, " +
              bustop::human_bytes(static_cast<double>(state->bytes)));
    if (!stopping && context.interrupted && context.interrupted()) {
      stopping = true;
      state = read_state(client->post("/mail/backup/stop", ""));
      if (!state) break;
    }
    std::this_thread::sleep_for(kPoll);
    state = read_state(client->get("/mail/backup"));
  }
  if (!state) return unreachable(context, options.admin, state.error());
  if (state->state != "done") {
    return fail(context, {Errc::io_error, "the backup is not whole: " + state->error});
  }
  if (context.json) {
    context.out << bustop::dump({{"to", options.target},
                                 {"rows", state->rows},
                                 {"bytes", state->bytes},
                                 {"damaged", state->damaged}});
  } else {
    context.out << state->rows << " rows, "
                << bustop::human_bytes(static_cast<double>(state->bytes)) << " are in "
                << bustop::printable(options.target) << "\n";
  }
  if (state->damaged == 0) return kExitOk;
  context.err << "starbus-mail: " << state->damaged
              << " rows or blocks could not be read and are missing in it\n"
              << "  -> stop busd, then starbus-mail check and repair\n";
  return kExitFindings;
}

}  // namespace starbus::mail_tool
