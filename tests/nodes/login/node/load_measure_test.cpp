// What a manager says of the nodes of a role, as a login hears it, over real routers.
#include "nodes/login/node/load_measure.hpp"

#include <gtest/gtest.h>

#include "bus/io/clock.hpp"
#include "nodes/manager/load_service.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::login {
namespace {

using boost::asio::use_awaitable;
using bus::Task;

class LoadMeasureTest : public bus::LoopTest {
 protected:
  void ready(const std::string& role, const std::string& process, std::uint32_t slot) {
    bus::WatchRow row;
    row.name = ready_name(role, process);
    row.present = true;
    row.owner = {1, slot, 1};
    row.owner_name = process;
    bus::WatchUpdate update;
    update.changes.push_back(row);
    update.complete = true;
    table_.readiness(update);
  }
  void measured(const std::string& process, double busy, std::chrono::seconds age) {
    manager::LoadReports::Latest& latest = latest_[process];
    latest.report.emplace().busy_ms_per_s = busy;
    latest.at = bus::io::boot_now() - age;
  }

  starbus::testing::Cluster cluster_{loop, {.hosts = {"a"}}};
  bus::Bus manager_{loop, cluster_.node("a", "m")};
  bus::Bus login_{loop, cluster_.node("a", "l")};
  entity::rpc::Endpoint at_manager_{manager_};
  entity::rpc::Endpoint at_login_{login_};
  manager::NodeTable table_;
  std::map<std::string, manager::LoadReports::Latest> latest_;
  manager::LoadService service_{table_, [this](const std::string& process) {
                                  const auto found = latest_.find(process);
                                  return found == latest_.end() ? nullptr : &found->second;
                                }};
  std::vector<NodeBusy> heard_;
  int reports_ = 0;
  LoadMeasure measure_{
      at_login_, {"space"}, [this](const std::string& role, const std::vector<NodeBusy>& nodes) {
        EXPECT_EQ(role, "space");
        heard_ = nodes;
        ++reports_;
      }};
};

TEST_F(LoadMeasureTest, HearsOfTheReadyNodesOfItsRole) {
  ready("space", "a.space-1", 1);
  ready("space", "a.space-2", 2);
  ready("chat", "a.chat-1", 3);
  measured("a.space-1", 412.5, std::chrono::seconds(3));
  measured("a.chat-1", 1, std::chrono::seconds(0));
  run([this]() -> Task {
    for (bus::Bus* each : {&manager_, &login_}) CO_OK(co_await each->connect(use_awaitable));
    for (auto* each : {&at_manager_, &at_login_}) CO_OK(co_await each->ready(use_awaitable));
    // Without a manager there is no report, and the next round asks again.
    measure_.ask();
    CO_OK(co_await at_manager_.bind(std::string(manager::kLoadService), service_, use_awaitable));
    EXPECT_TRUE(co_await until([this] {
      measure_.ask();
      return reports_ > 0;
    }));
    EXPECT_EQ(heard_.size(), 2U);
    if (heard_.size() != 2) co_return;
    EXPECT_EQ(heard_[0].process, "a.space-1");
    EXPECT_EQ(heard_[0].busy_ms_per_s, 412.5);
    EXPECT_GE(heard_[0].age.value_or(Time(0)), std::chrono::seconds(3));
    EXPECT_LT(heard_[0].age.value_or(Time(0)), std::chrono::seconds(30));
    EXPECT_FALSE(heard_[1].age) << "it has not answered yet";
  });
}

}  // namespace
}  // namespace starbus::nodes::login
