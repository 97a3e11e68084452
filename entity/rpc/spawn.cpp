#include "entity/rpc/rpc.hpp"
#include "entity/rpc/spawned_task.hpp"

namespace starbus::entity::rpc {
namespace {

class Spawned final : public detail::SpawnedTask<void> {
 public:
  using SpawnedTask::SpawnedTask;

 private:
  void finish() override { static_cast<void>(failure()); }
};

}  // namespace

Result<> spawn(Endpoint& endpoint, CallableBase& object, Task<> task) {
  detail::EndpointCore& core = endpoint.core();
  if (!object.rpc_admits()) return Error(Errc::would_block, "the object is frozen: it moves");
  if (!core.running.admits(object)) return Error(Errc::would_block, "too many coroutines");
  const boost::intrusive_ptr<Spawned> spawned(new Spawned(core, object, std::move(task)));
  spawned->start();
  return {};
}

}  // namespace starbus::entity::rpc
