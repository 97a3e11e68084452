// A process without busroot for as long as its lease: what it had is over, and it comes back anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::bus {
namespace {

using boost::asio::use_awaitable;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class LeaseTest : public LoopTest {
 protected:
  // Heartbeats come once a second, so that what a process knows of busroot is up to three old.
  LeaseTest() : cluster(loop, {.hosts = {"a"}, .lease = from_ms(6000)}) {}
  testing::Cluster cluster;

  using Ends = std::shared_ptr<std::vector<std::string>>;
  /// All that waits for the first rows of a watch, of which there are none while busroot is away.
  /// Returns how each of it ends.
  static Ends ask_without_rows(Bus& bus) {
    auto ends = std::make_shared<std::vector<std::string>>();
    const auto note = [ends](std::string what) {
      return [ends, what = std::move(what)](const auto& end) {
        ends->push_back(what + " " + (end ? "ok" : std::string(name_of(errc_of(end.error())))));
      };
    };
    bus.on_undelivered([ends](const Undelivered& message) {
      ends->push_back("silent send " + std::string(name_of(errc_of(message.reason))));
    });
    EXPECT_TRUE(bus.send("service/silent", as_bytes("m")));
    bus.send_acknowledged("service/x", Bytes(1), {}, note("send"));
    CallOptions patient;
    patient.deadline = 60s;
    bus.call("service/y", as_bytes("m"), patient, note("call"));
    bus.announce_acknowledged("group/x", Bytes(1), {}, note("announcement"));
    PostOptions impatient;
    impatient.wait = false;
    bus.post("mail/x", as_bytes("m"), impatient, note("post"));
    bus.bind("service/z", {}, note("bind"));
    bus.move(
        "entity/x", "b.one", [] { return Bytes(); }, note("move"));
    return ends;
  }
};

TEST_F(LeaseTest, WithoutBusrootAProcessGivesUpItsNamesAndComesBackAnew) {
  run(
      [this]() -> Task {
        Bus bus(loop, cluster.node("a", "one"));
        CO_OK(co_await bus.connect(use_awaitable));
        CO_OK(co_await bus.bind("entity/x", kNoHandlers, use_awaitable));
        const Process before = bus.self();
        bool lost = false;
        bus.on_lease_lost([&] { lost = true; });
        boost::asio::steady_timer timer(loop, 6500ms);
        co_await timer.async_wait(use_awaitable);
        EXPECT_FALSE(lost);  // echoes of busroot prolong it
        cluster.crash_root();
        const auto ends = ask_without_rows(bus);
        timer.expires_after(6s);
        co_await timer.async_wait(use_awaitable);
        EXPECT_TRUE(lost);
        EXPECT_FALSE(bus.epoch("entity/x"));
        EXPECT_THAT(*ends,
                    UnorderedElementsAre("send lease_lost", "silent send lease_lost",
                                         "call lease_lost", "announcement lease_lost",
                                         "post lease_lost", "bind lease_lost", "move lease_lost"));
        cluster.start_root();
        CO_OK(co_await bus.bind("entity/x", kNoHandlers, use_awaitable));
        EXPECT_GT(bus.self().incarnation, before.incarnation);
      },
      40s);
}

}  // namespace
}  // namespace starbus::bus
