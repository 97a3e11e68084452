/// The base of a class whose objects are hosted: read this header first, then service_host.hpp and
/// docs/guide/services.md.
///
///   class Rank final : public service::Service, public rpc::Callable<Rank> {
///    public:
///     explicit Rank(service::Instance& instance) : instance_(instance) {}
///     void start(nodes::Done done) override { load(instance_.id(), std::move(done)); }
///     void stop(nodes::Done done) override { save(instance_.epoch(), std::move(done)); }
///     service::Result<int> add(rpc::Caller&, std::string player, int points) {
///       if (auto mine = instance_.check(player); !mine) return mine.error();
///       ...
///     }
///     static constexpr auto kRpc = rpc::methods("rank", rpc::method<&Rank::add>("add"));
///   };
///
/// Everything belongs to the loop's thread. The host makes the object, and may destroy it at any
/// time: after stop(), when start() failed or took too long, and without stop() when the lease is
/// lost. Its coroutines end before it (close_rpc); its tasks and timers need an owner that ends
/// with it.
#pragma once

#include <string_view>

#include "bus/core/wire/ids.hpp"
#include "nodes/runtime/steps.hpp"
#include "nodes/service/names.hpp"

namespace starbus::nodes::service {

/// The part of the host that an object may use, for as long as the object lives.
class Instance {
 public:
  /// Type and number, as in "rank/3of16".
  virtual const InstanceId& id() const = 0;
  /// The epoch of the claim: grows with each life of the instance, wherever that is. The fencing
  /// token for its writes elsewhere.
  virtual bus::Epoch epoch() const = 0;

  /// not_mine: the key is of another partition. For methods that get a key; always ok if the type
  /// has no partitions.
  Result<> check(std::string_view key) const {
    if (id().partitions == 0) return {};
    const std::uint32_t owner = partition_of(key, id().partitions);
    if (owner == id().number) return {};
    return Error(Errc::not_mine, "partition " + std::to_string(owner) + ", not " + to_string(id()));
  }

 protected:
  ~Instance() = default;
};

class Service {
 public:
  virtual ~Service() = default;
  /// The claim is held: no other process runs this instance. Load, then call `done`; after that the
  /// object is reachable. An error means that it cannot run here.
  virtual void start(Done done) { done({}); }
  /// It is reachable now: its channel is bound. Each life has one call at most.
  virtual void opened() {}
  /// It is not reachable any more. Save, then call `done`; after that the claim is released. An
  /// error is logged.
  virtual void stop(Done done) { done({}); }
};

}  // namespace starbus::nodes::service
