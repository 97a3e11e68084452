#include "bench/gate/cases.hpp"

#include <algorithm>

#include "bench/gate/runs.hpp"

namespace starbus::bench::gate {
namespace {

constexpr double kKiB = 1024;
// Who is let in loads its account beside others that are: half a second of those who enter.
constexpr double kOvertaken = 100;

Bar at_most(double limit, const std::string& peer = "") {
  return {Bar::Kind::at_most, limit, peer};
}
Bar at_least(double limit, const std::string& peer = "") {
  return {Bar::Kind::at_least, limit, peer};
}
// Counts: however fast the machine is, they must be right.
Bar no_more(double limit) {
  Bar bar = at_most(limit);
  bar.promise = true;
  return bar;
}
Bar no_less(double limit) {
  Bar bar = at_least(limit);
  bar.promise = true;
  return bar;
}

// Rows of one case: a metric, and the bar for it.
class Rows {
 public:
  Rows(SuiteCase& one, const std::vector<std::string>& missing) : case_(one), missing_(missing) {}

  Rows& add(const std::string& metric, const std::string& unit, std::optional<Bar> bar = {},
            std::string note = "") {
    Row row{case_.name + "." + metric, unit, {case_.name, metric}};
    if (bar && !bar->peer.empty()) row.name += "." + bar->peer;
    if (bar && std::ranges::find(missing_, bar->peer) != missing_.end()) {
      note = bar->peer + " is not available";
    }
    row.bar = std::move(bar);
    row.note = std::move(note);
    case_.rows.push_back(std::move(row));
    return *this;
  }

 private:
  SuiteCase& case_;
  const std::vector<std::string>& missing_;
};

struct Maker {
  const Options& options;
  const std::vector<std::string>& missing;
  std::vector<SuiteCase> cases{};

