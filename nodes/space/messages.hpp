/// What the service of spaces and the nodes that run spaces say to each other, and what those who
/// want to enter ask and are told. Plain values.
///
/// docs/guide/spaces.md has each message with its races. Messages of one node come in the order in
/// which it said them, and orders reach it in the order of their numbers.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nodes/space/names.hpp"
#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

/// The reading of a monotonic clock, and a span of it.
using Time = std::chrono::nanoseconds;

/// One creation of a space: never the same twice. The term is the epoch of the service's claim.
struct Life {
  std::uint64_t term = 0;
  std::uint64_t number = 0;

  auto operator<=>(const Life&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(term, number);
  }
};

/// A seat that is held for one player until it arrives with this: never the same twice.
struct Ticket {
  std::uint64_t term = 0;
  std::uint64_t number = 0;

  auto operator<=>(const Ticket&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(term, number);
  }
};

/// Orders of the service to a node.
struct Hello {  // announce all that runs, and obey no lower term from now on
  template <class Archive>
  void serialize(Archive&) {}
};
struct Create {
  SpaceName name;
  SpaceType type;
  std::string setup;  // of the game, for its space

  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, type, setup);
  }
};
struct Reserve {  // all of the seats, or none
  std::vector<Ticket> tickets;
  std::chrono::milliseconds hold{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(tickets, hold);
  }
};
struct Release {  // seats that are not wanted any more, if they still are held
  std::vector<Ticket> tickets;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(tickets);
  }
};
struct Countdown {  // players are asked to leave, held seats are given up, and none comes in
  std::chrono::milliseconds after{};  // the space ends

  template <class Archive>
  void serialize(Archive& archive) {
    archive(after);
  }
};
struct Close {         // the space ends
  bool force = false;  // also with players or seats that are held

  template <class Archive>
  void serialize(Archive& archive) {
    archive(force);
  }
};

/// One order. An order that is repeated has another number and the same life.
struct Order {
  std::string node;  // HOST.NODE
  std::uint64_t term = 0;
  std::uint64_t number = 0;  // grows by 1 within a term, over all nodes
  Life life{};               // of the space; none for a Hello
  std::variant<Hello, Create, Reserve, Release, Countdown, Close> what;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(node, term, number, life, what);
  }
};

/// How full a space is, at its node.
struct Seats {
  std::uint32_t present = 0;
  std::uint32_t held = 0;  // reserved, and not arrived yet

  std::uint32_t taken() const { return present + held; }
  bool operator==(const Seats&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(present, held);
  }
};

/// What an order has led to. A Hello is answered by an announcement, a Release and a
/// Countdown by nothing.
struct Reply {
  enum class To : std::uint8_t { create, reserve, close };

  std::uint64_t term = 0;
  std::uint64_t number = 0;  // of the order
  To to = To::create;
  Life life{};
  Result<>
      result;     // of a Create when the space has started or failed; of a Close when it has ended
  Seats seats{};  // after it

  template <class Archive>
  void serialize(Archive& archive) {
    archive(term, number, to, life, seats);
    Error problem = result.error();
    archive(problem);
    if (problem.code != result.error().code) result = std::move(problem);  // when it is read
  }
};

/// One space of an announcement.
struct SpaceRow {
  Life life{};
  SpaceName name;
  bool ready = false;                   // it has started
  bool ending = false;                  // a countdown runs, by an order or by itself
  std::chrono::milliseconds ends_in{};  // of that
  std::uint32_t capacity = 0;
  Seats seats{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(life, name, ready, ending, ends_in, capacity, seats);
  }
};

/// All that a node runs: after a Hello, and once a second.
struct Announcement {
  std::uint64_t term = 0;  // of the latest service that it has heard
  std::uint64_t seen = 0;  // the latest order of that term that it has handled
  double busy_ms_per_s = 0;
  bool draining = false;
  std::vector<std::string> types;  // of which it has the class
  std::vector<std::string> labels;
  std::vector<SpaceRow> spaces;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(term, seen, busy_ms_per_s, draining, types, labels, spaces);
  }
};

/// Seats that somebody asks for: one for a player, some for a team, in one line.
struct EnterRequest {
  PlaceId place;
  std::uint32_t seats = 1;
  std::uint32_t line = 0;  // the chosen one; 0: any
  std::chrono::milliseconds patience{};
  std::string setup;  // for the space, if this request begins the place
  /// Of the caller's process, which may withdraw it under this number; 0: it does not.
  std::uint64_t number = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, seats, line, patience, setup, number);
  }
};

/// Seats that are held: their players may come, each with a ticket of its own.
struct Grant {
  SpaceName space;
  Life life{};
  std::string node;  // HOST.NODE
  std::vector<Ticket> tickets;
  std::chrono::milliseconds hold{};  // until the seats are given up

  template <class Archive>
  void serialize(Archive& archive) {
    archive(space, life, node, tickets, hold);
  }
};

/// One line of a place, for players who choose, and for operators.
struct LineView {
  SpaceName space;
  std::string state;  // "creating", "ready", ...
  std::string node;
  std::uint32_t taken = 0;
  std::uint32_t soft_capacity = 0;
  std::uint32_t capacity = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(space, state, node, taken, soft_capacity, capacity);
  }
};

/// The one answer to a request.
struct Answer {
  std::uint64_t request = 0;
  Result<Grant> result;
};

}  // namespace starbus::nodes::space
