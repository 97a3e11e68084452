#include "nodes/manager/id_source.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/manager/manager_service.hpp"

namespace starbus::nodes::manager {
namespace {

/// The manager's refusal, or the reason why it was not asked, as it is.
bus::Error reason_of(const entity::rpc::Failure<bus::Error>& failure) {
  if (failure.code == entity::rpc::Errc::refused) return failure.error;
  return {failure.code, failure.detail};
}

}  // namespace

std::string why_no_id(const bus::Error& error) {
  const std::string reason = error.detail.empty() ? error.to_string() : error.detail;
  if (error == bus::Errc::denied) return reason + "; give this role send to manager/";
  if (error == bus::Errc::no_owner) return "no starbus-manager is up; start one (" + reason + ")";
  return reason;
}

IdSource::IdSource(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers, std::string counter)
    : endpoint_(endpoint), timers_(timers), counter_(std::move(counter)) {}

bool IdSource::take(std::uint64_t& id) {
  if (ids_left(present_) == 0) present_ = std::exchange(spare_, {});
  if (ids_left(present_) == 0) return false;
  id = present_.next++;
  return true;
}

bus::Result<std::uint64_t> IdSource::next() {
  thread_.check();
  std::uint64_t id = 0;
  const bool taken = waiters_.empty() && take(id);
  refill();
  if (taken) return id;
  return bus::Error(bus::Errc::would_block, refused_.code.is_ok()
                                                ? "the next block is requested"
                                                : "no block: " + refused_.to_string());
}

void IdSource::start_wait(std::chrono::milliseconds limit, Done done) {
  thread_.check();
  if (waiters_.size() == kMaxIdWaiters) return refuse(std::move(done), bus::Errc::would_block);
  const std::uint64_t number = ++waiters_made_;
  entity::TimerId deadline{};
  if (serving_ || !waiters_.empty() || at_hand() == 0) {
    const auto timer = timers_.after(owner_, limit, [this, number] { give_up(number); });
    if (!timer) return refuse(std::move(done), {bus::Errc::would_block, "no timer"});
    deadline = *timer;
  }
  waiters_.push_back({std::move(done), number, deadline});
  serving_ ? refill() : serve();
}

void IdSource::refuse(Done done, bus::Error why) {
  boost::asio::post(endpoint_.loop(),
                    [weak = std::weak_ptr(alive_), done = std::move(done), why = std::move(why)] {
                      if (!weak.expired()) done(why);
                    });
}

void IdSource::give_up(std::uint64_t waiter) {
  const auto found = std::ranges::find(waiters_, waiter, &Waiter::number);
  if (found == waiters_.end()) return;
  const Done done = std::move(found->done);
  waiters_.erase(found);
  bus::Error late(bus::Errc::deadline);
  if (!refused_.code.is_ok()) {
    late.detail = refused_.to_string();
    late.cause = refused_.code;
  }
  done(late);
}

void IdSource::refill() {
  if (asking_ || at_hand() >= kIdsLow) return;
  asking_ = true;
  entity::rpc::call<&ManagerService::allocate>(endpoint_, kManagerChannel, {}, counter_)(
      [this, weak = std::weak_ptr(alive_)](const entity::rpc::Reply<IdRange, bus::Error>& reply) {
        if (weak.expired()) return;
        answered(reply ? bus::Result<IdRange>(*reply)
                       : bus::Result<IdRange>(reason_of(reply.error())));
      });
}

void IdSource::answered(const bus::Result<IdRange>& range) {
  if (range) {
    asking_ = false;
    refused_ = {};
    (ids_left(present_) == 0 ? present_ : spare_) = {range->first, range->last};
    return serving_ ? refill() : serve();
  }
  refused_ = range.error();
  const auto later = timers_.after(owner_, kIdRetry, [this] {
    asking_ = false;
    refill();
  });
  if (!later) asking_ = false;  // the next call for an id asks
}

/// A callback may wait again, and is served by this loop then; or end this source.
void IdSource::serve() {
  const std::weak_ptr<bool> weak = alive_;
  serving_ = true;
  std::uint64_t id = 0;
  const entity::rpc::PassTime time{kIdPassTime};
  for (std::uint64_t served = 0; !waiters_.empty(); ++served) {
    if (served == kIdPass || (served > 0 && time.over())) return serve_later();
    if (!take(id)) break;
    const Waiter waiter = std::move(waiters_.front());
    waiters_.pop_front();
    timers_.cancel(waiter.timer);
    guarded(UnitKind::completion, waiter.done.target_type(), [&] { waiter.done(id); });
    if (weak.expired()) return;
  }
  serving_ = false;
  refill();
}

void IdSource::serve_later() {
  refill();
  boost::asio::post(endpoint_.loop(), [this, weak = std::weak_ptr(alive_)] {
    if (!weak.expired()) serve();
  });
}

}  // namespace starbus::nodes::manager