  using Run = std::function<Result<Metrics>(const std::string& peer)>;
  Rows add(const std::string& name, const std::string& about, const std::vector<std::string>& peers,
           Run run) {
    SuiteCase one{.name = name, .about = about, .peers = {}};
    std::ranges::copy_if(peers, std::back_inserter(one.peers), [&](const std::string& peer) {
      return std::ranges::find(missing, peer) == missing.end();
    });
    one.run = [run = std::move(run)](const std::string& peer, int) { return run(peer); };
    cases.push_back(std::move(one));
    return {cases.back(), missing};
  }
};

void add_costs(Maker& make) {
  const Options& options = make.options;
  make.add("idle.plain", "memory of a client that does nothing, in the clear",
           {kStarbus, kMosquitto},
           [&](const std::string& peer) { return run_idle(peer, false, options); })
      .add("bytes", "a client", at_most(20 * kKiB))
      .add("bytes", "a client", at_most(1, kMosquitto));
  make.add("idle.tls", "the same over TLS 1.3", {kStarbus, kMosquitto},
           [&](const std::string& peer) { return run_idle(peer, true, options); })
      .add("bytes", "a client", at_most(60 * kKiB))
      .add("bytes", "a client", at_most(1, kMosquitto));
  make.add("active", "clients that ask and are answered",
           {kStarbus, kMosquitto, kAnswered, kColyseus},
           [&](const std::string& peer) { return run_active(peer, options); })
      .add("share", "of what was asked is answered in time", at_least(0.99))
      .add("rate", "answers/s")
      .add("core", "cores of the server", at_most(1))
      .add("cpu", "us a message", at_most(0.7, kMosquitto), "a broker that echoes by itself")
      .add("cpu", "us a message", at_most(0.7, kAnswered), "with a process that answers behind it")
      .add("cpu", "us a message", at_most(0.4, kColyseus), "a room that echoes by itself")
      .add("p50", "us")
      .add("p99", "us");
  make.add("latency", "what a gate adds to a bare TCP echo through the same bus", {kStarbus},
           [&](const std::string&) { return run_latency(options); })
      .add("gate", "p50, us")
      .add("bare", "p50, us")
      .add("added", "p50, us", at_most(60));
  make.add("handshakes", "full TLS 1.3 handshakes", {kStarbus, kHaproxy},
           [&](const std::string& peer) { return run_handshakes(peer, options); })
      .add("rate", "1/s", at_least(0.8, kHaproxy))
      .add("cpu", "us of the server");
  make.add("announce", "an announcement to clients at two gates", {kStarbus, kMosquitto},
           [&](const std::string& peer) { return run_announce(peer, options); })
      .add("last", "ms, slowest", at_most(100), "of all announcements and clients")
      .add("last", "ms, slowest", at_most(0.7, kMosquitto))
      .add("copies", "on the bus, of each", at_most(4), "2 hosts + 2 gates");
}

void add_exact(Maker& make) {
  const Options& options = make.options;
  const Bar none = no_more(0);
  make.add("cuts", "connections break at any byte", {kStarbus},
           [&](const std::string&) { return run_cuts(options); })
      .add("violations", "gaps, doubles, foreign, fates", none)
      .add("open", "requests without an outcome", none)
      .add("cuts", "cut", no_less(options.cuts))
      .add("absent", "players at the end", none)
      .add("heard", "numbered calls");
  make.add("takeovers", "accounts log in again while they play", {kStarbus},
           [&](const std::string&) { return run_takeovers(options); })
      .add("violations", "gaps, doubles, foreign, fates", none)
      .add("open", "requests without an outcome", none)
      .add("takeovers", "done", no_less(options.takeovers))
      .add("absent", "players at the end", none)
      .add("heard", "numbered calls");
  const auto disturbed = [&](Rows rows, const std::string& what, int times) {
    rows.add("violations", "gaps, doubles, foreign, fates", none)
        .add("open", "requests without an outcome", none)
        .add("absent", "players at the end", none)
        .add("times", what, no_less(times))
        .add("heard", "numbered calls")
        .add("resumed", "sessions that went on")
        .add("replies_lost", "not begun, or without their reply")
        .add("unknown", "outcomes");
    return rows;
  };
  disturbed(make.add("drains", "gates hand their sessions over, and start again", {kStarbus},
                     [&](const std::string&) { return run_drains(options); }),
            "gates drained", options.drains)
      .add("entered", "sessions that began anew", none);
  disturbed(make.add("kills", "gates die, and start again", {kStarbus},
                     [&](const std::string&) { return run_kills(options); }),
            "gates killed", options.kills)
      .add("entered", "sessions that began anew");
}

void add_logins(Maker& make) {
  const Options& options = make.options;
  const Bar none = no_more(0);
  make.add("storm", "all log in at once", {kStarbus},
           [&](const std::string&) { return run_storm(options); })
      .add("came_in", "players", no_less(options.logins))
      .add("twice", "sessions too many", none)
      .add("violations", "also of the order of the queue", none)
      .add("refused", "times that one was told to come again")
      .add("waited", "heard of the queue")
      .add("overtaken", "by later ones, at most", no_more(kOvertaken))
      .add("seconds", "until the last is in");
  make.add("guesses", "one address guesses a password, and others log in", {kStarbus},
           [&](const std::string&) { return run_guesses(options); })
      .add("guesses", "a minute of one address", no_more(17), "in its second minute")
      .add("alone", "p90 of honest logins, ms")
      .add("beside", "p90 of honest logins, ms")
      .add("ratio", "x alone", at_most(1.5));
  make.add("churn", "sessions begin and end", {kStarbus},
           [&](const std::string&) { return run_churn(options); })
      .add("sessions", "begun and ended", no_less(options.sessions))
      .add("growth", "MiB of two gates in the second half", no_more(4))
      .add("memory", "MiB of two gates")
      .add("violations", "gaps, doubles, foreign, fates", none);
}

}  // namespace

std::vector<SuiteCase> cases_of(const Options& options, const std::vector<std::string>& missing) {
  Maker make{options, missing};
  add_costs(make);
  add_exact(make);
  add_logins(make);
  return std::move(make.cases);
}

}  // namespace starbus::bench::gate
