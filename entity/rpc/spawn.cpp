#include "base/unit_guard.hpp"
#include "entity/rpc/rpc.hpp"

namespace starbus::entity::rpc {
namespace {

class Spawned final : public Running {
 public:
  Spawned(detail::EndpointCore& at, CallableBase& object, Task<> task)
      : Running(at, object, nullptr), class_(object.rpc_class()), task_(std::move(task)) {}
  void start() {
    link();
    task_.handle().promise().running = this;
    resume(task_.handle());
  }

 private:
  bool done() const override { return task_.handle().done(); }
  void finish() override {
    const std::exception_ptr& thrown = task_.handle().promise().thrown;
    if (thrown) core().counters.count(core().meter.threw(class_, thrown).code);
  }
  /// The endpoint may have ended, too: reported, and not counted for the class.
  void finish_alone() override {
    const std::exception_ptr& thrown = task_.handle().promise().thrown;
    if (!thrown) return;
    UnitGuard::report(UnitKind::coroutine, CurrentWork::coroutine(class_).name(), what_of(thrown));
  }
  const ClassInfo& class_;
  Task<> task_;
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
