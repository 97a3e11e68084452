#include "nodes/manager/placement/placement_state.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "nodes/manager/placement/limits.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::manager {

using service::Action;
using service::InstanceId;
using service::InstanceRow;
using service::InstanceState;

namespace {

bool is_settled(const InstanceRow& row) {
  return row.state == InstanceState::serving || row.state == InstanceState::failed;
}

}  // namespace

void PlacementState::hosts_changed(const bus::WatchUpdate& update, Time now) {
  const std::string prefix = std::string(service::kHosts) + "#";
  for (const bus::WatchRow& row : update.changes) {
    if (!row.name.starts_with(prefix)) continue;
    const std::string process = row.name.substr(prefix.size());
    if (row.present && row.owner_name != process) continue;  // no host hosts for another
    left_out_.erase(process);
    const auto former = hosts_.find(process);
    if (former != hosts_.end() && row.present && former->second.epoch == row.epoch) continue;
    if (former != hosts_.end()) end(process, now);
    if (row.present) come(row, process, now);
  }
  while (!left_out_.empty() && hosts_.size() < kMaxServiceHosts) {
    const auto next = left_out_.extract(left_out_.begin());
    come(next.mapped(), next.key(), now);
  }
  hosts_complete_ = update.complete;
}

/// A life of a host, which has nothing yet.
void PlacementState::come(const bus::WatchRow& row, const std::string& process, Time now) {
  if (hosts_.size() == kMaxServiceHosts) return void(left_out_.emplace(process, row));
  Host& host = hosts_[process];
  host.serial = ++serials_;
  host.epoch = row.epoch;
  host.owner = row.owner;
  host.came = now;
  // It has not died: it was no member for a while.
  std::erase_if(ended_, [&](const Ended& ended) { return ended.owner == row.owner; });
}

void PlacementState::claims_changed(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto id = service::instance_of_claim(row.name);
    if (!id) continue;
    if (row.present) {
      claims_[*id] = row.owner_name;
      const auto host = hosts_.find(row.owner_name);
      if (host == hosts_.end()) continue;
      const auto young = host->second.young.find(*id);
      if (young != host->second.young.end()) young->second.claimed = true;
    } else {
      claims_.erase(*id);
    }
  }
  claims_complete_ = update.complete;
}

void PlacementState::answered(const std::string& process, std::uint64_t serial,
                              service::HostReport report, Time now) {
  const auto found = hosts_.find(process);
  if (found == hosts_.end() || found->second.serial != serial) return;
  Host& host = found->second;
  host.calling = false;
  host.answered = true;
  host.silent = false;
  host.report = std::move(report);
  const bool settled = std::ranges::all_of(host.report.instances, is_settled);
  host.next = now + (settled ? kHostInterval : kHostSoon);
  grow(process, host, now);
}

/// Takes the host's report about the instances that were placed there.
void PlacementState::grow(const std::string& process, Host& host, Time now) {
  std::map<InstanceId, Youth> young;
  for (const InstanceRow& row : host.report.instances) {
    if (row.state == InstanceState::failed) setbacks_.failed(row.id, process, now);
    const auto known = host.young.find(row.id);
    if (known == host.young.end() || row.state == InstanceState::failed) continue;
    Youth youth = known->second;
    if (row.state == InstanceState::serving && !std::exchange(youth.serves, true)) {
      youth.since = now;
    }
    youth.claimed = youth.claimed || row.state != InstanceState::claiming;
    if (youth.serves && now - youth.since >= kYouth) {
      setbacks_.settled(row.id);
    } else {
      young.emplace(row.id, youth);
    }
  }
  host.young = std::move(young);
}

void PlacementState::leaving(const bus::Process& owner) {
  for (auto& [process, host] : hosts_) {
    if (host.owner == owner) host.leaving = true;
  }
  for (Ended& ended : ended_) {
    if (ended.owner == owner) ended.leaving = true;
  }
}

void PlacementState::end(const std::string& process, Time now) {
  const auto host = hosts_.extract(process);
  Ended ended{process, host.mapped().owner, host.mapped().leaving, {}};
  for (const auto& [id, youth] : host.mapped().young) {
    const bool old = youth.serves && now - youth.since >= kYouth;
    if (youth.claimed && !old) ended.young.push_back(id);
  }
  if (!ended.young.empty()) ended_.push_back(std::move(ended));
}

void PlacementState::judge(Time now) {
  std::erase_if(ended_, [&](const Ended& ended) {
    if (!ended.leaving && is_there_(ended.process, ended.owner)) return false;
    if (!ended.leaving) setbacks_.died(ended.process, ended.young, now);
    return true;
  });
}

void PlacementState::unanswered(const std::string& process, std::uint64_t serial, Time now) {
  const auto found = hosts_.find(process);
  if (found == hosts_.end() || found->second.serial != serial) return;
  found->second.calling = false;
  found->second.silent = true;
  found->second.next = now + kHostSoon;
}

void PlacementState::start_afresh(Time now) {
  for (auto& [process, host] : hosts_) {
    Host fresh;
    fresh.serial = ++serials_;
    fresh.epoch = host.epoch;
    fresh.owner = host.owner;
    fresh.came = now;
    host = std::move(fresh);
  }
  ended_.clear();
  setbacks_ = {};
  begun_.clear();
  waiting_.clear();
}

bool PlacementState::plans(Time now) const {
  return hosts_complete_ && claims_complete_ && std::ranges::all_of(hosts_, [&](const auto& item) {
           return item.second.answered || now - item.second.came >= kFirstAnswer;
         });
}

std::vector<PlacementState::Call> PlacementState::due(Time now) {
  std::map<std::string, std::vector<Action>> orders;
  judge(now);
  if (plans(now)) {
    setbacks_.tidy(wanted_, now);
    Plan plan = make_plan(input(now));
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

/// Until the host has answered, its orders count as carried out.
void PlacementState::expect(Host& host, const Action& action) {
  auto& rows = host.report.instances;
  const auto row = std::ranges::find(rows, action.id, &InstanceRow::id);
  if (action.kind == Action::Kind::place) {
    rows.push_back({action.id, InstanceState::claiming, 0, {}});
    host.young[action.id] = {};
  } else if (row != rows.end()) {
    row->state = InstanceState::stopping;
  }
}

PlanInput PlacementState::input(Time now) const {
  PlanInput input;
  input.wanted = wanted_;
  input.begun = begun_;
  for (const auto& [id, process] : claims_) input.held.push_back({id, process});
  setbacks_.tell(input, now);
  for (const auto& [process, host] : hosts_) {
    HostView view{process, host.answered && !host.silent, host.report};
    // Orders that it may not have heard count as nothing yet: its claims show its instances.
    if (!view.answered) view.report.instances = claims_of(process);
    input.hosts.push_back(std::move(view));
  }
  return input;
}

std::vector<InstanceRow> PlacementState::claims_of(const std::string& process) const {
  std::vector<InstanceRow> rows;
  for (const auto& [id, owner] : claims_) {
    if (owner == process) rows.push_back({id, InstanceState::serving, 0, {}});
  }
  return rows;
}

}  // namespace starbus::nodes::manager
