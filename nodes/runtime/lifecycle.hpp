/// The states of a node, without I/O: events in, requests to the shell out.
///
///   starting     not on the bus yet, or not any more (its lease ended)
///   registered   on the bus, visible as node/HOST.NODE; nothing is routed to it
///   ready        its names are bound, ready/ROLE/HOST.NODE last: other nodes find it
///   draining     its names are released; it finishes its work
///   stopped      it has left the bus
///
/// Belongs to the loop's thread; the shell outlives it, and answers each request at once or later,
/// but nothing from within entered(). A lost lease begins a new attempt: answers to an earlier one
/// are ignored.
#pragma once

#include <cstdint>
#include <string_view>

#include "bus/core/error.hpp"

namespace starbus::nodes {

enum class NodeState : std::uint8_t { starting, registered, ready, draining, stopped };
std::string_view name_of(NodeState state);

class Lifecycle {
 public:
  using Attempt = std::uint64_t;

  /// Receives the requests. Each is answered by the function of the same name, unless its comment
  /// says otherwise.
  class Shell {
   public:
    virtual void announce(Attempt attempt) = 0;     // connect, own the presence: announced()
    virtual void prepare(Attempt attempt) = 0;      // the steps before readiness: prepared()
    virtual void open(Attempt attempt) = 0;         // bind what is offered, "ready" last: opened()
    virtual void withdraw() = 0;                    // release what was opened, at once; no answer
    virtual void drain() = 0;                       // the steps of the drain: drained()
    virtual void leave() = 0;                       // flush, and leave the bus: left()
    virtual void entered(NodeState state) = 0;      // for observers; no answer
    virtual void retry_later(Attempt attempt) = 0;  // after a while: retry()
    /// An error that no retry can remove: the node ends with it, by drain().
    virtual void failed(const bus::Error& reason) = 0;

   protected:
    ~Shell() = default;
  };

  explicit Lifecycle(Shell& shell) : shell_(shell) {}

  NodeState state() const { return state_; }
  /// The activity within the state, for people: "connects", "waits for its requirements".
  std::string_view doing() const;

  // --- what happens ---
  void start();
  void announced(Attempt attempt, const bus::Result<>& result);
  void prepared(Attempt attempt, const bus::Result<>& result);
  void opened(Attempt attempt, const bus::Result<>& result);
  void retry(Attempt attempt);
  void needs(bool met);
  void lease_lost();
  /// Called for SIGTERM, or by the program. Idempotent.
  void stop();
  void drained();
  void left();

 private:
  enum class Phase : std::uint8_t {
    idle,
    announcing,
    waiting,
    preparing,
    opening,
    open,
    draining,
    leaving,
    left,
  };
  bool present(Attempt attempt, Phase phase) const {
    return attempt == attempt_ && phase == phase_;
  }
  void enter(Phase phase, NodeState state);
  void ask();
  void go_on();
  bool refused(const bus::Result<>& result);

  Shell& shell_;
  NodeState state_ = NodeState::starting;
  Phase phase_ = Phase::idle;
  Attempt attempt_ = 0;
  bool met_ = false;
  bool prepared_ = false;  // in this attempt
};

}  // namespace starbus::nodes
