/// One instance at its host, from the order to place it until it has ended: acquires the claim, the
/// object and the channel in this order, and releases them in the reverse order.
///
/// Belongs to the loop's thread, and to the ServiceHost, which outlives it; owns the object. What
/// the object reports is handled in a later turn of the loop, so it is never destroyed within one
/// of its functions. Failures end in the state `failed`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "entity/timers/timer_wheel.hpp"
#include "nodes/service/host_report.hpp"
#include "nodes/service/limits.hpp"
#include "nodes/service/service.hpp"

namespace starbus::nodes::service {

/// The registration of a type.
struct ServiceType {
  struct Made {
    std::unique_ptr<Service> service;
    entity::rpc::CallableBase* object = nullptr;  // the same

    /// Ends the object, its coroutines first: the destructors of their variables may use it.
    void end() {
      if (auto* const callable = std::exchange(object, nullptr)) callable->close_rpc();
      service = nullptr;
    }
  };
  std::function<Made(Instance&)> make;
  std::chrono::milliseconds start_deadline{kStartDeadline};
  std::chrono::milliseconds stop_deadline{kStopDeadline};
};

class HostedInstance final : public Instance {
 public:
  /// The loop calls `changed` after each change of the state, and `gone` once, as the last call;
  /// that one may destroy this.
  struct Listener {
    std::function<void(const HostedInstance&)> changed;
    std::function<void(const InstanceId&)> gone;
  };
  HostedInstance(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, InstanceId id,
                 const ServiceType& type, const Listener& listener);
  HostedInstance(const HostedInstance&) = delete;
  HostedInstance& operator=(const HostedInstance&) = delete;
  ~HostedInstance();

  /// Once, first.
  void begin() { claim(); }
  /// Ends it in order; idempotent. `gone` follows.
  void withdraw();

  const InstanceId& id() const override { return id_; }
  bus::Epoch epoch() const override { return epoch_; }
  InstanceState state() const { return state_; }
  /// Its row in the host's report.
  InstanceRow row() const;
  /// stop() failed or timed out.
  bool stopped_badly() const { return stopped_badly_; }

 private:
  using Hook = void (Service::*)(Done);
  void enter(InstanceState state);
  void claim();
  void claimed(const bus::Result<bus::Bound>& bound);
  void started(const bus::Result<>& result);
  void open();
  void opened(const bus::Result<bus::Bound>& bound);
  void stopped(const bus::Result<>& result);
  void give_back();
  void fail(Error problem);
  void run(Hook hook, std::chrono::milliseconds deadline,
           void (HostedInstance::*then)(const bus::Result<>&));
  bool again_later(const bus::Error& error, void (HostedInstance::*ask)());

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  const InstanceId id_;
  const ServiceType& type_;
  const Listener& listener_;
  InstanceState state_ = InstanceState::claiming;
  bool claim_asked_ = false;  // or held
  bool channel_asked_ = false;
  bool stopped_badly_ = false;
  bus::Epoch epoch_;
  Error problem_;
  std::chrono::milliseconds pause_{kClaimFirst};
  ServiceType::Made made_;
  // A callback of an attempt that is over finds another token.
  std::shared_ptr<bool> turn_ = std::make_shared<bool>(true);
  entity::TimerOwner alarm_;
};

}  // namespace starbus::nodes::service
