/// What the tests of the manager's book share: a book, hosts that come, answer and die.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "nodes/manager/placement/limits.hpp"
#include "nodes/manager/placement/placement_book.hpp"

namespace starbus::nodes::manager::test {

using service::Action;
using service::HostReport;
using service::InstanceId;
using service::InstanceRow;
using service::InstanceState;
using Calls = std::vector<PlacementBook::Call>;
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

class PlacementBookTest : public ::testing::Test {
 protected:
  PlacementBookTest() { book.want({{"chat", 2, false, 1}}); }
  void hosts(std::vector<bus::WatchRow> rows) {
    book.hosts_changed({std::move(rows), true}, now);
    book.claims_changed({claims, true});
  }
  void claim(const InstanceId& id, const std::string& process) {
    bus::WatchRow row;
    row.name = service::claim_name(id);
    row.owner_name = process;
    claims.push_back(row);
  }
  Calls due() { return book.due(now); }
  void answer(const PlacementBook::Call& call, std::vector<InstanceRow> rows = {}) {
    book.answered(call.process, call.serial, report(std::move(rows)), now);
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
    book.claims_changed(freed);
    gone.insert(book.hosts().at(process).owner);
    hosts({member(process, book.hosts().at(process).epoch.value, false)});
  }
  std::set<bus::Process> gone;
  PlacementBook book{
      [this](const std::string&, const bus::Process& owner) { return !gone.contains(owner); }};
  std::vector<bus::WatchRow> claims;
  PlacementBook::Time now = 100s;
};

}  // namespace starbus::nodes::manager::test
