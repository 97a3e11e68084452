#include "nodes/service/service_host.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "nodes/service/placer_control.hpp"

namespace starbus::nodes::service {

ServiceHost::ServiceHost(entity::rpc::Endpoint& endpoint, entity::TimerWheel& timers,
                         HostOptions options)
    : endpoint_(endpoint), timers_(timers), options_(std::move(options)) {
  listener_.changed = [this](const HostedInstance& instance) { changed(instance); };
  listener_.gone = [this](const InstanceId& id) { gone(id); };
}

ServiceHost::~ServiceHost() = default;

Result<> ServiceHost::add_type(std::string name, ServiceType type) {
  if (auto checked = check_type(name); !checked) return checked;
  if (types_.size() == kMaxTypes) return Errc::too_many;
  const auto [there, is_new] = types_.emplace(std::move(name), std::move(type));
  if (!is_new) return Error(Errc::duplicate, there->first);
  return {};
}

bus::Result<> ServiceHost::join(Node& node) {
  options_.labels.push_back(node.role());
  std::ranges::sort(options_.labels);
  const auto rest = std::unique(options_.labels.begin(), options_.labels.end());
  options_.labels.erase(rest, options_.labels.end());
  for (const std::string& label : options_.labels) {
    if (const auto checked = check_label(label); !checked) {
      return bus::Error(bus::Errc::bad_config, checked.error().to_string());
    }
  }
  if (options_.labels.size() > kMaxLabels + 1) {
    return bus::Error(bus::Errc::bad_config, "more than " + std::to_string(kMaxLabels) + " labels");
  }
  node.offer(std::string(kHosts), *this);
  node.on_drain("services", [this](Done done) { withdraw_all(std::move(done)); });
  node.on_state([this](NodeState state) {
    if (state == NodeState::ready) open();
    if (state == NodeState::draining) open_ = false;
    if (state == NodeState::starting) lose_all();
  });
  add_admin(node);
  return {};
}

void ServiceHost::withdraw_all(Done done) {
  open_ = false;
  if (manager_ != 0) {
    // An answer is not awaited: without this message the end would only count as a death.
    static_cast<void>(entity::rpc::send<&PlacerControl::leaving>(endpoint_, kPlacerChannel, {}));
  }
  if (instances_.empty()) return done({});
  emptied_ = std::move(done);
  for (const auto& [id, instance] : instances_) instance->withdraw();
}

void ServiceHost::lose_all() {
  open_ = false;
  manager_ = 0;  // a busroot that has lost its disk meanwhile counts from the beginning
  counters_.lost += instances_.size();
  if (!instances_.empty()) {
    spdlog::warn("{} service instances ended with the lease", instances_.size());
  }
  instances_.clear();
  if (emptied_) std::exchange(emptied_, nullptr)({});
}

HostReport ServiceHost::describe() const {
  HostReport report;
  report.labels = options_.labels;
  for (const auto& [name, type] : types_) report.types.push_back(name);
  report.capacity = options_.capacity;
  for (const auto& [id, instance] : instances_) report.instances.push_back(instance->row());
  return report;
}

Result<HostReport> ServiceHost::order(entity::rpc::Caller&, Order order) {
  if (!open_) return Error(Errc::not_ready);
  if (order.actions.size() > kMaxOrder) return Error(Errc::too_many);
  if (order.manager < manager_) {
    ++counters_.stale_orders;
    return Error(Errc::stale_manager);
  }
  manager_ = order.manager;
  std::vector<InstanceRow> refused;
  for (const Action& action : order.actions) {
    if (action.kind == Action::Kind::withdraw) {
      withdraw(action.id);
    } else if (const auto placed = place(action.id); !placed) {
      refused.push_back({action.id, InstanceState::failed, 0, placed.error()});
    }
  }
  HostReport answer = describe();
  std::ranges::copy_if(refused, std::back_inserter(answer.instances),
                       [this](const InstanceRow& row) { return !instances_.contains(row.id); });
  return answer;
}

Result<> ServiceHost::place(const InstanceId& id) {
  if (auto checked = check_instance(id); !checked) return checked;
  const auto type = types_.find(id.type);
  if (type == types_.end()) return Error(Errc::unknown_type, id.type);
  const auto present = instances_.find(id);
  if (present != instances_.end()) {
    if (present->second->state() == InstanceState::stopping) return Error(Errc::busy);
    if (present->second->state() != InstanceState::failed) return {};
    instances_.erase(present);
  }
  if (instances_.size() >= options_.capacity) return Error(Errc::too_many);
  auto made = std::make_unique<HostedInstance>(endpoint_, timers_, id, type->second, listener_);
  spdlog::info("{} is placed in this process", to_string(id));
  instances_.emplace(id, std::move(made)).first->second->begin();
  return {};
}

void ServiceHost::withdraw(const InstanceId& id) {
  const auto found = instances_.find(id);
  if (found != instances_.end()) found->second->withdraw();
}

void ServiceHost::changed(const HostedInstance& instance) {
  if (instance.state() == InstanceState::serving) ++counters_.started;
  if (instance.state() == InstanceState::failed) return void(++counters_.failed);
  spdlog::info("{} is {}", to_string(instance.id()), name_of(instance.state()));
}

void ServiceHost::gone(const InstanceId& id) {
  const auto found = instances_.find(id);
  if (found->second->stopped_badly()) ++counters_.stopped_badly;
  instances_.erase(found);
  spdlog::info("{} has ended in this process", to_string(id));
  if (instances_.empty() && emptied_) std::exchange(emptied_, nullptr)({});
}

}  // namespace starbus::nodes::service
