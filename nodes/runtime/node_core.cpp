// The parts, and how they hear of each other. The states' requests are in node_states.cpp.
#include "nodes/runtime/node_core.hpp"

#include <spdlog/spdlog.h>
#include <time.h>

#include <bit>

#include "bus/io/clock.hpp"
#include "nodes/runtime/load/what_runs.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {

using std::chrono::milliseconds;

bus::Options bus_options(const NodeSettings& settings) {
  bus::Options options;
  options.node = settings.node;
  options.role = settings.bus_role;
  options.endpoint = settings.bus_endpoint;
  return options;
}

BusyMeter::Time processor_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace

NodeCore::NodeCore(daemon::DaemonContext& context, std::string role, NodeSettings settings)
    : context_(context),
      role_(std::move(role)),
      settings_(std::move(settings)),
      thrown_(context.limited, settings_.on_exception,
              [this] { return what_runs(endpoint_, main_loop_.load()).name; }),
      main_loop_(context.loop),
      bus_(context.loop, bus_options(settings_)),
      endpoint_(bus_),
      tasks_(main_loop_, {.workers = settings_.workers}),
      ticks_(main_loop_.timers(), main_loop_.load(), settings_.tick),
      offers_(endpoint_),
      control_(*this),
      lifecycle_(*this),
      node_(*this),
      stalls_(context.loop, settings_.stall,
              [this] { return what_runs(endpoint_, main_loop_.load()); }) {
  for (const Requirement& each : settings_.needs) require(each);
  if (settings_.upgrade_from_1_1) {
    endpoint_.trust_unlisted_callers();
    spdlog::warn(
        "upgrade_from_1_1 is set: every caller that is no gate counts as a server; remove it from "
        "[bus] when no process of 1.1 is left");
  }
  endpoint_.on_lease_lost([this] {
    spdlog::warn("the lease is lost: no contact with busroot for its length; all names are freed");
    offers_.forget();
    lifecycle_.lease_lost();
  });
  bus_.on_warning([](const std::string& text) { spdlog::warn("bus: {}", text); });
  bus_.on_ended([this](const bus::Error& reason) { failed(reason); });
  bus_.on_link(
      [this](bus::LinkState state, const bus::Error& reason) { link_changed(state, reason); });
}

NodeCore::~NodeCore() = default;

void NodeCore::link_changed(bus::LinkState state, const bus::Error& reason) {
  linked_ = state == bus::LinkState::connected;
  ++link_changes_;
  if (linked_) {
    spdlog::info("linked with busd");
  } else {
    spdlog::warn("the link with busd is lost; reconnecting: {}", reason.to_string());
  }
  for (const auto& callback : on_link_) {
    guarded(
        UnitKind::state, [&]() -> const std::type_info& { return callback.target_type(); },
        [&] { callback(linked_); });
  }
}

void NodeCore::note(const bus::Result<>& result) {
  if (mistake_ && !result) mistake_ = result;
}

void NodeCore::offer(std::string name, bus::Handlers handlers) {
  bus::Handlers wrapped = measured(name, std::move(handlers));
  note(offers_.add(std::move(name), std::move(wrapped)));
}

bus::Handlers NodeCore::measured(std::string_view what, bus::Handlers handlers) {
  const auto wrap = [&](const char* kind, auto function) {
    Load& load = main_loop_.load();
    Load::Source& source = load.source(std::string(kind).append(what));
    return [&load, &source, function = std::move(function)](auto& message) {
      const Load::Scope scope(load, source);
      function(message);
    };
  };
  bus::Handlers wrapped;
  if (handlers.on_message) wrapped.on_message = wrap("message ", std::move(handlers.on_message));
  if (handlers.on_call) wrapped.on_call = wrap("call ", std::move(handlers.on_call));
  return wrapped;
}

Step NodeCore::measured(const std::string& name, Step step) {
  Load& load = main_loop_.load();
  Load::Source& source = load.source("step " + name);
  return [&load, &source, step = std::move(step)](Done done) {
    const Load::Scope scope(load, source);
    const auto place = [&] { return source.name; };
    if (guarded(UnitKind::step, place, [&] { step(done); })) return;
    done(bus::Error(bus::Errc::handler_failed, "the step threw"));
  };
}

bus::Result<> NodeCore::begin() {
  if (!mistake_) return mistake_;
  using std::chrono::seconds;
  const auto ticking = main_loop_.timers().every(timers_, seconds(1), seconds(1),
                                                 entity::CatchUp::once, [this] { sample(); });
  if (!ticking) return bus::Error(bus::Errc::io_error, "no timer");
  sample();
  // It waits for busd for as long as that takes: a wrong socket in the configuration must show.
  spdlog::info("waits for busd at {}", bus_.endpoint());
  limit_wait();
  lifecycle_.start();
  watch_requirements();
  return {};
}

void NodeCore::watch_requirements() {
  const auto rows = requirements_.rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bus::LastingWatch& watch = watches_.emplace_back(
        bus_, rows[i].prefix, [this, i](const bus::WatchUpdate& update) { required(i, update); },
        [name = rows[i].wanted.name](const bus::Error& error) {
          spdlog::error(
              "the requirement {} cannot be watched: {}; it stays as it was known, and "
              "is asked for again",
              name, error.to_string());
        });
    if (const auto started = watch.start(); !started) return failed(started.error());
  }
  lifecycle_.needs(requirements_.met());
}

void NodeCore::required(std::size_t index, const bus::WatchUpdate& update) {
  const Requirements::Row& row = requirements_.rows()[index];
  const bool before = row.met();
  requirements_.update(index, update);
  if (row.met() != before) {
    if (row.met()) {
      spdlog::info("the requirement {} is met", row.wanted.name);
    } else {
      spdlog::warn("the requirement {} is not met any more: {} of {}", row.wanted.name,
                   row.there.size(), row.wanted.count);
    }
  }
  lifecycle_.needs(requirements_.met());
}

/// With growing pauses: it may wait for hours.
void NodeCore::report_waiting() {
  const bool waits = lifecycle_.state() == NodeState::registered && !requirements_.met();
  waited_ = waits ? waited_ + 1 : 0;
  if (waited_ < 2 || !std::has_single_bit(waited_)) return;
  spdlog::info("waits for its requirements: {}", requirements_.missing());
  for (const Requirements::Row& row : requirements_.rows()) {
    if (row.complete && row.there.empty()) near_names_.look(row.wanted.name);
  }
}

/// The next report has it, too.
void NodeCore::guessed(const std::string& wanted, const std::string& meant) {
  requirements_.hint(wanted, meant);
  spdlog::warn("the requirement {}: no such name; did you mean {}?", wanted, meant);
}

/// Once a second.
void NodeCore::sample() {
  const entity::Time now = bus::io::boot_now();
  const double tick = nanoseconds_per_tick();
  const std::uint64_t ticks = main_loop_.load().measured() + endpoint_.work().measured();
  const auto handlers = static_cast<std::int64_t>(static_cast<double>(ticks) * tick);
  busy_.sample(now, processor_time(), BusyMeter::Time(handlers));
  const double seconds = std::chrono::duration<double>(now).count();
  main_loop_.load().sample(seconds - sampled_, tick);
  rpc_load_.sample(endpoint_, seconds - sampled_);
  entity::rpc::loop_time.sample();
  sampled_ = seconds;
  report_waiting();
}

}  // namespace starbus::nodes
