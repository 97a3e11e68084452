/// What bots count. Plain values: each loop has one, which the run takes away once a second and
/// adds to its own.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/histogram.hpp"
#include "tools/bots/schedule.hpp"

namespace starbus::bots {

/// Texts and how often; beyond kTexts of them the others count as one.
using Texts = std::map<std::string, std::uint64_t, std::less<>>;
void count(Texts& texts, const std::string& text, std::uint64_t times = 1);

/// Of one [[say]].
struct SayFigures {
  std::uint64_t asked = 0;
  std::uint64_t replied = 0;
  std::uint64_t reply_lost = 0;
  std::uint64_t not_begun = 0;
  std::uint64_t unknown = 0;
  std::uint64_t failed = 0;
  Texts errors{};
  Nanos late_most = 0;
  Histogram latency{};
};

/// Of one [[hear]].
struct HearFigures {
  std::uint64_t heard = 0;
  std::uint64_t bytes = 0;
  std::uint64_t passed_over = 0;
  std::int64_t missing = 0;
  Histogram latency{};
};

/// What bots were told of the spaces around them.
struct SightFigures {
  std::uint64_t bodies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t scenes = 0;
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
  std::uint64_t corrections = 0;
  std::uint64_t teleports = 0;

  void add(const SightFigures& other);
};

/// Values of a field that grows which a new stretch took back.
struct BackFigures {
  std::uint64_t times = 0;
  std::uint64_t amount = 0;
  Nanos oldest = 0;  // how old the value was that came, at most

  void add(const BackFigures& other);
};

/// Goes through portals.
struct TravelFigures {
  std::uint64_t begun = 0;  // a bot stands in a portal
  std::uint64_t unanswered = 0;
  Histogram latency{};  // until it is in a scene
};

struct Figures {
  Figures(std::size_t says, std::size_t hears) : say(says), hear(hears) {}

  std::vector<SayFigures> say;
  std::vector<HearFigures> hear;
  std::uint64_t unheard = 0;
  std::uint64_t news = 0;
  SightFigures sight{};
  std::vector<BackFigures> back{};  // of each of StateTable::grows
  TravelFigures travel{};
  std::uint64_t leaves = 0;  // bots that left, to come back
  std::uint64_t arrived = 0;
  std::uint64_t came_in = 0;
  std::uint64_t waited = 0;          // bots that heard of a queue
  std::uint64_t queue_most = 0;      // places before one of them
  std::uint64_t overtaken_most = 0;  // who came later and were let in before one of them
  std::uint64_t entered = 0;
  std::uint64_t resumed = 0;
  std::uint64_t fulls = 0;
  std::uint64_t takeovers = 0;
  std::uint64_t cuts = 0;
  std::uint64_t made = 0;  // connections
  std::uint64_t lost = 0;
  Texts refused{};  // before they were let in: reasons
  Texts ended{};
  Texts troubles{};
  Histogram entry{};

  void add(const Figures& other);
};

/// What is at one moment.
struct Gauges {
  std::uint64_t playing = 0;
  std::uint64_t waiting = 0;
  std::uint64_t away = 0;
  std::uint64_t open = 0;  // connections
  /// Of the bots that play: each field of the [[state]] with `own`, added up (integers).
  std::vector<std::int64_t> state_sums{};
  std::uint64_t state_bots = 0;
  std::vector<std::uint64_t> asked{};  // requests without an outcome, of each [[say]]
  std::uint64_t bytes_in = 0;          // since the start
  std::uint64_t bytes_out = 0;         // likewise

  void add(const Gauges& other);
};

}  // namespace starbus::bots
