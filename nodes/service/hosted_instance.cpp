#include "nodes/service/hosted_instance.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/unit_guard.hpp"

namespace starbus::nodes::service {
namespace {

constexpr auto kIgnore = [](const bus::Result<>&) {};

/// An exception of a service is an error of its instance, also in a process that catches no others:
/// a host has others.
template <class Call>
bus::Result<> attempt(const InstanceId& id, std::string_view what, Call call) {
  try {
    call();
  } catch (...) {
    bus::Error error(bus::Errc::handler_failed, what_of(std::current_exception()));
    // By type: there may be thousands of instances.
    UnitGuard::report(UnitKind::hook, std::string(id.type).append(", ").append(what), error.detail);
    return error;
  }
  return {};
}

/// Somebody else has the name, or an earlier life of ours is still giving it up.
bool passes(Code code) {
  return code == bus::Errc::already_bound || code == bus::Errc::busy;
}
/// Everything is lost anyway, and the host knows.
bool is_end_of_all(Code code) {
  return code == bus::Errc::lease_lost || code == bus::Errc::closed;
}

}  // namespace

std::string_view name_of(InstanceState state) {
  switch (state) {
    case InstanceState::claiming:
      return "claiming";
    case InstanceState::starting:
      return "starting";
    case InstanceState::opening:
      return "opening";
    case InstanceState::serving:
      return "serving";
    case InstanceState::stopping:
      return "stopping";
    case InstanceState::failed:
      return "failed";
  }
  return "unknown";
}

HostedInstance::HostedInstance(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                               InstanceId id, const ServiceType& type, const Listener& listener)
    : endpoint_(endpoint), timers_(timers), id_(std::move(id)), type_(type), listener_(listener) {}

HostedInstance::~HostedInstance() {
  made_.end();
  if (channel_asked_) endpoint_.unbind(channel_name(id_), kIgnore);
  if (claim_asked_) endpoint_.bus().unbind(claim_name(id_), kIgnore);
}

InstanceRow HostedInstance::row() const {
  InstanceRow row{id_, state_, epoch_.value, problem_};
  if (row.problem.detail.size() > kMaxDetail) row.problem.detail.resize(kMaxDetail);
  return row;
}

void HostedInstance::enter(InstanceState state) {
  state_ = state;
  if (state != InstanceState::failed) problem_ = {};
  listener_.changed(*this);
}

// --- the way up ----------------------------------------------------------------------------------

void HostedInstance::claim() {
  claim_asked_ = true;
  endpoint_.bus().bind(claim_name(id_), bus::Handlers{},
                       [this, weak = std::weak_ptr(turn_)](const bus::Result<bus::Bound>& bound) {
                         if (!weak.expired()) claimed(bound);
                       });
}

void HostedInstance::claimed(const bus::Result<bus::Bound>& bound) {
  if (!bound) {
    claim_asked_ = false;
    if (again_later(bound.error(), &HostedInstance::claim)) return;
    return fail(Error(Errc::start_failed, bound.error().to_string()));
  }
  epoch_ = bound->epoch;
  pause_ = kClaimFirst;
  if (const auto made = attempt(id_, "constructor", [this] { made_ = type_.make(*this); }); !made) {
    return fail(Error(Errc::start_failed, made.error().to_string()));
  }
  enter(InstanceState::starting);
  run(&Service::start, type_.start_deadline, &HostedInstance::started);
}

void HostedInstance::started(const bus::Result<>& result) {
  if (result) return open();
  const bool late = result.error() == bus::Errc::deadline;
  fail(Error(late ? Errc::start_timeout : Errc::start_failed, result.error().to_string()));
}

void HostedInstance::open() {
  if (state_ != InstanceState::opening) enter(InstanceState::opening);
  channel_asked_ = true;
  endpoint_.bind(channel_name(id_), *made_.object,
                 [this, weak = std::weak_ptr(turn_)](const bus::Result<bus::Bound>& bound) {
                   if (!weak.expired()) opened(bound);
                 });
}

void HostedInstance::opened(const bus::Result<bus::Bound>& bound) {
  if (bound) {
    enter(InstanceState::serving);
    const auto told = attempt(id_, "opened", [this] { made_.service->opened(); });
    if (!told) fail(Error(Errc::start_failed, told.error().to_string()));
    return;
  }
  channel_asked_ = false;
  if (again_later(bound.error(), &HostedInstance::open)) return;
  fail(Error(Errc::start_failed, bound.error().to_string()));
}

/// False: the error does not pass by itself.
bool HostedInstance::again_later(const bus::Error& error, void (HostedInstance::*ask)()) {
  if (is_end_of_all(error.code)) return true;
  if (!passes(error.code)) return false;
  problem_ = Error(Errc::busy, error.detail);
  const auto later = timers_.after(alarm_, pause_, [this, ask] { (this->*ask)(); });
  pause_ = std::min(pause_ * 2, kClaimLongest);
  return later.has_value();
}

// --- the way down --------------------------------------------------------------------------------

void HostedInstance::withdraw() {
  switch (state_) {
    case InstanceState::stopping:
      return;
    case InstanceState::claiming:
    case InstanceState::starting:  // nothing has been served: nothing to save
    case InstanceState::failed:
      break;
    case InstanceState::opening:
    case InstanceState::serving:
      alarm_.cancel_all();
      turn_ = std::make_shared<bool>(true);
      if (std::exchange(channel_asked_, false)) endpoint_.unbind(channel_name(id_), kIgnore);
      enter(InstanceState::stopping);
      return run(&Service::stop, type_.stop_deadline, &HostedInstance::stopped);
  }
  give_back();
}

void HostedInstance::stopped(const bus::Result<>& result) {
  if (!result) {
    stopped_badly_ = true;
    spdlog::error("{}: stop failed: {}", to_string(id_), result.error().to_string());
  }
  give_back();
}

void HostedInstance::give_back() {
  alarm_.cancel_all();
  turn_ = std::make_shared<bool>(true);
  made_.end();
  if (state_ != InstanceState::stopping) enter(InstanceState::stopping);
  auto end = [this, weak = std::weak_ptr(turn_)](const bus::Result<>&) {
    if (weak.expired()) return;
    claim_asked_ = false;
    listener_.gone(InstanceId(id_));
  };
  if (claim_asked_) return endpoint_.bus().unbind(claim_name(id_), std::move(end));
  boost::asio::post(endpoint_.loop(), [end] { end({}); });
}

void HostedInstance::fail(Error problem) {
  spdlog::error("{}: start failed: {}", to_string(id_), problem.to_string());
  alarm_.cancel_all();
  turn_ = std::make_shared<bool>(true);
  made_.end();
  if (std::exchange(channel_asked_, false)) endpoint_.unbind(channel_name(id_), kIgnore);
  if (std::exchange(claim_asked_, false)) endpoint_.bus().unbind(claim_name(id_), kIgnore);
  problem_ = std::move(problem);
  enter(InstanceState::failed);
}

/// Calls start() or stop(); `then` comes once, after it, in another turn of the loop.
void HostedInstance::run(Hook hook, std::chrono::milliseconds deadline,
                         void (HostedInstance::*then)(const bus::Result<>&)) {
  const auto end = [this, weak = std::weak_ptr(turn_), then](const bus::Result<>& result) {
    if (weak.expired()) return;
    alarm_.cancel_all();
    turn_ = std::make_shared<bool>(true);
    (this->*then)(result);
  };
  const auto late = timers_.after(alarm_, deadline, [end, deadline] {
    end(bus::Error(bus::Errc::deadline,
                   "not done after " + std::to_string(deadline.count()) + " ms"));
  });
  if (!late) {
    return boost::asio::post(endpoint_.loop(),
                             [end] { end(bus::Error(bus::Errc::io_error, "no timer")); });
  }
  const Done done = [end, &loop = endpoint_.loop()](bus::Result<> result) {
    boost::asio::post(loop, [end, result = std::move(result)] { end(result); });
  };
  const std::string_view what = hook == &Service::start ? "start" : "stop";
  if (const auto ran = attempt(id_, what, [&] { ((*made_.service).*hook)(done); }); !ran) done(ran);
}

}  // namespace starbus::nodes::service
