#include "bench/space/cases.hpp"

#include <algorithm>

#include "bench/space/runs.hpp"
#include "bench/space/sight_load.hpp"

namespace starbus::bench::space {
namespace {

constexpr float kSquare = 1'000;  // m
constexpr float kWalk = 25;       // m: around where one has begun
constexpr float kSpot = 10;       // m
constexpr float kStroll = 3;      // m: likewise, in a spot
constexpr std::size_t kSpotView = 30;
constexpr double kLongestTick = 50;  // ms

Bar at_most(double limit, const std::string& peer = "") {
  return {Bar::Kind::at_most, limit, peer};
}
// A count that must be right, however fast the machine is.
Bar no_more(double limit) {
  Bar bar = at_most(limit);
  bar.promise = true;
  return bar;
}

// A case, whose rows are added one by one.
struct Made {
  SuiteCase one;
  const std::vector<std::string>& missing;

  Made& row(const std::string& metric, const std::string& unit, std::optional<Bar> bar = {},
            std::string note = "") {
    Row row{one.name + "." + metric, unit, {one.name, metric}};
    if (bar && !bar->peer.empty()) row.name += "." + bar->peer;
    if (bar && std::ranges::find(missing, bar->peer) != missing.end()) {
      note = bar->peer + " is not available";
    }
    row.bar = std::move(bar);
    row.note = std::move(note);
    one.rows.push_back(std::move(row));
    return *this;
  }
};

// --- within one process --------------------------------------------------------------------------

SuiteCase sight_case(const std::string& name, const std::string& about, const Load& load,
                     const Options& options) {
  static const std::vector<std::string> none;
  Made made{{.name = name, .about = about, .peers = {kStarbus}}, none};
  made.one.run = [load, &options](const std::string&, int) -> Result<Metrics> {
    Load as_long = load;
    as_long.ticks = options.ticks;
    return run(as_long);
  };
  made.row("p50", "ms/tick")
      .row("p99", "ms/tick")
      .row("aoi", "ms/tick")
      .row("views", "ms/tick")
      .row("bytes", "B/move", at_most(12))
      .row("seen", "entities")
      .row("client", "B/s");
  return made.one;
}

// --- over real processes -------------------------------------------------------------------------

using Peers = std::vector<std::string>;

SuiteCase walk_case(const std::string& name, const std::string& about, Peers peers,
                    const std::function<Crowd()>& crowd, const Options& options,
                    const std::vector<std::string>& missing) {
  std::erase_if(peers, [&](const std::string& peer) {
    return std::ranges::find(missing, peer) != missing.end();
  });
  Made made{{.name = name, .about = about, .peers = std::move(peers)}, missing};
  made.one.run = [crowd, &options](const std::string& peer, int) {
    return run_walk(peer, crowd(), options);
  };
  made.row("node", "cores", at_most(1), "of the space node, or the room")
      .row("gate", "cores")
      .row("p50", "ms/tick")
      .row("p99", "ms/tick", at_most(kLongestTick))
      .row("late", "ms, p99", {}, "how long after its due time a tick begins")
      .row("missed", "ticks")
      .row("cpu", "us/update", at_most(0.3, kColyseus), "of space node and gate together")
      .row("alone", "us/update", {}, "of the space node without the gate")
      .row("seen", "entities")
      .row("rate", "1/s", {}, "updates of a visible entity")
      .row("down", "B/s", {}, "of a client")
      .row("up", "B/s", {}, "of a client")
      .row("update", "B/update", at_most(12), "all that comes down the link")
      .row("update", "B/update", at_most(0.5, kColyseus), "the same")
      .row("mover", "B/mover", at_most(12), "of one that is known, with its index, in the body")
      .row("enters", "1/s", {}, "others that come in sight of a client")
      .row("wrong", "", no_more(0), "corrections and violations");
  return made.one;
}

SuiteCase news_case(const Options& options) {
  static const std::vector<std::string> none;
  Made made{{.name = "node.news",
             .about = "they stand, and a byte of each changes in each tick",
             .peers = {kStarbus}},
            none};
  made.one.run = [&options](const std::string&, int) {
    return run_news({.players = options.posers,
                     .side = kSpot,
                     .range = kStroll,
                     .view = kSpotView,
                     .news_every = 1},
                    options);
  };
  made.row("first", "B/change", at_most(16), "in the body of one client")
      .row("encoded", "times", at_most(1.001), "each change, for all observers")
      .row("observers", "clients", {}, "are told of a change")
      .row("heard", "1/s")
      .row("p99", "ms/tick", at_most(kLongestTick))
      .row("wrong", "", no_more(0), "corrections and violations");
  return made.one;
}

}  // namespace

std::vector<SuiteCase> cases_of(const Options& options, const std::vector<std::string>& missing) {
  const auto wide = [](std::size_t players) {
    return Crowd{.players = players, .side = kSquare, .range = kWalk};
  };
  const auto spot = [&options] {
    return Crowd{.players = options.crowd, .side = kSpot, .range = kStroll, .view = kSpotView};
  };
  return {sight_case("walk", "1,000 in a square kilometre, sight alone, in one process",
                     {.walkers = 1'000, .side = kSquare}, options),
          sight_case("spot", "300 in one spot, likewise",
                     {.walkers = 300, .side = kSpot, .most_seen = kSpotView}, options),
          walk_case(
              "node.walk", "1,000 in a square kilometre, over a cluster",
              {kStarbus, kColyseus, kColyseusAll}, [&, wide] { return wide(options.walkers); },
              options, missing),
          walk_case(
              "node.walk2000", "2,000, likewise", {kStarbus, kColyseus},
              [&, wide] { return wide(options.many); }, options, missing),
          walk_case("node.spot", "300 in one spot, each sees 30",
                    {kStarbus, kColyseus, kColyseusAll}, spot, options, missing),
          news_case(options)};
}

}  // namespace starbus::bench::space
