/// The spaces of one node without I/O: obeys the service of spaces, holds seats for those who have
/// been let in, and says what runs here. docs/guide/spaces.md has the contract.
///
/// Input: orders, what the caller has done of its work, players who come and leave, the time.
/// Output: work for the caller (start, warn, end a space), replies, and announcements. A service of
/// an earlier term is not obeyed. Seats that are taken and held never exceed a space's capacity,
/// whatever the service asks for.
///
/// Sans-IO; belongs to one thread. Owns all that it knows; spaces themselves are the caller's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nodes/space/messages.hpp"

namespace starbus::nodes::space {

class HostedSpaces {
 public:
  /// Begin the space, and call started().
  struct Start {
    Life life{};
    Create order;
  };
  /// Tell its players that it ends after that time: let them leave.
  struct Warn {
    Life life{};
    std::chrono::milliseconds after{};
  };
  /// End it with whoever is there, also one that still starts, and call ended(): also if it cannot
  /// be ended well.
  struct End {
    Life life{};
  };
  using Work = std::variant<Start, Warn, End>;

  /// Types of which the node has the class, and its labels.
  HostedSpaces(std::vector<std::string> types, std::vector<std::string> labels)
      : types_(std::move(types)), labels_(std::move(labels)) {}

  /// stale_service: a later service has given orders; nothing was done. bad_request: the order has
  /// values that no service sends (check_order.hpp), and no answer that could say so.
  Result<> obey(const Order& order, Time now);
  /// The space runs and has its name, or has failed and is gone. Ignored of one that was ended.
  void started(const Life& life, const Result<>& result);
  /// The space has gone, and its name is free. Ignored if it is unknown.
  void ended(const Life& life);

  /// A player is on its way with a ticket, from another process: its seat is there, and is held for
  /// `hold` from now on, also when the node drains or a countdown begins meanwhile. The same ticket
  /// may be claimed again. unknown_ticket; ends: the node drains, or a countdown runs.
  Result<> claim(const Ticket& ticket, std::chrono::milliseconds hold, Time now);
  /// How many seats are claimed, and not taken yet.
  std::size_t claimed() const;
  /// A player comes with a ticket, and takes its seat. unknown_ticket.
  Result<Life> arrive(const Ticket& ticket, Time now);
  /// A player has left, or has ended. Ignored if the space is unknown, or empty.
  void leave(const Life& life);
  /// A space ends by itself after that time: its match is over. unknown_space, ends; bad_request: a
  /// time below 0 or above kLongestCountdown.
  Result<> end_by_itself(const Life& life, std::chrono::milliseconds after, Time now);
  /// The node drains: it takes no more spaces, and nobody in but those who have claimed a seat.
  void drain();
  /// The same, and all spaces end: those without players now, the others after that time at the
  /// latest, of which they are warned.
  void drain(std::chrono::milliseconds after, Time now);

  /// Gives up seats whose time is over, and ends spaces whose countdown is.
  void due(Time now);

  /// All that runs here, for the service of term().
  Announcement announcement(double busy_ms_per_s, Time now) const;
  /// A service has asked for one since the last call.
  bool take_announce() { return std::exchange(announce_, false); }
  /// A space that was full has had room since the last call: the service is to hear it soon.
  bool take_room() { return std::exchange(room_, false); }
  /// In order; replies go before a later announcement.
  std::vector<Work> take_work() { return std::exchange(work_, {}); }
  std::vector<Reply> take_replies() { return std::exchange(replies_, {}); }
  std::uint64_t term() const { return term_; }
  std::size_t size() const { return spaces_.size(); }

 private:
  enum class State : std::uint8_t { starting, running, ending };
  struct Held {
    Time until{};
    bool claimed = false;
  };
  struct Hosted {
    SpaceName name;
    State state = State::starting;
    std::uint32_t capacity = 0;
    std::uint32_t present = 0;
    std::map<Ticket, Held> held;
    std::optional<Time> ends_at;   // a countdown runs
    std::uint64_t created_by = 0;  // number of the order to answer
    std::uint64_t closed_by = 0;   // 0: none

    bool full() const { return present + held.size() >= capacity; }
  };
  Result<> refuse_bad(const Order& order, Result<> why);
  void obey_create(const Order& order, const Create& create);
  void obey_reserve(const Order& order, const Reserve& reserve, Time now);
  void obey_close(const Order& order, const Close& close);
  void count_down(const Life& life, Hosted& space, std::chrono::milliseconds after, Time now);
  void give_up_seats(Hosted& space);
  void give_up_unclaimed(Hosted& space);
  void end(const Life& life, Hosted& space);
  void reply(const Order& order, Reply::To to, Result<> result, const Hosted* space);
  void reply(std::uint64_t number, Reply::To to, const Life& life, Result<> result, Seats seats);
  static Seats seats_of(const Hosted& space);

  const std::vector<std::string> types_;
  const std::vector<std::string> labels_;
  std::map<Life, Hosted> spaces_;
  std::map<SpaceName, Life> names_;
  std::map<Ticket, Life> tickets_;
  std::uint64_t term_ = 0;
  std::uint64_t seen_ = 0;
  bool draining_ = false;
  bool announce_ = false;
  bool room_ = false;
  std::vector<Work> work_;
  std::vector<Reply> replies_;
};

}  // namespace starbus::nodes::space
