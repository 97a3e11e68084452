/// The crowds of a node over the bus: the messages of CrowdPort as methods, under a shared name
/// such as `service/crowds`. Servers call it; the crowd of a process is that process' own.
///
/// Belongs to the loop's thread; the pool outlives it.
#pragma once

#include <map>

#include "entity/rpc/rpc.hpp"
#include "nodes/nav/crowd_pool.hpp"

namespace starbus::nodes::crowds {

class CrowdCalls final : public entity::rpc::Callable<CrowdCalls> {
 public:
  explicit CrowdCalls(CrowdPool& pool) : pool_(pool) {}
  ~CrowdCalls() { close_rpc(); }

  /// As CrowdPort::create.
  entity::rpc::Task<Result<CrowdId>> create(entity::rpc::Caller& from, CrowdSpec spec);
  /// As CrowdPort::step; unknown_crowd also for one of another process.
  entity::rpc::Task<Result<Answer>> step(entity::rpc::Caller& from, Batch batch);
  void destroy(entity::rpc::Caller& from, CrowdId crowd);
  static constexpr auto kRpc =
      entity::rpc::methods("starbus_crowds", entity::rpc::method<&CrowdCalls::create>("create"),
                           entity::rpc::method<&CrowdCalls::step>("step"),
                           entity::rpc::method<&CrowdCalls::destroy>("destroy"));

  /// Forgets whose the crowds were that have gone.
  void forget_gone();

 private:
  bool is_of(const bus::Process& process, CrowdId crowd) const;

  CrowdPool& pool_;
  std::map<CrowdId, bus::Process> owners_;
};

}  // namespace starbus::nodes::crowds
