/// The attacker: a gate that was taken over, on a host with the roles that are shipped. It wants
/// what its role does not have: the manager, the databases, mail, and the trust of a server.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "bus/core/wire/record_replies.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "busd/settings.hpp"
#include "daemon/config/config.hpp"
#include "tests/attack/attack_fixture.hpp"
#include "tests/places.hpp"

namespace starbus::attack {
namespace {

using bus::Errc;

/// The users of the shipped roles, which this machine need not have.
constexpr std::array<std::pair<std::string_view, std::uint32_t>, 7> kUsers = {{
    {"starbus-manager", 2'101},
    {"starbus-db", 2'102},
    {"starbus-gate", 2'103},
    {"starbus-login", 2'104},
    {"starbus-space", 2'105},
    {"starbus-service", 2'106},
    {"starbus-node", 2'107},
}};
constexpr std::uint32_t kGate = 2'103;
constexpr std::uint32_t kNobody = 3'999;

bus::AccessList shipped_roles() {
  std::ifstream file(source_file("deploy/config/busd.toml"));
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (const auto& [name, uid] : kUsers) {
    const std::string quoted = '"' + std::string(name) + '"';
    const std::size_t at = text.find("users = [" + quoted);
    if (at == std::string::npos) continue;
    text.replace(text.find(quoted, at), quoted.size(), '"' + std::to_string(uid) + '"');
  }
  auto reader = daemon::ConfigReader::parse(text, "busd.toml").value();
  return bus::AccessList(busd::read_settings(reader).roles);
}

/// Nodes tell whoever may send to node/ what they tell their admin socket: clients with addresses.
TEST(ShippedRoles, OnlyManagersAndToolsAskNodes) {
  const bus::AccessList roles = shipped_roles();
  const auto role_of = [&](std::uint32_t uid) {
    auto role = roles.admit("", bus::User{uid, uid, {}});
    EXPECT_TRUE(role) << uid;
    return *role;
  };
  for (const auto& [name, uid] : kUsers) {
    EXPECT_EQ(role_of(uid)->may_send("node/a.gate-1"), name == "starbus-manager") << name;
    const bool announces =
        name == "starbus-space" || name == "starbus-service" || name == "starbus-node";
    EXPECT_EQ(role_of(uid)->may_send("group/gates"), announces) << name;
  }
  EXPECT_TRUE(role_of(0)->may_send("node/a.gate-1")) << "tools";
  EXPECT_TRUE(role_of(0)->may_send("group/gates")) << "tools";
  EXPECT_EQ(role_of(0)->trust, bus::Trust::server);
}

class TakenGate : public UserAttackTest {
 protected:
  TakenGate() : UserAttackTest(shipped_roles()) {}

  boost::asio::awaitable<std::unique_ptr<Attacker>> gate(std::string name = "gate-1") {
    EXPECT_TRUE(co_await until([&] { return cluster.busd("a")->uplink().greeted; }));
    auto evil = node(name, {}, kGate);
    EXPECT_TRUE(co_await until([&] { return bool(evil->granted("process/a." + name)); }));
    co_return evil;
  }
};

TEST_F(TakenGate, ReachesNeitherManagerNorDatabaseNorStore) {
  run(
      [this]() -> Task {
        for (const char* name : {"manager/cluster", "db/main", "store/7", "node/a.space-1",
                                 "log/guild-1", "process"}) {
          const auto by_name = co_await gate();
          by_name->say(bus::Open{bus::Lane::call, name});
          EXPECT_TRUE(co_await until([&] { return by_name->closed(); })) << name;
          EXPECT_NE(by_name->reset(), Errc::ok) << name;
          const auto by_id = co_await gate();
          by_id->say_message(name, bus::as_bytes("shut down"));
          EXPECT_TRUE(co_await until([&] { return by_id->closed(); })) << name;
          EXPECT_EQ(by_id->reset(), Errc::denied) << name;
        }
        Bus honest(loop, cluster.node("a", "tool"));
        CO_OK(co_await honest.connect(use_awaitable));
      },
      40s);
}

TEST_F(TakenGate, OwnsNothingOfOtherRoles) {
  run(
      [this]() -> Task {
        for (const char* name : {"manager/cluster", "db/main", "service/db", "store/7", "entity/7",
                                 "player/42", "server/a.gate-1", "log/guild-1"}) {
          const auto by_bind = co_await gate();
          by_bind->bind(name);
          EXPECT_TRUE(co_await until([&] {
            return by_bind->closed() || !by_bind->heard<bus::Refused>().empty();
          })) << name;
          EXPECT_FALSE(by_bind->granted(name)) << name;
          const auto by_row = node("gate-2", {row(name, bus::Epoch::of(1, 1))}, kGate);
          EXPECT_TRUE(co_await until([&] { return by_row->closed(); })) << name;
        }
      },
      40s);
}

/// Names, owners and incarnations of all processes are the map of an attack.
TEST_F(TakenGate, SeesNoNamesOutsideItsRole) {
  run([this]() -> Task {
    const auto evil = co_await gate();
    const std::vector<std::string> prefixes = {"", "player/", "process/", "db/", "node/", "s"};
    for (const std::string& prefix : prefixes) evil->say(bus::Watch{prefix});
    EXPECT_TRUE(
        co_await until([&] { return evil->heard<bus::WatchRefused>().size() == prefixes.size(); }));
    EXPECT_TRUE(evil->heard<bus::WatchRows>().empty());
  });
}

TEST_F(TakenGate, ChoosesNoOtherRole) {
  run([this]() -> Task {
    for (const char* role : {"manager", "db", "space", "tools", "none"}) {
      Attacker evil(loop, door("a"), kGate);
      bus::Hello hello;
      hello.minor = bus::kVersionMinor;
      hello.name = "gate-1";
      hello.role = role;
      hello.incarnation = 1;
      evil.enter(hello);
      EXPECT_TRUE(co_await until([&] { return evil.closed(); }));
      EXPECT_EQ(evil.reset(), Errc::unauthorized) << role;
    }
  });
}

/// busroot and other processes know it by its name.
TEST_F(TakenGate, HasNoNodeNameOfAnotherRole) {
  run([this]() -> Task {
    for (const char* name : {"manager", "manager-1", "db", "store", "space-1", "login-1", "x"}) {
      const auto evil = node(name, {}, kGate);
      EXPECT_TRUE(co_await until([&] { return evil->closed(); })) << name;
      EXPECT_EQ(evil->reset(), Errc::denied) << name;
    }
  });
}

/// A second session, which has bound nothing of a gate, was a server for those who are called.
TEST_F(TakenGate, IsNoServerInAnySession) {
  run([this]() -> Task {
    const auto first = co_await gate("gate-1");
    const auto second = co_await gate("gate-2");
    EXPECT_FALSE(first->trusted());
    EXPECT_FALSE(second->trusted());
    const auto space = node("space-1", {}, 2'105);
    EXPECT_TRUE(co_await until([&] { return space->trusted(); }));
  });
}

TEST_F(TakenGate, AUserWithoutARoleIsNotLetIn) {
  run([this]() -> Task {
    const auto evil = node("x", {}, kNobody);
    EXPECT_TRUE(co_await until([&] { return evil->closed(); }));
    EXPECT_EQ(evil->reset(), Errc::unauthorized);
  });
}

}  // namespace
}  // namespace starbus::attack
