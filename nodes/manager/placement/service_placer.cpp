#include "nodes/manager/placement/service_placer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "bus/io/clock.hpp"
#include "nodes/manager/placement/limits.hpp"
#include "nodes/service/service_host.hpp"

namespace starbus::nodes::manager {

using service::ServiceHost;
using std::chrono::milliseconds;

ServicePlacer::ServicePlacer(Node& node, const NodeTable& table, std::string manager_channel,
                             std::function<bool()> held)
    : node_(node),
      manager_channel_(std::move(manager_channel)),
      held_(std::move(held)),
      state_([&table](const std::string& process, const bus::Process& owner) {
        const KnownNode* const known = table.find(process);
        return known != nullptr && known->owner == owner;
      }) {}

bus::Result<> ServicePlacer::start() {
  const auto watch = [this](std::string prefix,
                            std::function<void(const bus::WatchUpdate&)> update) -> bus::Result<> {
    return watches_
        .emplace_back(node_.bus(), prefix, std::move(update),
                      [prefix](const bus::Error& error) {
                        spdlog::error(
                            "the watch of {} is refused: {}; services are placed by what "
                            "is known, and it is asked again",
                            prefix, error.to_string());
                      })
        .start();
  };
  auto watched = watch(std::string(service::kHosts) + "#", [this](const bus::WatchUpdate& update) {
    state_.hosts_changed(update, bus::io::boot_now());
  });
  if (!watched) return watched;
  watched = watch(std::string(service::kClaims),
                  [this](const bus::WatchUpdate& update) { state_.claims_changed(update); });
  if (!watched) return watched;
  node_.on_state([this](NodeState now) { state(now); });
  add_admin();
  const auto set = node_.timers().every(tick_, kPlacementTick, kPlacementTick,
                                        entity::CatchUp::once, [this] { act(); });
  return set ? bus::Result<>() : bus::Result<>(bus::Errc::io_error);
}

void ServicePlacer::state(NodeState state) {
  manager_ = state == NodeState::ready ? node_.bus().epoch(manager_channel_).value : 0;
  if (manager_ != 0) state_.start_afresh(bus::io::boot_now());
}

void ServicePlacer::act() {
  if (manager_ == 0 || held_()) return;
  for (const PlacementState::Call& each : state_.due(bus::io::boot_now())) call(each);
  log_waiting();
}

void ServicePlacer::call(const PlacementState::Call& call) {
  for (const service::Action& action : call.actions) {
    const bool placed = action.kind == service::Action::Kind::place;
    spdlog::info("{} {} {}", service::to_string(action.id),
                 placed ? "is placed on" : "is taken from", call.process);
  }
  entity::rpc::CallOptions options;
  options.deadline = kOrderDeadline;
  const std::string channel = std::string(service::kHosts) + "#" + call.process;
  const service::Order order{manager_, call.actions};
  entity::rpc::call<&ServiceHost::order>(node_.rpc(), channel, options, order)(
      [this, process = call.process, serial = call.serial, weak = std::weak_ptr(alive_)](
          entity::rpc::Reply<service::HostReport, service::Error> reply) {
        if (weak.expired()) return;
        const auto now = bus::io::boot_now();
        if (reply) return state_.answered(process, serial, std::move(*reply), now);
        const auto& error = reply.error();
        if (error == entity::rpc::Errc::refused && error.error == service::Errc::stale_manager &&
            refused_++ == 0) {
          spdlog::error("{} follows a later manager and ignores this one", process);
        }
        state_.unanswered(process, serial, now);
      });
}

SetbackReport ServicePlacer::setbacks() const {
  const auto now = bus::io::boot_now();
  const auto in_ms = [](entity::Time time) {
    const auto count = std::chrono::duration_cast<milliseconds>(time).count();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  };
  SetbackReport report;
  for (const auto& [id, record] : state_.setbacks().records()) {
    report.rows.push_back({service::to_string(id), record.deaths, record.sole, record.host,
                           in_ms(now - record.latest), record.quarantined,
                           in_ms(record.until - now)});
  }
  std::ranges::stable_sort(report.rows, std::ranges::greater{}, &SetbackRow::quarantined);
  if (report.rows.size() > kSetbackRows) {
    report.left_out = report.rows.size() - kSetbackRows;
    report.rows.resize(kSetbackRows);
  }
  return report;
}

bool ServicePlacer::release(const std::string& instance) {
  const auto& records = state_.setbacks().records();
  const auto found = std::ranges::find_if(
      records, [&](const auto& item) { return service::to_string(item.first) == instance; });
  if (found == records.end()) return false;
  spdlog::warn("{} is released by an operator, after {} host deaths", instance,
               found->second.deaths);
  return state_.setbacks().release(service::InstanceId(found->first));
}

void ServicePlacer::log_waiting() {
  if (logged_ == state_.waiting()) return;
  logged_ = state_.waiting();
  if (logged_.empty()) spdlog::info("all services have a place");
  for (const WaitingType& waiting : logged_) {
    spdlog::warn("service {}: {}", waiting.type, waiting.reason);
  }
}

}  // namespace starbus::nodes::manager
