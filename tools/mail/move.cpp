// starbus-mail move: shards of other hosts to the host of a busd which runs.
#include <chrono>
#include <nlohmann/json.hpp>
#include <ostream>
#include <thread>

#include "bus/core/shard_list.hpp"
#include "bus/daemon/admin_http.hpp"
#include "tools/bustop/json_out.hpp"
#include "tools/bustop/text.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"

namespace starbus::mail_tool {
namespace {

using bus::daemon::HttpClient;
constexpr std::chrono::milliseconds kMovePoll{200};

/// What busd says about the move (docs/admin-api.md).
struct MoveState {
  std::string state;  // running, stopping, done, failed
  std::string from, doing, error;
  std::uint64_t shard = 0, shards = 0, taken = 0, rows = 0, bytes = 0;

  bool goes_on() const { return state == "running" || state == "stopping"; }
  std::string line() const {
    return std::to_string(taken) + " of " + std::to_string(shards) + " shards are here; " + doing +
           " shard " + std::to_string(shard) + " of " + from + ": " + std::to_string(rows) +
           " rows, " + bustop::human_bytes(static_cast<double>(bytes));
  }
};

Result<MoveState> read_move(const Result<std::string>& text) {
  const auto json = object_of(text);
  if (!json) return json.error();
  return MoveState{word_in(*json, "state"),   word_in(*json, "from"),    word_in(*json, "doing"),
                   word_in(*json, "error"),   number_in(*json, "shard"), number_in(*json, "shards"),
                   number_in(*json, "taken"), number_in(*json, "rows"),  number_in(*json, "bytes")};
}

/// Begins or ends one, as the options say; or just looks.
Result<MoveState> first_state(const HttpClient& client, const MoveOptions& options,
                              const std::string& shards) {
  if (options.stop) return read_move(client.post("/mail/move/stop", ""));
  if (shards.empty()) return read_move(client.get("/mail/move"));
  return read_move(client.post("/mail/move?shards=" + bus::daemon::percent_encode(shards), ""));
}

/// What is to be moved, as text; empty: nothing.
Result<std::string> shards_of(const MoveOptions& options) {
  if (options.from.empty()) {
    if (options.shards.empty()) return std::string();
    if (bus::parse_shards(options.shards)) return options.shards;
    return Error{Errc::bad_name, "'" + options.shards + "' is no list of shards such as 0-15,40"};
  }
  const auto owners = shard_owners(options.admin);
  if (!owners) return owners.error();
  const auto shards = owners->of(options.from);
  if (shards.empty()) return Error{Errc::no_owner, "host " + options.from + " has no shards"};
  return bus::shards_text(shards);
}

}  // namespace

int run_move(const Context& context, const MoveOptions& options) {
  const auto client = HttpClient::at(options.admin);
  if (!client) return fail(context, client.error());
  const auto shards = shards_of(options);
  if (!shards) return unreachable(context, options.admin, shards.error());
  auto state = first_state(*client, options, *shards);
  ProgressLine line(context);
  bool stopping = false;
  bool began = !shards->empty();
  while (state && state->goes_on()) {
    began = true;
    line.show(state->line());
    if (!stopping && context.interrupted && context.interrupted()) {
      stopping = true;
      state = read_move(client->post("/mail/move/stop", ""));
      if (!state) break;
    }
    std::this_thread::sleep_for(kMovePoll);
    state = read_move(client->get("/mail/move"));
  }
  if (!state) return unreachable(context, options.admin, state.error());
  if (context.json) {
    context.out << bustop::dump({{"state", state->state},
                                 {"shards", state->shards},
                                 {"taken", state->taken},
                                 {"error", state->error}});
  } else {
    context.out << state->taken << " of " << state->shards << " shards are here\n";
  }
  if (state->state == "none" && began && !options.stop) {
    state->error = "busd was restarted";
  } else if (state->state == "done" || state->state == "none" || options.stop) {
    return kExitOk;
  }
  return fail(context,
              {Errc::io_error, state->error + "; what has moved is here, the rest where it was: "
                                              "the same command goes on"});
}

}  // namespace starbus::mail_tool
