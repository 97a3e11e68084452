/// The names that a process owns, requests or gives up, and the moves that they are in.
///
/// A table without rules: NameBinder, NameRequests, MoveSource, MoveTarget and ChannelSender change
/// its bindings. Owns them; pointers to a binding are valid until `erase`. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <memory>
#include <set>

#include "bus/core/ends/outbox.hpp"
#include "bus/core/ends/process_events.hpp"
#include "bus/core/wire/name.hpp"

namespace starbus::bus {

/// A channel that leaves (active: it drains; frozen) or arrives (attaching).
struct MoveAttempt {
  Ticket ticket;
  Lineage target_lineage{};  // of the target's process channel
  Time since{};              // when the present phase began
  bool asked = false;        // drained: busroot is asked
  bool reclaiming = false;
  bool packed = false;  // the state has left, and the outbox with it
  Token state = 0;      // of the state message, while frozen
  std::uint64_t state_seq = 0;
  Error failure{Errc::deadline, "the target did not take it in time"};
  std::vector<FilterRow> filter{};  // while attaching
  Bytes application{};              // while attaching
};

/// One name of this process, from the request for it until it is gone, with its move if it has one.
struct Binding {
  enum class Phase { binding, active, unbinding, frozen, attaching };

  BindingId id = 0;
  Name name;
  Phase phase = Phase::binding;
  Epoch epoch{};      // 0: not granted yet
  Lineage lineage{};  // 0: not granted yet
  bool durable = false;
  Lineage resumed{};  // durable: the lineage to go on with, 0 for a new one
  bool confirmed = false;
  bool paused = false;       // active again after a move; accepts nothing until the program knows
  Time asked{};              // when its request was sent last
  bool repeated = false;     // the request for its grant was sent more than once
  std::uint32_t sender = 0;  // Marks::sender; 0: the channel has sent nothing
  std::unique_ptr<MoveAttempt> move{};
  std::unique_ptr<Outbox> outbox{};  // null: empty

  ChannelId channel() const { return name.id(); }
  /// In this phase of the move with this ticket.
  bool moves_under(const Ticket& ticket, Phase in) const {
    return phase == in && move && move->ticket == ticket;
  }
};

class BindingTable {
 public:
  using Map = boost::unordered_flat_map<ChannelId, std::unique_ptr<Binding>>;

  /// Null if there is none.
  Binding* find(const ChannelId& channel) const;
  /// The name must not be in the table.
  Binding& add(Name name);
  /// Ends the binding, without any event.
  void erase(const ChannelId& channel);
  /// Takes all bindings out.
  std::vector<std::unique_ptr<Binding>> take_all();

  /// Numbers of bindings and of tickets of moves: one sequence, from 1.
  BindingId next_id() { return next_id_++; }
  const Map& all() const { return bindings_; }
  std::size_t size() const { return bindings_.size(); }

  // Indices, kept by the classes that change bindings. `erase` takes a channel out of all.
  std::set<ChannelId> unanswered{};  // a request is out
  std::set<ChannelId> moving{};      // Binding::move is not null
  std::set<ChannelId> waiting{};     // Binding::outbox is not null

 private:
  Map bindings_;
  BindingId next_id_ = 1;
};

}  // namespace starbus::bus
