#include "nodes/manager/placement/placement_book.hpp"

#include <algorithm>
#include <chrono>

#include "nodes/manager/placement/limits.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::manager {

using service::Action;
using service::InstanceRow;
using service::InstanceState;
using std::chrono::milliseconds;

namespace {

bool is_settled(const InstanceRow& row) {
  return row.state == InstanceState::serving || row.state == InstanceState::failed;
}

}  // namespace

void PlacementBook::hosts_changed(const bus::WatchUpdate& update, Time now) {
  const std::string prefix = std::string(service::kHosts) + "#";
  for (const bus::WatchRow& row : update.changes) {
    if (!row.name.starts_with(prefix)) continue;
    const std::string process = row.name.substr(prefix.size());
    left_out_.erase(process);
    if (!row.present) {
      hosts_.erase(process);
    } else if (row.owner_name != process) {
      continue;  // nobody hosts in the name of another
    } else if (hosts_.size() == kMaxServiceHosts && !hosts_.contains(process)) {
      left_out_.insert(process);
    } else if (Host& host = hosts_[process]; host.epoch != row.epoch) {
      host = Host{};  // another life, which has nothing yet
      host.serial = ++serials_;
      host.epoch = row.epoch;
      host.came = now;
    }
  }
  hosts_complete_ = update.complete;
}

void PlacementBook::claims_changed(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto id = service::instance_of_claim(row.name);
    if (!id) continue;
    if (row.present) {
      claims_[*id] = row.owner_name;
    } else {
      claims_.erase(*id);
    }
  }
  claims_complete_ = update.complete;
}

void PlacementBook::answered(const std::string& process, std::uint64_t serial,
                             service::HostReport report, Time now) {
  const auto found = hosts_.find(process);
  if (found == hosts_.end() || found->second.serial != serial) return;
  Host& host = found->second;
  host.calling = false;
  host.answered = true;
  host.silent = false;
  host.report = std::move(report);
  const bool settled = std::ranges::all_of(host.report.instances, is_settled);
  host.next = now + milliseconds(settled ? kHostInterval : kHostSoon);
  for (const InstanceRow& row : host.report.instances) {
    if (row.state != InstanceState::failed) continue;
    avoid_[{row.id, process}] = now + milliseconds(kAvoid);
  }
}

void PlacementBook::unanswered(const std::string& process, std::uint64_t serial, Time now) {
  const auto found = hosts_.find(process);
  if (found == hosts_.end() || found->second.serial != serial) return;
  found->second.calling = false;
  found->second.silent = true;
  found->second.next = now + milliseconds(kHostSoon);
}

void PlacementBook::start_afresh(Time now) {
  for (auto& [process, host] : hosts_) {
    const bus::Epoch epoch = host.epoch;
    host = Host{};
    host.serial = ++serials_;
    host.epoch = epoch;
    host.came = now;
  }
  begun_.clear();
  waiting_.clear();
}

bool PlacementBook::plans(Time now) const {
  return hosts_complete_ && claims_complete_ && std::ranges::all_of(hosts_, [&](const auto& item) {
           return item.second.answered || now - item.second.came >= milliseconds(kFirstAnswer);
         });
}

std::vector<PlacementBook::Call> PlacementBook::due(Time now) {
  std::map<std::string, std::vector<Action>> orders;
  if (plans(now)) {
    std::erase_if(avoid_, [&](const auto& item) { return item.second <= now; });
    Plan plan = make_plan(input());
    begun_ = std::move(plan.begun);
    waiting_ = std::move(plan.waiting);
    for (PlannedAction& each : plan.actions) {
      orders[each.process].push_back(std::move(each.action));
    }
  }
  std::vector<Call> calls;
  for (auto& [process, host] : hosts_) {
    if (host.calling) continue;  // what it is to do is planned again when it has answered
    auto ordered = orders.find(process);
    if (ordered == orders.end() && host.next > now) continue;
    Call call{process, host.serial, {}};
    if (ordered != orders.end()) call.actions = std::move(ordered->second);
    if (call.actions.size() > service::kMaxOrder) call.actions.resize(service::kMaxOrder);
    for (const Action& action : call.actions) expect(host, action);
    host.calling = true;
    calls.push_back(std::move(call));
  }
  return calls;
}

/// Until it has answered, what it was told counts as done.
void PlacementBook::expect(Host& host, const Action& action) {
  auto& rows = host.report.instances;
  const auto row = std::ranges::find(rows, action.id, &InstanceRow::id);
  if (action.kind == Action::Kind::place) {
    rows.push_back({action.id, InstanceState::claiming, 0, {}});
  } else if (row != rows.end()) {
    row->state = InstanceState::stopping;
  }
}

PlanInput PlacementBook::input() const {
  PlanInput input;
  input.wanted = wanted_;
  input.begun = begun_;
  for (const auto& [id, process] : claims_) input.held.push_back({id, process});
  for (const auto& [key, until] : avoid_) input.avoid.insert(key);
  for (const auto& [process, host] : hosts_) {
    HostView view{process, host.answered && !host.silent, host.report};
    // What it was told, and may not have heard, is nowhere yet: its claims show what it has.
    if (!view.answered) view.report.instances = claims_of(process);
    input.hosts.push_back(std::move(view));
  }
  return input;
}

std::vector<InstanceRow> PlacementBook::claims_of(const std::string& process) const {
  std::vector<InstanceRow> rows;
  for (const auto& [id, owner] : claims_) {
    if (owner == process) rows.push_back({id, InstanceState::serving, 0, {}});
  }
  return rows;
}

}  // namespace starbus::nodes::manager
