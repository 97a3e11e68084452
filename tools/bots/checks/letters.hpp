/// Letters of the bots of one process: numbered texts that a bot says and that others, or one
/// other, hear. Whether each comes, once, in order, and to whom it was said. Thread-safe: all loops
/// of a process share one.
///
/// A letter is the text `RUN.SAY.FROM.TO.NUMBER`, which `{letter}` of a [[say]] stands for. One
/// that is `to` somebody is to arrive once, whatever dies, if its request was answered without an
/// error: it may be heard again after a new full state, by which it had not been heard. One that is
/// to all comes in order, and none is missing between two that came while its sender and its
/// listener were in one scene each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/histogram.hpp"
#include "clients/cpp/requests.hpp"
#include "tools/bots/schedule.hpp"

namespace starbus::bots {

/// What a bot has heard of all letters: it belongs to the bot, and outlives its sessions.
struct LettersHeard {
  struct From {
    std::uint64_t last = 0;   // number
    std::uint64_t scene = 0;  // of the listener
    std::uint64_t stretch = 0;
  };
  std::map<std::pair<std::size_t, std::uint64_t>, From> from{};  // by [[say]] and sender
};

/// What was counted of the letters of one [[say]].
struct LetterFigures {
  std::uint64_t said = 0;
  std::uint64_t kept = 0;         // answered without an error: they are to arrive
  std::uint64_t arrived = 0;      // to somebody: once, of all that were said
  std::uint64_t again = 0;        // after a full state by which they had not come
  std::uint64_t passed_over = 0;  // kept, and told before or by a full state
  std::uint64_t lost = 0;         // kept, and never came
  std::uint64_t forgotten = 0;    // beyond kLettersKept, and never came
  Histogram latency{};            // of those to somebody, from the request
};

/// See above.
class Letters {
 public:
  /// `run`: that of no other run, so that letters of an earlier one are told from those of this.
  Letters(std::uint64_t run, std::size_t says);

  struct To {
    std::uint64_t bot = 0;  // 0: all who hear it
  };
  /// The next letter. `scene`: where its sender is.
  struct Said {
    std::string text;
    std::uint64_t number;
  };
  Said say(std::size_t say, std::uint64_t from, To to, std::uint64_t scene, Nanos now);
  /// What has become of its request; `failed`: the answer was an error.
  void ended(std::size_t say, std::uint64_t from, std::uint64_t number, game::Fate fate,
             bool failed);

  /// Who hears, and in which stretch and scene.
  struct Listener {
    std::uint64_t bot = 0;
    std::uint64_t stretch = 0;
    std::uint64_t scene = 0;
    Nanos now = 0;
  };
  /// What is wrong with it.
  struct Wrong {
    std::string expected;
    std::string got;
  };
  /// nullopt: nothing, or it is no letter of this run.
  std::optional<Wrong> heard(std::string_view text, const Listener& by, LettersHeard& before);

  /// Letters to `bot` of that [[say]]: that were kept, and that may have been, for all that is
  /// known.
  struct Bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  std::map<std::uint64_t, Bounds> bounds(std::size_t say) const;
  /// One that was kept, and that a bot must have heard.
  struct Lost {
    std::size_t say;
    std::uint64_t from;
    std::uint64_t to;
    std::uint64_t number;
  };
  /// Those that bots have not heard although they were told all since `stretch_at` of each.
  std::vector<Lost> missing(const std::map<std::uint64_t, Nanos>& stretches) const;
  /// Counts what is missing now as lost, and what came to nobody's ears by a full state as passed
  /// over.
  std::vector<Lost> judge_end(const std::map<std::uint64_t, Nanos>& stretches);
  LetterFigures figures(std::size_t say) const;

 private:
  enum class End : std::uint8_t { open, kept, refused, unknown };
  struct Letter {
    std::uint64_t to = 0;
    std::uint64_t scene = 0;  // of the sender
    Nanos said = 0;
    std::uint64_t heard = 0;  // stretch; 0: not
    End end = End::open;
  };
  struct Row {
    std::uint64_t first = 1;  // number of letters.front()
    std::deque<Letter> letters{};
    std::map<std::uint64_t, Bounds> past{};  // of those before the first, by receiver
  };
  struct Name {
    std::size_t say = 0;
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t number = 0;
  };
  static void count(const Letter& letter, Bounds& bounds);
  std::optional<Name> read(std::string_view text) const;
  Letter* find(const Name& name);
  std::optional<Wrong> heard_by_one(const Name& name, Letter& letter, const Listener& by,
                                    LettersHeard& before);
  std::optional<Wrong> heard_by_all(const Name& name, const Letter& letter, const Listener& by,
                                    LettersHeard& before);

  const std::uint64_t run_;
  mutable std::mutex mutex_;
  std::vector<std::map<std::uint64_t, Row>> rows_;  // of each [[say]], by sender
  std::vector<LetterFigures> figures_;
};

}  // namespace starbus::bots
