/// What the tests of the manager's state share: a state, hosts that come, answer and die.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "nodes/manager/placement/limits.hpp"
#include "nodes/manager/placement/placement_state.hpp"

namespace starbus::nodes::manager::test {

using service::Action;
using service::HostReport;
using service::InstanceId;
using service::InstanceRow;
using service::InstanceState;
using Calls = std::vector<PlacementState::Call>;
using namespace std::chrono_literals;

inline const InstanceId kChat1{"chat", 1, 0};
inline const InstanceId kChat2{"chat", 2, 0};

inline bus::WatchRow member(const std::string& process, std::uint64_t epoch, bool present = true) {
  bus::WatchRow row;
  row.present = present;
  row.name = "group/service_hosts#" + process;
  row.owner_name = process;
  row.owner = {1, static_cast<std::uint32_t>(epoch), epoch};
  row.epoch = {epoch};
  return row;
}
inline HostReport report(std::vector<InstanceRow> rows = {}) {
  return {{"service"}, {"chat"}, 100, std::move(rows)};
}

class PlacementStateTest : public ::testing::Test {
 protected:
  PlacementStateTest() { state.want({{"chat", 2, false, 1}}); }
  void hosts(std::vector<bus::WatchRow> rows) {
    state.hosts_changed({std::move(rows), true}, now);
    state.claims_changed({claims, true});
  }
  void claim(const InstanceId& id, const std::string& process) {
    bus::WatchRow row;
    row.name = service::claim_name(id);
    row.owner_name = process;
    claims.push_back(row);
  }
  Calls due() { return state.due(now); }
  void answer(const PlacementState::Call& call, std::vector<InstanceRow> rows = {}) {
    state.answered(call.process, call.serial, report(std::move(rows)), now);
  }
  /// Takes the host through the end of its process.
  void die(const std::string& process) {
    bus::WatchUpdate freed{{}, true};
    std::erase_if(claims, [&](bus::WatchRow& row) {
      if (row.owner_name != process) return false;
      row.present = false;
      freed.changes.push_back(row);
      return true;
    });
    state.claims_changed(freed);
    gone.insert(state.hosts().at(process).owner);
    hosts({member(process, state.hosts().at(process).epoch.value, false)});
  }
  std::set<bus::Process> gone;
  PlacementState state{
      [this](const std::string&, const bus::Process& owner) { return !gone.contains(owner); }};
  std::vector<bus::WatchRow> claims;
  PlacementState::Time now = 100s;
};

}  // namespace starbus::nodes::manager::test
