#include "nodes/manager/placement/placement_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace starbus::nodes::manager {
namespace {

using service::Action;
using service::InstanceId;
using service::InstanceRow;
using service::InstanceState;

/// It runs there, or is on its way to.
bool is_live(InstanceState state) {
  return state != InstanceState::stopping && state != InstanceState::failed;
}

/// One host, as the plan changes it.
struct Host {
  const HostView* view = nullptr;
  std::size_t total = 0;                     // instances that it has, or is to have
  std::map<std::string, std::size_t> types;  // how many of each
  std::set<InstanceId> rows;                 // all that it knows of
  bool apart = false;                        // an instance that is kept apart is here

  void add(const InstanceId& id) {
    ++total;
    ++types[id.type];
  }
  void remove(const InstanceId& id) {
    --total;
    --types[id.type];
  }
};

class Planner {
 public:
  explicit Planner(PlanInput input) : input_(std::move(input)) {
    std::ranges::sort(input_.wanted, {}, &WantedType::type);
    std::ranges::sort(input_.hosts, {}, &HostView::process);
    plan_.begun = std::move(input_.begun);
    for (const WantedType& wanted : input_.wanted) wanted_.emplace(wanted.type, &wanted);
    for (const HostView& view : input_.hosts) note(view);
    for (const HeldClaim& claim : input_.held) {
      counts_[claim.id.type].insert(claim.id.partitions);
      plan_.begun.insert(claim.id.type);
    }
  }

  Plan run() && {
    for (const auto& [id, there] : live_) keep_one(id, there);
    for (const WantedType& wanted : input_.wanted) place_missing(wanted);
    std::erase_if(plan_.begun, [&](const auto& type) { return !wanted_.contains(type); });
    std::ranges::sort(plan_.actions);
    return std::move(plan_);
  }

 private:
  struct Live {
    std::size_t host;
    const InstanceRow* row;
  };

  bool is_wanted(const InstanceId& id) const {
    const auto found = wanted_.find(id.type);
    return found != wanted_.end() && found->second->has(id);
  }

  void note(const HostView& view) {
    Host host;
    host.view = &view;
    for (const InstanceRow& row : view.report.instances) {
      if (!host.rows.insert(row.id).second) continue;
      if (row.state != InstanceState::failed) {
        host.add(row.id);
        host.apart = host.apart || input_.apart.contains(row.id);
        counts_[row.id.type].insert(row.id.partitions);
      }
      if (is_live(row.state)) {
        live_[row.id].push_back({hosts_.size(), &row});
        plan_.begun.insert(row.id.type);
      } else if (row.state == InstanceState::failed) {
        withdraw(view, row.id);
      }
    }
    hosts_.push_back(std::move(host));
  }

  void withdraw(const HostView& view, const InstanceId& id) {
    if (view.answered) plan_.actions.push_back({view.process, {Action::Kind::withdraw, id}});
  }

  /// If an instance is live in several places, the one that got furthest stays; the rest, and
  /// instances that are not wanted, go.
  void keep_one(const InstanceId& id, const std::vector<Live>& there) {
    const auto rank = [this](const Live& live) {
      // Serving first; of equals the later life, then the name decides.
      return std::tuple(-static_cast<int>(live.row->state), ~live.row->epoch,
                        hosts_[live.host].view->process);
    };
    const auto best = std::ranges::min_element(there, {}, rank);
    const bool wanted = is_wanted(id);
    for (auto each = there.begin(); each != there.end(); ++each) {
      if (wanted && each == best) continue;
      hosts_[each->host].remove(id);
      withdraw(*hosts_[each->host].view, id);
    }
    if (wanted) kept_.insert(id);
  }

  bool fits(const Host& host, const WantedType& wanted) const {
    const auto has = [](const auto& range, const auto& what) {
      return std::ranges::find(range, what) != range.end();
    };
    const service::HostReport& report = host.view->report;
    return host.view->answered && has(report.types, wanted.type) &&
           std::ranges::all_of(wanted.labels,
                               [&](const auto& label) { return has(report.labels, label); });
  }

  /// Null: nowhere.
  Host* best_host(const WantedType& wanted, const InstanceId& id) {
    Host* best = nullptr;
    const auto rank = [&](const Host& host) {
      const auto same = host.types.find(wanted.type);
      return std::tuple(same == host.types.end() ? 0 : same->second, host.total);
    };
    for (Host& host : hosts_) {  // in the order of their names, which decides between equals
      if (!fits(host, wanted) || host.total >= host.view->report.capacity) continue;
      if (host.rows.contains(id) || input_.avoid.contains({id, host.view->process})) continue;
      if (host.apart && input_.apart.contains(id)) continue;
      if (best == nullptr || rank(host) < rank(*best)) best = &host;
    }
    return best;
  }

  void place_missing(const WantedType& wanted) {
    std::vector<InstanceId> missing;
    for (std::uint32_t number = 1; number <= wanted.count; ++number) {
      InstanceId id = wanted.instance(number);
      if (!kept_.contains(id)) missing.push_back(std::move(id));
    }
    if (missing.empty()) return;
    const auto wait = [&](std::string reason) {
      plan_.waiting.push_back({wanted.type, std::move(reason)});
    };
    const auto eligible = static_cast<std::size_t>(
        std::ranges::count_if(hosts_, [&](const Host& host) { return fits(host, wanted); }));
    if (!plan_.begun.contains(wanted.type) && eligible < wanted.hosts) {
      return wait("has " + std::to_string(eligible) + " of " + std::to_string(wanted.hosts) +
                  " hosts");
    }
    // Two divisions of one state must not be alive at a time.
    for (const std::uint32_t partitions : counts_[wanted.type]) {
      if (partitions != missing.front().partitions) {
        return wait("waits for the end of those of another number of partitions");
      }
    }
    std::map<std::string, std::size_t> left;  // how many, and why
    for (const InstanceId& id : missing) {
      if (const auto held = input_.nowhere.find(id); held != input_.nowhere.end()) {
        ++left[held->second];
        continue;
      }
      Host* const host = best_host(wanted, id);
      if (host == nullptr) {
        ++left["no host for"];
        continue;
      }
      host->add(id);
      host->apart = host->apart || input_.apart.contains(id);
      plan_.actions.push_back({host->view->process, {Action::Kind::place, id}});
      plan_.begun.insert(wanted.type);
    }
    std::string reason;
    for (const auto& [why, count] : left) {
      reason += (reason.empty() ? "" : ", ") + why + " " + std::to_string(count) + " of them";
    }
    if (!reason.empty()) wait(std::move(reason));
  }

  PlanInput input_;
  Plan plan_;
  std::map<std::string, const WantedType*> wanted_;
  std::vector<Host> hosts_;
  std::map<InstanceId, std::vector<Live>> live_;
  std::map<std::string, std::set<std::uint32_t>> counts_;  // of each type, the divisions there are
  std::set<InstanceId> kept_;
};

}  // namespace

Plan make_plan(PlanInput input) {
  return Planner(std::move(input)).run();
}

}  // namespace starbus::nodes::manager
