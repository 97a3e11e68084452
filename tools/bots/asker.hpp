/// What a session asks of its game: time-tables, payloads, and what has become of each request.
/// Belongs to one session, in its thread; the client outlives it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/bots/checks/begun_check.hpp"
#include "tools/bots/ground.hpp"
#include "tools/bots/state/memory.hpp"
#include "tools/bots/walker.hpp"

namespace starbus::bots {

/// See above.
class Asker {
 public:
  Asker(Ground& ground, std::uint64_t bot, const std::string& account, game::Client& client,
        const Memory& memory, Walker& walker);

  /// A full state of what the bot plays has come: what is said at the start is due.
  void on_full();
  /// When something is due; kNever: nothing, until an outcome or a full state.
  Nanos due() const;
  /// Says what is due, as long as the client takes it. Returns whether something was said.
  bool act(Nanos now);
  std::size_t open() const { return open_.size(); }
  void count_open(std::vector<std::uint64_t>& asked) const;
  /// The session is over: whatever has no outcome by now never gets one.
  void on_ended();

 private:
  struct Row {
    bool says = true;  // this bot has a part in it
    Schedule schedule{};
    Nanos next = kNever;  // of `think` and `start`
    BegunCheck begun{};
  };
  struct Open {
    std::size_t which = 0;
    Nanos meant = 0;
    std::uint64_t begun = 0;   // of BegunCheck
    game::Bytes echo{};        // the bytes of the payload as a value
    std::uint64_t letter = 0;  // its number; 0: none
  };
  void begin();
  Nanos due_of(std::size_t which) const;
  /// False: the client takes nothing now.
  bool say(std::size_t which, Nanos now);
  Nanos pause(const Say& say, Nanos now);
  /// Puts it off: there is nobody to say it to.
  void pass(std::size_t which, Nanos now);
  game::Bytes body_of(const Say& say, const Filling& filling, std::uint64_t target) const;
  /// Another bot of the script; 0: there is none.
  std::uint64_t other_bot();
  std::string payload_of(const Say& say, std::uint64_t number);
  void told(std::uint64_t number, const game::Outcome& outcome);
  void replied(const Open& open, const game::Outcome& outcome);
  void check_begun(const Open& open, game::Fate fate, std::optional<BegunCheck::Count> count);
  void report(Broken kind, std::size_t which, const std::string& expected, const std::string& got);

  Ground& ground_;
  const std::uint64_t bot_;
  const std::string account_;
  game::Client& client_;
  const Memory& memory_;
  Walker& walker_;
  const std::string mark_;  // of payloads: no other session has it
  std::vector<Row> rows_;   // of each [[say]]
  bool began_ = false;
  bool blocked_ = false;  // until an outcome
  std::uint64_t asked_ = 0;
  std::unordered_map<std::uint64_t, Open> open_;
};

}  // namespace starbus::bots
