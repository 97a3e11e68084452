#include "entity/rpc/running.hpp"

#include <cassert>

#include "entity/rpc/callable.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

bool RunningList::admits(const CallableBase& host) const {
  return size_ < kMaxRunning && host.rpc_coroutines() < kMaxRunningPerHost;
}

void RunningList::add(Running& running) {
  running.list_after_ = first_;
  if (first_ != nullptr) first_->list_before_ = &running;
  first_ = &running;
  ++size_;
}

void RunningList::remove(Running& running) {
  assert(size_ > 0);
  Running* const before = running.list_before_;
  Running* const after = running.list_after_;
  if (after != nullptr) after->list_before_ = before;
  (before != nullptr ? before->list_after_ : first_) = after;
  --size_;
}

void RunningList::kill_all() {
  while (first_ != nullptr) first_->kill();
}

Running::Running(detail::EndpointCore& at, CallableBase& host, const MethodInfo* method)
    : core_(at),
      host_(&host),
      work_(method != nullptr ? CurrentWork::method(*method)
                              : CurrentWork::coroutine(host.rpc_class())),
      charged_(&at.meter.began(host.rpc_class(), method)) {}

Running::~Running() = default;

void Running::link() {
  auto& ties = host_->ties();
  after_ = std::move(ties.running);
  if (after_ != nullptr) after_->before_ = this;
  ties.running = this;
  ++ties.coroutines;
  core_.running.add(*this);
}

void Running::unlink() {
  if (host_ == nullptr) return;
  auto& place = before_ != nullptr ? before_->after_ : host_->ties_->running;
  const boost::intrusive_ptr<Running> self = std::move(place);
  assert(self == this);
  place = std::move(after_);
  if (place != nullptr) place->before_ = before_;
  --host_->ties_->coroutines;
  host_ = nullptr;
  core_.running.remove(*this);
}

std::uint64_t Running::resume(std::coroutine_handle<> handle) {
  assert(!executing_);
  const boost::intrusive_ptr<Running> self(this);
  executing_ = true;
  WorkFrame::Ended ended;
  {
    const SlotRef slot = core_.bindings.slot_of(*host_);
    WorkFrame frame(core_.meter, work_, *charged_, slot);
    while (handle) {
      next_ = {};
      handle.resume();
      handle = next_;
    }
    ended = frame.end();
    if (slot == kNowhere && !doomed_) host_->add_busy(ended.passed);
  }
  if (done()) {
    if (doomed_) {
      finish_alone();
    } else {
      unlink();  // before the answer, which may run other code that ends the object
      finish();
    }
    ended.at = 0;
  }
  executing_ = false;
  return ended.at;
}

void Running::kill() {
  const boost::intrusive_ptr<Running> self(this);
  doomed_ = true;
  unlink();
}

}  // namespace starbus::entity::rpc
