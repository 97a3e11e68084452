/// What a client tells its program. An interface whose functions do nothing unless overridden; they
/// are called in the client's thread, from within its functions, must not throw, and may ask, say
/// bye and log in, but not destroy the client. Views are good during the call.
#pragma once

#include <optional>
#include <string_view>

#include "clients/cpp/frames.hpp"
#include "clients/cpp/limits.hpp"
#include "clients/cpp/names.hpp"

namespace starbus::game {

/// Why a session is over: the reasons of gates (docs/reference/client-protocol.md), and the
/// client's own.
enum class EndReason : std::uint8_t {
  version = 1,
  malformed = 2,
  too_large = 3,
  idle = 4,
  too_many = 5,
  denied = 6,
  banned = 7,
  full = 8,
  token = 9,
  token_reused = 10,
  window = 11,
  replaced = 12,
  ended = 13,
  too_slow = 14,
  later = 15,
  leaving = 16,
  taken_over = 17,
  fault = 18,
  unreachable = 100,  ///< no gate for kGiveUp
  bye = 101,          ///< the program has left
};
std::string_view name_of(EndReason reason);

/// What the program can do when a session is over.
enum class Advice : std::uint8_t {
  log_in,      ///< log in again, if the player still plays
  ask_player,  ///< the proof was wrong, or somebody else plays: only when the player says so
  show_text,   ///< the text says why, and until when
  update,      ///< the program is too old, or faulty
  nothing,     ///< the program has left, or another one of it goes on
};
Advice advice_of(EndReason reason);

/// A connection was not made, or is lost; another one will be tried.
struct Lost {
  bool was_online = false;              // else: the client was not let in yet
  std::optional<CloseReason> reason{};  // of the gate; nullopt: the connection broke
  std::string_view text{};              // of the gate, for a person
  milliseconds again_in{};              // until the next attempt
};

/// See above.
class Events {
 public:
  Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  virtual ~Events() = default;

  /// The session waits, as long as this is said again.
  virtual void on_waiting(const Waiting&) {}
  /// Connected, and let in. `goes_on`: the stretch continues as if nothing had happened; else its
  /// full state follows. Keep the ticket if the program wants to come back after its own restart.
  virtual void on_online(bool /*goes_on*/, const Ticket&) {}
  /// The connection is lost, or the gate has no room now, and it is tried again. Requests wait.
  virtual void on_lost(const Lost&) {}
  /// A stretch begins.
  virtual void on_full(const FullState&) {}
  virtual void on_call(const Call&) {}
  /// Changes of properties.
  virtual void on_news(ByteView) {}
  /// Of the space around the subject: for a Space (space/space.hpp).
  virtual void on_sight(ByteView /*body*/) {}
  /// Said to a group; the body is a call (read_call).
  virtual void on_spoken(const Spoken&) {}
  /// The names of the server, once for each full state if the settings have a table: views learn
  /// them. What differs from the table; empty: nothing, or it is not known.
  virtual void on_names(const ServerNames&, std::span<const Difference>) {}
  /// A stretch is over; the next full state follows, or on_ended().
  virtual void on_over(const Over&) {}
  /// The session is over, and all fates were told. The text is for a person.
  virtual void on_ended(EndReason, std::string_view /*text*/) {}
};

}  // namespace starbus::game
