#include "entity/rpc/running.hpp"

#include <cassert>
#include <utility>

#include "entity/rpc/callable.hpp"
#include "entity/rpc/endpoint/endpoint_core.hpp"
#include "entity/rpc/limits.hpp"

namespace starbus::entity::rpc {

bool RunningList::admits(const CallableBase& host) const {
  const bool room = size_ < kMaxRunning && host.rpc_coroutines() < host.most_coroutines();
  return room && host.rpc_admits();
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
  CallableBase& root = std::exchange(host_, nullptr)->rpc_root();
  core_.running.remove(*this);
  root.rpc_ended();
}

std::uint64_t Running::resume(std::coroutine_handle<> handle) {
  assert(!executing_);
  if (host_->rpc_paused()) {
    held_ = handle;
    host_->rpc_root().pause().held.emplace_back(this);
    return 0;
  }
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

void Running::go_on() {
  if (const auto handle = std::exchange(held_, {}); handle && linked()) resume(handle);
}

void Running::kill() {
  const boost::intrusive_ptr<Running> self(this);
  doomed_ = true;
  // What its pause holds of it goes now, with the frames.
  if (std::exchange(held_, {}) && host_ != nullptr) {
    CallableBase& root = host_->rpc_root();
    if (root.ties_->pause) std::erase(root.ties_->pause->held, self);
  }
  unlink();
}

}  // namespace starbus::entity::rpc
