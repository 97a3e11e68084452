/// What all bots of one loop share: the script, what it makes of it once, figures, violations,
/// chance. Belongs to the loop's thread.
#pragma once

#include <chrono>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "clients/cpp/client.hpp"
#include "tools/bots/checks/letters.hpp"
#include "tools/bots/checks/queue_check.hpp"
#include "tools/bots/checks/violations.hpp"
#include "tools/bots/event_log.hpp"
#include "tools/bots/figures.hpp"
#include "tools/bots/script.hpp"

namespace starbus::bots {

/// How far a run is.
enum class Stage : std::uint8_t {
  playing,   ///< bots arrive, ask, cut and take over
  settling,  ///< nothing is begun; outcomes are waited for
  leaving,   ///< those who play say goodbye
  over,
};

inline Nanos now_nanos() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// The tickets of bots that come back: account, signed part.
using Tickets = std::unordered_map<std::string, game::Bytes>;

/// See above.
struct Ground {
  const Script& script;
  const game::Options& options;  // of each client, but for its own seed and addresses
  const Tickets& tickets;
  Violations& violations;
  Letters& letters;  // of all loops
  EventLog& log;     // likewise
  QueueCheck queue{};
  Figures figures;
  std::mt19937_64 random;
  Nanos started = 0;  // of the run
  Stage stage = Stage::playing;

  Ground(const Script& of, const game::Options& with, const Tickets& back, Violations& broken,
         Letters& said, EventLog& events, std::uint64_t seed, Nanos start)
      : script(of),
        options(with),
        tickets(back),
        violations(broken),
        letters(said),
        log(events),
        figures(of.says.size(), of.hears.size()),
        random(seed),
        started(start) {}

  /// 0 .. 1.
  double chance() { return std::uniform_real_distribution<double>(0, 1)(random); }
  /// least .. most.
  std::uint64_t between(std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
  }
  /// From now, as random as what has this mean time between two.
  Nanos after(milliseconds mean) {
    const double seconds = std::chrono::duration<double>(mean).count();
    const double drawn = std::exponential_distribution<double>(1 / seconds)(random);
    return now_nanos() + static_cast<Nanos>(drawn * static_cast<double>(kSecond));
  }
};

}  // namespace starbus::bots
