/// What players of a run were asked to do and have done, wherever they were, and the first thing
/// that may not be. One thread; outlives the nodes.
///
/// A player lives from its loading to its end, in whichever processes it is meanwhile: what it was
/// given to do within one life is done once, and what was lost with a life that ended in a crash is
/// done once or never.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace starbus::sim {

class SpacesOracle {
 public:
  using Life = std::uint64_t;
  using Job = std::uint64_t;

  void demand(bool holds, const std::string& what) {
    if (!holds && violation_.empty()) violation_ = what;
  }
  /// Empty: none.
  const std::string& violation() const { return violation_; }
  std::function<void(const std::string&)> note = [](const std::string&) {};  // into the trace
  std::map<std::string, std::uint64_t> counts;
  bool rests = false;  // players change nothing by themselves any more
  int refusals = 0;    // of the next players who enter a space
  int stays = 0;       // the next players who are to move cannot

  // --- lives ---
  /// `rounds`: that its machine has made.
  Life new_life(const std::string& player, int rounds);
  /// It has ended in order, and not by a move.
  void life_ends(Life life, const std::string& why);
  /// Its process has died: it may live on where it was going to. Or its source goes on although the
  /// target may have run it: what follows is another life, and what was begun may be done again.
  void in_doubt(Life life);
  bool is_in_doubt(Life life) const {
    const auto found = lives_.find(life);
    return found != lives_.end() && found->second.doubt;
  }
  /// A round of its machine, which goes on where it was.
  void round(Life life, int number);

  // --- what a player does by itself: steps, questions, requests of its client ---
  /// `life` 0: that of whoever begins it.
  Job begin_job(Life life, const std::string& what);
  void did(Job job, Life life);
  /// It is known that it was done, or that it was not.
  void told(Job job, bool done);

  // --- messages ---
  /// The number of the next message of a sender to a player.
  std::uint64_t next_message(const std::string& player, const std::string& sender);
  void heard(const std::string& player, const std::string& sender, std::uint64_t number);
  enum class End : std::uint8_t {
    handled,
    not_handled,
    absent,   // not handled, as nobody is there
    unknown,  // it was handled, or not: its player, or its sender, has gone meanwhile
  };
  /// `sender_lost`: the sender itself was cut off.
  void ended(const std::string& player, const std::string& sender, std::uint64_t number, End end,
             bool sender_lost);

  // --- at the end ---
  /// A player that is gone without an end; empty: none.
  std::string lost(const std::set<Life>& living) const;
  /// What has no end yet; empty: nothing. `living`: the lives of players that there are; `senders`:
  /// those that hear how their messages have ended.
  std::string open(const std::set<Life>& living, const std::set<std::string>& senders) const;

 private:
  struct LifeRow {
    std::string player;
    bool ended = false;
    bool doubt = false;
    int rounds = 0;  // of its machine
  };
  struct JobRow {
    Life life = 0;
    std::string what;
    int done = 0;
    bool known = false;  // how it has ended
  };
  struct Message {
    bool heard = false;
    bool over = false;
    std::optional<std::uint64_t> ends;      // of its player by then; none: it did not live
    std::optional<std::uint64_t> heard_at;  // ends of its player by then
  };
  struct Stream {
    std::map<std::uint64_t, Message> messages;
    std::uint64_t last = 0;              // that was sent
    std::uint64_t latest = 0;            // that was heard
    std::optional<std::uint64_t> known;  // ends of the player: the life that the sender knows
  };
  std::string violation_;
  std::map<Life, LifeRow> lives_;
  struct PlayerRow {
    Life latest = 0;
    std::uint64_t ends = 0;  // of its lives, for certain or perhaps
  };
  std::map<std::string, PlayerRow> players_;
  std::map<Job, JobRow> jobs_;
  std::map<std::pair<std::string, std::string>, Stream> streams_;
};

}  // namespace starbus::sim
