#include "entity/rpc/running.hpp"

#include <cassert>

#include "entity/rpc/endpoint.hpp"
#include "entity/rpc/host.hpp"

namespace starbus::entity::rpc {

Running::Running(Endpoint& endpoint, HostBase& host, const MethodInfo* method)
    : endpoint_(&endpoint),
      host_(&host),
      work_(method != nullptr ? ShownWork::method(*method)
                              : ShownWork::coroutine(host.rpc_class())),
      charged_(&endpoint.work_of(host, method)) {
  auto& ties = host.ties();
  after_ = ties.running;
  if (after_ != nullptr) after_->before_ = this;
  ties.running = this;
  ++ties.coroutines;
  endpoint.running_began(*this);
}

Running::~Running() {
  unlink();
}

void Running::unlink() {
  if (host_ == nullptr) return;
  if (after_ != nullptr) after_->before_ = before_;
  (before_ != nullptr ? before_->after_ : host_->ties_->running) = after_;
  --host_->ties_->coroutines;
  host_ = nullptr;
  endpoint_->running_ended(*this);
}

void Running::resume(std::coroutine_handle<> handle) {
  assert(!executing_);
  executing_ = true;
  {
    const SlotRef slot = endpoint_->slot_of(*host_);
    Turn turn(*endpoint_, work_, *charged_, slot);
    while (handle) {
      next_ = {};
      handle.resume();
      handle = next_;
    }
    const std::uint64_t passed = turn.end();
    if (slot.index == kNowhere.index && !doomed_) host_->add_busy(passed);
  }
  if (!doomed_ && done()) {
    unlink();  // from here on it is nobody's: the answer may run others, and they may end the
               // object
    finish();
  }
  executing_ = false;
  if (doomed_ || done()) delete this;
}

void Running::kill() {
  unlink();
  doomed_ = true;
  if (!executing_) delete this;
}

}  // namespace starbus::entity::rpc
