/// A cluster of two hosts within the test, its victims, and the doors that an attacker knocks at.
///
/// docs/design/threat-model.md says who the attackers are, and lists what they try: here, and in
/// the tests beside what they attack.
#pragma once

#include <sys/stat.h>

#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "testing/cluster.hpp"
#include "tests/attack/attacker.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/places.hpp"

namespace starbus::attack {

using boost::asio::use_awaitable;
using bus::Bus;
using bus::Task;

/// Rounds, sessions or guesses of an attack: those of CI, or those of scripts/test --long.
template <class Count>
Count as_many(Count quick, Count in_long_runs) {
  return long_runs() ? in_long_runs : quick;
}
/// The time that an attack may take: in long runs ten times as long.
inline std::chrono::seconds limit_of(std::chrono::seconds quick) {
  return long_runs() ? 10 * quick : quick;
}

class AttackTest : public bus::LoopTest {
 protected:
  explicit AttackTest(bus::AccessList access = bus::AccessList())
      : cluster(loop, {.hosts = {"a", "b"}, .access = std::move(access)}) {}

  std::string folder() const {
    const std::string endpoint = door("a");
    return endpoint.substr(std::string("unix://").size(),
                           endpoint.rfind('/') - std::string("unix://").size());
  }
  /// busd's socket.
  std::string door(const std::string& host) const { return cluster.node(host, "x").endpoint; }
  /// busroot's.
  std::string root_door() const { return "unix://" + folder() + "/busroot.sock"; }
  /// Every user may connect, as every user of the socket's group may.
  void open_doors() const {
    ASSERT_EQ(::chmod(folder().c_str(), 0755), 0);
    for (const char* host : {"a", "b"}) {
      ASSERT_EQ(::chmod((folder() + "/" + host + ".sock").c_str(), 0666), 0);
    }
  }
  /// A node on host "a" that was taken over.
  std::unique_ptr<Attacker> node(const std::string& name, const std::vector<bus::Row>& rows = {},
                                 std::uint32_t uid = ::geteuid()) {
    auto attacker = std::make_unique<Attacker>(loop, door("a"), uid);
    attacker->enter_as_node("a", name, rows);
    return attacker;
  }
  /// A host "evil" that was taken over.
  std::unique_ptr<Attacker> host(const std::vector<bus::Row>& rows = {},
                                 const std::string& name = "evil") {
    auto attacker = std::make_unique<Attacker>(loop, root_door());
    attacker->enter_as_host(name, rows);
    return attacker;
  }
  static bus::Handlers echo() {
    bus::Handlers handlers;
    handlers.on_call = [](bus::Call& call) { (void)call.reply(call.body()); };
    return handlers;
  }
  /// Connects both; the owner answers calls of entity/greeter from now on.
  static boost::asio::awaitable<bus::Result<bus::Bound>> serve_greeter(Bus& owner, Bus& caller) {
    for (Bus* each : {&owner, &caller}) {
      if (const auto connected = co_await each->connect(use_awaitable); !connected) {
        co_return connected.error();
      }
    }
    const bus::Handlers handlers = echo();
    co_return co_await owner.bind("entity/greeter", handlers, use_awaitable);
  }
  /// The answer to a call, or its error.
  static boost::asio::awaitable<std::string> answer(Bus& caller, const std::string& to) {
    const auto reply = co_await caller.call(to, "who is there?", {}, use_awaitable);
    co_return reply ? std::string(bus::as_text(*reply)) : reply.error().to_string();
  }
  boost::asio::awaitable<void> pass(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }

  starbus::testing::Cluster cluster;
};

/// Attacks that need a user of their own.
class UserAttackTest : public AttackTest {
 protected:
  using AttackTest::AttackTest;
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can try what other users of the host try";
    open_doors();
  }
};

}  // namespace starbus::attack
