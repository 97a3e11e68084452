#include "nodes/space/node/running_space.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <exception>
#include <limits>
#include <utility>

#include "base/unit_guard.hpp"
#include "nodes/space/node/limits.hpp"

namespace starbus::nodes::space {
namespace {

constexpr auto kNothing = [](const bus::Result<>&) {};
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

}  // namespace

void SpaceClass::Made::end() {
  if (auto* const called = std::exchange(callable, nullptr)) called->close_rpc();
  space = nullptr;
}

std::string_view name_of(RunningSpace::State state) {
  switch (state) {
    case RunningSpace::State::claiming:
      return "claiming";
    case RunningSpace::State::starting:
      return "starting";
    case RunningSpace::State::running:
      return "running";
    case RunningSpace::State::ending:
      return "ending";
  }
  return "unknown";
}

RunningSpace::RunningSpace(const SpaceSurroundings& around, HostedSpaces::Start order,
                           const SpaceClass& made)
    : around_(around), order_(std::move(order)), class_(made) {}

RunningSpace::~RunningSpace() {
  if (name_asked_) unbind(kNothing);
  made_.end();
}

void RunningSpace::unbind(Done done) {
  const std::string channel = channel_name(name());
  if (made_.callable != nullptr) return around_.endpoint.unbind(channel, std::move(done));
  around_.endpoint.bus().unbind(channel, std::move(done));
}

// --- the way up ----------------------------------------------------------------------------------

void RunningSpace::begin() {
  limit(around_.start_limit, "its start", &RunningSpace::started);
  around_.draw_id([this, weak = std::weak_ptr(turn_)](const Result<entity::OnlineId>& id) {
    if (!weak.expired()) make(id);
  });
}

void RunningSpace::make(const Result<entity::OnlineId>& id) {
  if (!id) return fail({Errc::start_failed, id.error().to_string()});
  auto world = aoi::World::create(world_options(type()));
  if (!world) return fail({Errc::start_failed, world.error().to_string()});
  try {
    made_ = class_.make({.home = around_.home,
                         .name = name(),
                         .life = order_.life,
                         .type = type(),
                         .id = *id,
                         .aoi = std::move(*world)});
  } catch (...) {
    const std::string text = what_of(std::current_exception());
    UnitGuard::report(UnitKind::hook, type().name + ", constructor", text);
    return fail({Errc::start_failed, "its constructor threw: " + text});
  }
  if (!made_.space) return fail({Errc::start_failed, "the program has made none"});
  bind();
}

/// The directory has one owner for each name: so two nodes never run one space.
void RunningSpace::bind() {
  name_asked_ = true;
  auto then = [this, weak = std::weak_ptr(turn_)](const bus::Result<bus::Bound>& result) {
    if (!weak.expired()) bound(result);
  };
  const std::string channel = channel_name(name());
  if (made_.callable != nullptr) {
    around_.endpoint.bind(channel, *made_.callable, std::move(then));
  } else {
    around_.endpoint.bus().bind(channel, bus::Handlers{}, std::move(then));
  }
}

void RunningSpace::bound(const bus::Result<bus::Bound>& bound) {
  if (!bound) {
    name_asked_ = false;
    const bus::Error& error = bound.error();
    const bool held = error == bus::Errc::already_bound || error == bus::Errc::busy;
    return fail({held ? Errc::already_there : Errc::start_failed, error.to_string()});
  }
  state_ = State::starting;
  std::string why;
  const auto start = [&] {
    made_.space->add_parts(around_.parts);
    made_.space->start_parts(0, [this, weak = std::weak_ptr(turn_)](const Result<>& result) {
      if (weak.expired()) return;
      if (!result) return done_of(&RunningSpace::started)(result);
      start_space();
    });
  };
  if (!made_.space->attempt("a part", start, &why)) {
    done_of (&RunningSpace::started)(
        bus::Error(bus::Errc::handler_failed, "a part of it threw: " + why));
  }
}

void RunningSpace::start_space() {
  std::string why;
  const Done done = done_of(&RunningSpace::started);
  const auto start = [&] { made_.space->on_start(order_.order.setup, done); };
  if (!made_.space->attempt("on_start", start, &why)) {
    done(bus::Error(bus::Errc::handler_failed, "on_start threw: " + why));
  }
}

void RunningSpace::started(const Result<>& result) {
  if (!result) return fail({Errc::start_failed, result.error().to_string()});
  alarm_.cancel_all();
  next_turn();
  state_ = State::running;
  spdlog::info("the space {} runs", to_string(name()));
  around_.started(order_.life);
}

void RunningSpace::fail(Error why) {
  if (why.detail.size() > kStartText) why.detail.resize(kStartText);
  spdlog::error("the space {} could not start: {}", to_string(name()), why.to_string());
  alarm_.cancel_all();
  next_turn();
  state_ = State::ending;
  why_ = std::move(why);
  if (made_.space) made_.space->close();
  boost::asio::post(around_.endpoint.loop(), [this, weak = std::weak_ptr(turn_)] {
    if (!weak.expired()) clear();
  });
}

// --- running -------------------------------------------------------------------------------------

Result<> RunningSpace::take_in(entity::Entity& entity, const std::optional<aoi::Position>& at) {
  if (state_ != State::running) return Errc::ends;
  return made_.space->take_in(entity, at, true);
}

void RunningSpace::warn(std::chrono::milliseconds after) {
  if (state_ != State::running) return;
  made_.space->attempt("on_warn", [&] { made_.space->on_warn(after); });
}

// --- the way down --------------------------------------------------------------------------------

void RunningSpace::end() {
  if (state_ == State::ending) return;
  const bool ran = state_ == State::running;
  alarm_.cancel_all();
  next_turn();
  state_ = State::ending;
  if (made_.space) made_.space->close();
  if (!ran) return clear();  // nobody was in it, and there is nothing to save
  around_.stopped(order_.life);
  limit(around_.end_limit, "on_end", &RunningSpace::ended);
  std::string why;
  const Done done = done_of(&RunningSpace::ended);
  if (!made_.space->attempt(
          "on_end", [&] { made_.space->on_end(done); }, &why)) {
    done(bus::Error(bus::Errc::handler_failed, "on_end threw: " + why));
  }
}

void RunningSpace::ended(const Result<>& result) {
  alarm_.cancel_all();
  next_turn();
  if (!result) {
    ended_badly_ = true;
    spdlog::error("the space {} ends badly: {}", to_string(name()), result.error().to_string());
  }
  clear();
}

/// Some members in each turn of the loop: others wait for it.
void RunningSpace::clear() {
  if (made_.space && made_.space->clear(kLeavePerTurn, why_.has_value())) {
    boost::asio::post(around_.endpoint.loop(), [this, weak = std::weak_ptr(turn_)] {
      if (!weak.expired()) clear();
    });
    return;
  }
  give_name_back();
}

void RunningSpace::give_name_back() {
  const auto end = [this, weak = std::weak_ptr(turn_)](const bus::Result<>&) {
    if (weak.expired()) return;
    name_asked_ = false;
    around_.gone(Life(order_.life), Result<>(why_));
  };
  if (name_asked_) {
    unbind(end);
  } else {
    boost::asio::post(around_.endpoint.loop(), [end] { end({}); });
  }
  made_.end();
}

void RunningSpace::lose() {
  alarm_.cancel_all();
  next_turn();
  name_asked_ = false;
  const bool ran = state_ == State::running;
  state_ = State::ending;
  if (ran) around_.stopped(order_.life);
  if (!made_.space) return;
  made_.space->close();
  made_.space->clear(kAll, false);
}

// --- time ----------------------------------------------------------------------------------------

void RunningSpace::limit(std::chrono::milliseconds time, std::string_view what, Then then) {
  const auto late = around_.timers.after(alarm_, time, [this, then, time, what] {
    const Error error(bus::Errc::deadline, std::string(what) + " is not done after " +
                                               std::to_string(time.count()) + " ms");
    (this->*then)(error);
  });
  if (!late) spdlog::error("the space {}: no timer for {}", to_string(name()), what);
}

/// `then` comes once, in another turn of the loop, unless the stage is over by then.
Done RunningSpace::done_of(Then then) {
  return [this, weak = std::weak_ptr(turn_), then,
          &loop = around_.endpoint.loop()](const bus::Result<>& result) {
    boost::asio::post(loop, [this, weak, then, result] {
      if (!weak.expired()) (this->*then)(result);
    });
  };
}

}  // namespace starbus::nodes::space
