#include "entity/rpc/rpc.hpp"

namespace starbus::entity::rpc {
namespace {

class Spawned final : public Running {
 public:
  Spawned(Endpoint& at, HostBase& object, Task<> task)
      : Running(at, object, nullptr), task_(std::move(task)) {}
  void start() {
    task_.handle().promise().running = this;
    resume(task_.handle());
  }

 private:
  bool done() const override { return task_.handle().done(); }
  void finish() override {
    if (task_.handle().promise().thrown) endpoint().count_error(Errc::failed);
  }
  Task<> task_;
};

}  // namespace

Result<> spawn(Endpoint& endpoint, HostBase& object, Task<> task) {
  if (!endpoint.may_run(object)) return Error(Errc::would_block, "too many coroutines");
  (new Spawned(endpoint, object, std::move(task)))->start();
  return {};
}

}  // namespace starbus::entity::rpc
