/// Hosts services: creates instances of registered types when the manager orders them, and reports
/// its instances. A node of any role has at most one.
///
///   class Services final : public nodes::App {
///     bus::Result<> start(nodes::Node& node) override {
///       host_.emplace(node.rpc(), node.timers(), service::HostOptions{});
///       host_->add<Rank>("rank").value();
///       return host_->join(node);
///     }
///     std::optional<service::ServiceHost> host_;
///   };
///
/// service_app.hpp is such an App, ready made. Belongs to the loop's thread; owns the instances,
/// and ends before the endpoint and the wheel. Orders of a manager are idempotent.
#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "entity/rpc/rpc.hpp"
#include "nodes/runtime/node.hpp"
#include "nodes/service/hosted_instance.hpp"

namespace starbus::nodes::service {

/// The offer of a host to the manager.
struct HostOptions {
  std::vector<std::string> labels = {};  // for the placement; join() adds the node's role
  std::uint32_t capacity = kMaxHosted;   // instances in all
};
/// How long the start and the stop of an instance may take.
struct TypeOptions {
  std::chrono::milliseconds start_deadline{kStartDeadline};
  std::chrono::milliseconds stop_deadline{kStopDeadline};
};

template <class T>
concept Hostable = std::derived_from<T, Service> && std::derived_from<T, entity::rpc::CallableBase>;

/// Since the host was made.
struct HostCounters {
  std::uint64_t started = 0;        // instances that served
  std::uint64_t failed = 0;         // that could not start
  std::uint64_t stopped_badly = 0;  // whose stop() failed, or took too long
  std::uint64_t lost = 0;           // that ended with the lease
  std::uint64_t stale_orders = 0;
};

class ServiceHost final : public entity::rpc::Callable<ServiceHost> {
 public:
  ServiceHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, HostOptions options);
  ~ServiceHost();

  /// Objects of T, made as T(Instance&), or by `make`. Before join(). bad_name, duplicate,
  /// too_many.
  template <Hostable T>
  Result<> add(std::string type,
               const TypeOptions& options = {}) requires std::constructible_from<T, Instance&> {
    return add<T>(std::move(type), options,
                  [](Instance& instance) { return std::make_unique<T>(instance); });
  }
  template <Hostable T, class Make>
  Result<> add(std::string type, const TypeOptions& options, Make make) {
    ServiceType made;
    made.start_deadline = options.start_deadline;
    made.stop_deadline = options.stop_deadline;
    made.make = [make = std::move(make)](Instance& instance) {
      std::unique_ptr<T> object = make(instance);
      T* const raw = object.get();
      return ServiceType::Made{std::move(object), raw};
    };
    return add_type(std::move(type), std::move(made));
  }

  /// Ties it to the states of a node, within App::start: it takes orders while the node is ready,
  /// ends its instances in order when that drains, and at once when the lease is lost.
  bus::Result<> join(Node& node);

  // --- what join() ties; for those who have no node ---
  void open() { open_ = true; }
  /// Refuses further orders and ends all instances; calls `done` when the last one has ended.
  void withdraw_all(Done done);
  /// The lease is lost: all objects end, without stop().
  void lose_all();

  /// The present report for the manager.
  HostReport describe() const;
  const HostCounters& counters() const { return counters_; }

  // --- over the bus, of servers ---
  HostReport report(entity::rpc::Caller&) { return describe(); }
  /// Starts to carry out orders, and returns the report after that. Instances that cannot be placed
  /// here are failed in the report. too_many, not_ready, stale_manager: nothing was carried out.
  Result<HostReport> order(entity::rpc::Caller& from, Order order);

  static constexpr auto kRpc =
      entity::rpc::methods("service_host", entity::rpc::method<&ServiceHost::report>("report"),
                           entity::rpc::method<&ServiceHost::order>("order"));

 private:
  Result<> add_type(std::string name, ServiceType type);
  Result<> place(const InstanceId& id);
  void withdraw(const InstanceId& id);
  void changed(const HostedInstance& instance);
  void gone(const InstanceId& id);
  void add_admin(Node& node);

  entity::rpc::Endpoint& endpoint_;
  entity::TimerWheel& timers_;
  HostOptions options_;
  std::map<std::string, ServiceType> types_;
  HostedInstance::Listener listener_;
  std::map<InstanceId, std::unique_ptr<HostedInstance>> instances_;
  bool open_ = false;
  std::uint64_t manager_ = 0;  // of the latest order
  Done emptied_;               // set while it drains
  HostCounters counters_;
};

}  // namespace starbus::nodes::service
