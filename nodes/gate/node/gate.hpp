/// A gate without its process: the core of sessions with clients on one side and the bus on the
/// other. docs/operate/gate.md.
///
/// Belongs to the loop's thread; the place and what the ports refer to outlive it. A lost lease
/// ends all connections (others may have the sessions now), and the gate begins anew.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "entity/timers/timer_wheel.hpp"
#include "nodes/gate/node/bus_side.hpp"
#include "nodes/gate/node/client_side.hpp"
#include "nodes/gate/node/ports.hpp"
#include "nodes/runtime/node.hpp"

namespace starbus::nodes::gate {

/// `[gate]`. A plain value.
struct GateSettings {
  net::FrontSettings front{};
  std::string address{};             // as clients use it; may be empty
  std::size_t sessions = kSessions;  // at most kSessions
  std::chrono::milliseconds drain_time{30'000};
  Budget budget{};
  /// The least body that is deflated, in bytes; 0: none is.
  std::size_t compress_above = 0;
  friend bool operator==(const GateSettings&, const GateSettings&) = default;
};
/// Reads the table `[gate]`. Problems are noted at the reader.
GateSettings read_gate_settings(daemon::ConfigReader& reader);

class Gate final : private CoreDriver, private KeySource {
 public:
  Gate(const GatePlace& place, GateSettings settings, AccountPort accounts, LoginPort login,
       std::uint64_t schema);
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Sees the cluster, owns its name, and lets clients in. Again after lost(). bad_config,
  /// io_error; already_bound; those of a watch.
  void open(Done done);
  /// Hands all sessions to other gates, and ends; at most drain_time.
  void drain(Done done);
  /// The lease is lost.
  void lost();
  /// Whether the node has its link to the bus; it has, until this is told.
  void linked(bool there);
  Result<> reload(const GateSettings& fresh);

  std::size_t sessions() const { return core_ ? core_->size() : 0; }
  const GateSettings& settings() const { return settings_; }
  /// It stops, and lets nobody in.
  bool draining() const { return drained_ != nullptr || closing_; }
  /// nullptr before open().
  GateCore* sessions_core() { return core_ ? &*core_ : nullptr; }
  const ClientSide& clients() const { return clients_; }
  net::Front& front() { return clients_.front(); }
  const BusSide& cluster() const { return cluster_; }
  /// For the group of all gates: Node::offer.
  bus::Handlers group_handlers() { return cluster_.group_handlers(); }

 private:
  // CoreDriver
  GateCore& core() override { return *core_; }
  void settle() override;
  bool is_full() const override { return full_; }
  // KeySource
  Key key() override;

  void carry_out(Effect effect);
  void begin();  // a new core
  void tick();
  void speak_later();
  void bind(Done done);
  void no_targets();
  void check_drained();
  GateInfo info() const;

  const GatePlace place_;
  GateSettings settings_;
  const LoginPort login_;
  daemon::RateLimited limited_;
  std::optional<GateCore> core_;
  ClientSide clients_;
  BusSide cluster_;
  bool settling_ = false;
  std::vector<Effect> effects_;  // that are being carried out
  bool full_ = false;
  bool listening_ = false;
  bool watching_ = false;
  bool ticks_again_ = false;
  bool speaks_ = false;  // speak_later() was posted
  bool linked_ = true;

  // A drain.
  Done drained_;
  std::vector<DrainTarget> targets_;
  std::size_t asked_ = 0;
  ClientSide::Clock::time_point drain_until_{};
  bool closing_ = false;

  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  entity::TimerOwner timers_;
};

}  // namespace starbus::nodes::gate
