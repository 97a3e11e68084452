/// The packets of a session that its client has not acknowledged, and the number c of the next.
///
/// A packet of the subject's stream has a mark: the part that is shown with it. Parts that the
/// gate consumes itself (idle, join, leave) get no c: they count as acknowledged with the packet
/// before them. Belongs to the loop's thread; bodies are shared. Is full at kWindowBytes and
/// kWindowPackets: the session ends then.
#pragma once

#include <optional>
#include <variant>

#include "base/compact_queue.hpp"
#include "entity/client/parts.hpp"
#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

using sessions::Body;
using sessions::Run;

/// A part of a subject's stream; n = 0: none.
struct Mark {
  Bind bind{};
  Run run{};
  std::uint64_t n = 0;
  friend bool operator==(const Mark&, const Mark&) = default;
};

/// A packet before it is encoded. Its frame is a Packet; a body of kind full follows up_seen.
struct Parcel {
  std::uint64_t c = 0;
  PacketKind kind = PacketKind::call;
  std::uint64_t up_seen = 0;  // of kind full
  std::variant<Body, Ended> body{};
  Mark mark{};  // of the part that it shows
  Mark last{};  // of the last part that is acknowledged with it
};

/// Bytes of its body, as the window counts them.
std::size_t size_of(const Parcel& parcel);

class PacketWindow {
 public:
  /// All of it: what a hand-over carries.
  struct State {
    std::uint64_t next = 1;
    std::uint64_t acked = 0;
    Mark marked{};    // the last part that is acknowledged
    Mark credited{};  // the last that the subject was told so
    CompactQueue<Parcel> packets{};
  };
  PacketWindow() = default;
  explicit PacketWindow(State state);

  /// No packet more.
  bool full() const;
  /// Draws c. Not when full, but for the last packet of the session.
  const Parcel& add(PacketKind kind, std::variant<Body, Ended> body, const Mark& mark,
                    std::uint64_t up_seen);
  /// A part that gets no packet.
  void silent(const Mark& mark);
  /// Whether a client that was shown all up to c can go on.
  bool holds(std::uint64_t c) const { return state_.acked <= c && c < state_.next; }
  /// All up to c were shown; only if holds(c).
  void ack(std::uint64_t c);
  /// A mark to tell the subject: once for each.
  std::optional<Mark> take_credit();

  std::size_t bytes() const { return bytes_; }
  const State& state() const { return state_; }

 private:
  State state_;
  std::size_t bytes_ = 0;
};

}  // namespace starbus::nodes::gate
