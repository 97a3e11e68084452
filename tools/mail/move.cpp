// starbus-mail move: shards of other hosts to the host of a busd which runs.
#include <chrono>
#include <ostream>
#include <thread>

#include "bus/core/wire/shard_list.hpp"
#include "daemon/admin/admin_http.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using daemon::HttpClient;
constexpr std::chrono::milliseconds kMovePoll{200};

/// The move as busd reports it.
struct MoveState : report::MailMove {
  bool goes_on() const { return state == "running" || state == "stopping"; }
  std::string count() const {
    return std::to_string(taken) + " of " + std::to_string(shards) + " shards are here";
  }
  std::string line() const {
    const std::string what = state == "none" ? "no move" : count();
    if (from.empty()) return goes_on() ? what + "; " + state : what;
    const std::string of = "shard " + std::to_string(shard.value_or(0)) + " of " + from;
    // A move that a restart of busd has interrupted: it goes on whatever is asked for now.
    if (rows == 0) return what + "; " + of + ": " + doing;
    if (!goes_on()) return what;
    return what + "; " + doing + " " + of + ": " + std::to_string(rows) + " rows, " +
           bustop::human_bytes(static_cast<double>(bytes));
  }
};

Result<MoveState> read_move(const Result<std::string>& text) {
  auto move = document_of<report::MailMove>(text);
  if (!move) return move.error();
  return MoveState{std::move(*move)};
}

class Mover {
 public:
  Mover(const Context& context, const MoveOptions& options, const HttpClient& client)
      : context_(context), options_(options), client_(client) {}

  /// The move that is under way, or was the latest.
  int view() {
    auto state = now();
    if (state && (options_.follow || (context_.progress && !context_.json))) {
      state = watch(*state, [] { return false; });
      if (state && state->goes_on()) context_.err << "starbus-mail: the move continues\n";
    }
    return state ? end(*state) : unreachable(context_, options_.admin, state.error());
  }

  int stop() {
    auto state = now();
    if (state && !state->goes_on()) {
      if (!context_.json) context_.out << "no move is under way\n";
      if (context_.json) print(*state);
      return kExitOk;
    }
    if (state) state = read_move(client_.post("/mail/move/stop", ""));
    if (state) state = watch(*state, [] { return false; });
    if (!state) return unreachable(context_, options_.admin, state.error());
    print(*state);
    return kExitOk;
  }

  int move(const std::string& shards) {
    auto state = read_move(client_.post("/mail/move?shards=" + daemon::percent_encode(shards), ""));
    if (state) {
      state = watch(*state, [this, asked = false]() mutable {
        if (!asked) asked = read_move(client_.post("/mail/move/stop", "")).has_value();
        return true;
      });
    }
    if (!state) return unreachable(context_, options_.admin, state.error());
    if (state->state == "none") {
      state->state = "failed";
      state->error = "busd was restarted";
    }
    return end(*state);
  }

  void print(const MoveState& state) const {
    if (context_.json) {
      context_.out << bustop::dump({{"state", state.state},
                                    {"shards", state.shards},
                                    {"taken", state.taken},
                                    {"error", state.error}});
    } else {
      context_.out << bustop::printable(state.line()) << "\n";
    }
  }

 private:
  Result<MoveState> now() const { return read_move(client_.get("/mail/move")); }

  /// Until it has ended, or the user wants no more and `interrupted` says that this is the end.
  template <class Interrupted>
  Result<MoveState> watch(MoveState first, Interrupted interrupted) const {
    ProgressLine line(context_);
    auto state = Result<MoveState>(std::move(first));
    while (state && state->goes_on()) {
      line.show(bustop::printable(state->line()));
      if (context_.interrupted && context_.interrupted() && !interrupted()) break;
      std::this_thread::sleep_for(kMovePoll);
      state = now();
    }
    return state;
  }

  int end(const MoveState& state) const {
    print(state);
    if (state.state != "failed") return kExitOk;
    return fail(context_,
                {Errc::io_error,
                 state.error + "; the shards that have moved are here, the others where they were; "
                               "repeat the command to continue"});
  }

  const Context& context_;
  const MoveOptions& options_;
  const HttpClient& client_;
};

}  // namespace

int run_move(const Context& context, const MoveOptions& options) {
  const auto client = HttpClient::at(options.admin);
  if (!client) return fail(context, client.error());
  Mover mover(context, options, *client);
  if (options.stop) return mover.stop();
  if (!options.from.empty()) {
    const auto places = mail_places(options.admin);
    if (!places) return unreachable(context, options.admin, places.error());
    const auto shards = places->of(options.from);
    if (!shards.empty()) return mover.move(bus::shards_text(shards));
    if (!places->from_root) {
      return fail(context, {Errc::unreachable,
                            "busroot does not answer, and only busroot knows which shards host " +
                                options.from + " has; try again"});
    }
    if (!places->known.contains(options.from)) {
      return fail(context, {Errc::no_owner, "host " + options.from +
                                                ": not in this cluster; starbus-mail shards shows "
                                                "the hosts that keep mail"});
    }
    if (context.json) mover.print({});
    if (!context.json) {
      context.out << "host " << bustop::printable(options.from) << " has no shards\n";
    }
    return kExitOk;
  }
  if (options.shards.empty()) return mover.view();
  return mover.move(options.shards);
}

}  // namespace starbus::mail_tool
