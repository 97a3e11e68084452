// Who may call what: the receiver decides by the process, never by the bytes.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;

static_assert(permits(server, From::server) && !permits(server, From::own_client) &&
              !permits(server, From::any_client) && !permits(server, From::gate));
static_assert(permits(own_client, From::own_client) && !permits(own_client, From::any_client));
static_assert(permits(any_client, From::own_client) && permits(any_client, From::any_client) &&
              !permits(any_client, From::gate));
static_assert(permits(Permission::gate, From::gate) && permits(Permission::gate, From::server));

class RpcPermission : public RpcTest {
 protected:
  /// The gate owns its name, and everybody has seen it.
  boost::asio::awaitable<bool> open_gate() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/7", chat, use_awaitable);
    const auto own = co_await gate.bind("gate/1", door, use_awaitable);
    for (int i = 0; i < 200 && !server.gates().is_gate(gate_bus.self()); ++i) co_await sleep(5ms);
    co_return bound&& own&& server.gates().is_gate(gate_bus.self());
  }
  Chat chat, door;
};

TEST_F(RpcPermission, AGateCallsForItsClientsAndNeverAsAServer) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    const CallOptions own{.behalf = Behalf::own_client, .client = 42};
    const CallOptions any{.behalf = Behalf::any_client, .client = 43};
    CO_OK(co_await call<&Chat::join>(gate, "entity/7", own, "x"));
    EXPECT_EQ(chat.last, From::own_client);
    EXPECT_EQ(chat.client, 42U);
    CO_OK(co_await call<&Chat::join>(gate, "entity/7", any, "x"));
    EXPECT_EQ(chat.last, From::any_client);
    EXPECT_EQ(chat.client, 43U);
    // sit: own_client
    CO_OK(co_await call<&Chat::sit>(gate, "entity/7", own, 1));
    EXPECT_EQ((co_await call<&Chat::sit>(gate, "entity/7", any, 1)).error(), Errc::not_permitted);
    // broken: servers alone
    EXPECT_EQ((co_await call<&Chat::broken>(gate, "entity/7", own)).error(), Errc::not_permitted);
    EXPECT_EQ((co_await call<&Chat::broken>(gate, "entity/7", {})).error(), Errc::not_permitted);
    // left: of the gate itself
    CO_OK(co_await call<&Chat::left>(gate, "entity/7", {}, std::uint64_t{42}));
    EXPECT_EQ(chat.last, From::gate);
    EXPECT_EQ((co_await call<&Chat::left>(gate, "entity/7", own, std::uint64_t{1})).error(),
              Errc::not_permitted);
  });
}

TEST_F(RpcPermission, OnlyGatesMayClaimAClient) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    const CallOptions claim{.behalf = Behalf::own_client, .client = 42};
    EXPECT_EQ((co_await call<&Chat::join>(caller, "entity/7", claim, "x")).error(),
              Errc::not_permitted);
    EXPECT_EQ(chat.entered, 0);
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, "x"));
    EXPECT_EQ(chat.last, From::server);
  });
}

TEST_F(RpcPermission, FormerGatesStayGates) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    CO_OK(co_await gate.unbind("gate/1", use_awaitable));
    co_await sleep(100ms);
    EXPECT_EQ((co_await call<&Chat::broken>(gate, "entity/7", {})).error(), Errc::not_permitted);
  });
}

TEST_F(RpcPermission, AGatesOwnObjectsTakeItsOwnCallsAndJudgeThoseOfItsClients) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    const bool known = co_await until([&] { return gate.gates().is_gate(gate_bus.self()); });
    EXPECT_TRUE(known);
    CO_OK(co_await call<&Chat::blob>(gate, "gate/1", {}, 3U));  // servers alone
    const CallOptions own{.behalf = Behalf::own_client, .client = 1};
    const CallOptions any{.behalf = Behalf::any_client, .client = 2};
    EXPECT_EQ((co_await call<&Chat::blob>(gate, "gate/1", own, 3U)).error(), Errc::not_permitted);
    CO_OK(co_await call<&Chat::sit>(gate, "gate/1", own, 1));
    EXPECT_EQ((co_await call<&Chat::sit>(gate, "gate/1", any, 1)).error(), Errc::not_permitted);
    // By the bus, which a message with a channel of its own takes.
    const SendOptions by_bus{.from = bus::channel_id("gate/1")};
    EXPECT_TRUE(send<&Chat::said>(gate, "gate/1", by_bus, "by the bus"));
    const bool heard = co_await until([&] { return door.lines.size() == 1; });
    EXPECT_TRUE(heard);
    SendOptions of_client = by_bus;
    of_client.behalf = Behalf::own_client;
    EXPECT_TRUE(send<&Chat::said>(gate, "gate/1", of_client, "of a client"));
    co_await settle(gate_bus);
    EXPECT_EQ(door.lines.size(), 1U);
  });
}

/// Its own code is trusted with its own objects, whatever role the process has.
TEST_F(RpcPermission, NobodyElseIsTrustedWithThem) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    bus::Bus second_bus(loop, cluster.node("b", "gate-2"));
    Endpoint second(second_bus);
    CO_OK(co_await second_bus.connect(use_awaitable));
    Chat other;
    CO_OK(co_await second.bind("gate/2", other, use_awaitable));
    const bool seen = co_await until([&] { return gate.gates().is_gate(second_bus.self()); });
    EXPECT_TRUE(seen);
    EXPECT_EQ((co_await call<&Chat::blob>(second, "gate/1", {}, 3U)).error(), Errc::not_permitted);
    CO_OK(co_await call<&Chat::left>(second, "gate/1", {}, std::uint64_t{1}));
    EXPECT_EQ(door.last, From::gate);
    CO_OK(co_await call<&Chat::blob>(caller, "gate/1", {}, 3U));  // a server calls a gate
  });
}

TEST_F(RpcPermission, ArgumentsOfClientsHaveSmallerBudgets) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await open_gate());
    const CallOptions own{.behalf = Behalf::own_client, .client = 1};
    const std::string fits(kClientBytes - 8, 'x'), large(kClientBytes + 1, 'x');
    CO_OK(co_await call<&Chat::join>(gate, "entity/7", own, fits));
    EXPECT_EQ((co_await call<&Chat::join>(gate, "entity/7", own, large)).error(),
              Errc::bad_arguments);
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, large));
    const std::vector<Line> many(kClientElements + 1);
    const std::map<std::string, double> none;
    EXPECT_EQ((co_await call<&Chat::echo>(gate, "entity/7", own, many, none, std::nullopt)).error(),
              Errc::bad_arguments);
    EXPECT_EQ(chat.entered, 2);
  });
}

/// All processes are of this user, which two roles list: servers by default, gates on request.
class RpcTrust : public RpcTest {
 protected:
  static bus::Role role(std::string name, std::vector<std::string> bind) {
    bus::Role role;
    role.name = std::move(name);
    role.users = {::getuid()};
    role.bind = std::move(bind);
    role.send = {""};
    return role;
  }
  static bus::AccessList roles() {
    bus::Role server = role("server", {""});
    server.trust = bus::Trust::server;
    return bus::AccessList({server, role("gate", {"gate/"})});
  }
  RpcTrust() : RpcTest(roles()) {}
  boost::asio::awaitable<bool> serve() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/7", chat, use_awaitable);
    co_return bound.has_value();
  }
  Chat chat;
};

TEST_F(RpcTrust, TheSecondSessionOfAGateIsNoServer) {
  // A gate that was taken over opens a session under another node name, and binds nothing.
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await serve());
    for (const char* host : {"a", "b"}) {
      bus::Bus second(loop, cluster.node(host, "innocent", "gate"));
      Endpoint endpoint(second);
      CO_OK(co_await second.connect(use_awaitable));
      EXPECT_EQ((co_await call<&Chat::broken>(endpoint, "entity/7", {})).error(),
                Errc::not_permitted);
      EXPECT_EQ((co_await call<&Chat::sit>(endpoint, "entity/7", {}, 1)).error(),
                Errc::not_permitted);
      CO_OK(co_await call<&Chat::join>(endpoint, "entity/7", {}, "x"));
      EXPECT_EQ(chat.last, From::any_client);
    }
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, "x"));
    EXPECT_EQ(chat.last, From::server);
  });
}

TEST_F(RpcTrust, AServerIsKnownBeforeItsFirstCall) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await serve());
    for (int i = 0; i < 20; ++i) {
      for (const char* host : {"a", "b"}) {
        bus::Bus bus(loop, cluster.node(host, std::string("fresh-") + std::to_string(i)));
        Endpoint fresh(bus);
        CO_OK(co_await bus.connect(use_awaitable));
        CO_OK(co_await call<&Chat::join>(fresh, "entity/7", {}, "x"));
        EXPECT_EQ(chat.last, From::server);
      }
    }
  });
}

TEST_F(RpcTrust, ServersStaySoThroughRestartsOfTheDaemons) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await serve());
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, "x"));
    cluster.crash_root();
    cluster.start_root();
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, "x"));
    EXPECT_EQ(chat.last, From::server);
    cluster.crash_busd("a");
    cluster.start_busd("a");
    CO_OK(co_await call<&Chat::join>(caller, "entity/7", {}, "x"));
    EXPECT_EQ(chat.last, From::server);
  });
}

TEST_F(RpcTrust, WhileAClusterIsUpgradedUnlistedCallersAreServersAndGatesAreNot) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await serve());
    server.trust_unlisted_callers();
    bus::Bus old_bus(loop, cluster.node("a", "old", "gate"));  // a role without trust, as of 1.1
    Endpoint old(old_bus);
    CO_OK(co_await old_bus.connect(use_awaitable));
    CO_OK(co_await call<&Chat::join>(old, "entity/7", {}, "x"));
    EXPECT_EQ(chat.last, From::server);
    CO_OK(co_await old_bus.bind("gate/a.old", bus::kNoHandlers, use_awaitable));
    EXPECT_EQ((co_await call<&Chat::join>(old, "entity/7", {}, "x")).error(), Errc::not_permitted);
  });
}

TEST_F(RpcTrust, NobodyBindsANameOfAServer) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    for (const char* name : {"server/a.caller", "server/b.server", "server/x"}) {
      const auto bound = co_await caller_bus.bind(name, bus::kNoHandlers, use_awaitable);
      EXPECT_FALSE(bound);
      if (!bound) {
        EXPECT_EQ(bound.error().code, bus::Errc::denied);
      }
    }
  });
}

bus::Process process_of(std::uint32_t slot) {
  return {1, slot, 1};
}
bus::WatchRow row_of(std::uint32_t slot, bool present = true) {
  bus::WatchRow row;
  row.name = "gate/" + std::to_string(slot);
  row.owner = process_of(slot);
  row.present = present;
  return row;
}

TEST(RpcGates, AreKnownWithTheFirstWholeSnapshot) {
  Gates gates;
  gates.update({row_of(1)}, false);
  EXPECT_FALSE(gates.known());
  gates.update({}, true);
  EXPECT_TRUE(gates.known());
  EXPECT_TRUE(gates.is_gate(process_of(1)));
  EXPECT_FALSE(gates.is_gate(process_of(2)));
}

TEST(RpcGates, FormerOnesAreForgottenInTheOrderOfLeaving) {
  Gates gates;
  gates.update({row_of(0)}, true);
  for (std::uint32_t i = 1; i <= kMaxGates + 1; ++i) {
    gates.update({row_of(i)}, false);
    gates.update({row_of(i, false)}, false);
  }
  EXPECT_TRUE(gates.is_gate(process_of(0))) << "it still has its name";
  EXPECT_FALSE(gates.is_gate(process_of(1)));
  EXPECT_TRUE(gates.is_gate(process_of(2)));
  EXPECT_EQ(gates.size(), kMaxGates + 1);
}

TEST(RpcGates, OneThatLeavesAgainAndAgainIsNotForgottenForThat) {
  Gates gates;
  gates.update({row_of(2)}, true);
  gates.update({row_of(2, false)}, false);
  for (std::uint64_t i = 0; i <= kMaxGates; ++i) {
    gates.update({row_of(1)}, false);
    gates.update({row_of(1, false)}, false);
    ASSERT_TRUE(gates.is_gate(process_of(1))) << "it would be a server from the next call on";
  }
  EXPECT_TRUE(gates.is_gate(process_of(2))) << "there are two in all";
  auto granted_anew = row_of(1);
  for (std::uint64_t i = 1; i <= kMaxGates + 1; ++i) {
    granted_anew.epoch = {i};
    gates.update({granted_anew}, false);
  }
  EXPECT_TRUE(gates.is_gate(process_of(2)));
}

TEST(RpcGates, ANameThatChangesItsOwnerMakesBothGates) {
  Gates gates;
  gates.update({row_of(1)}, true);
  auto taken = row_of(1);
  taken.owner = process_of(9);
  gates.update({taken}, false);
  EXPECT_TRUE(gates.is_gate(process_of(1)));
  EXPECT_TRUE(gates.is_gate(process_of(9)));
}

bus::WatchRow server_row(std::uint32_t slot, bool present = true) {
  auto row = row_of(slot, present);
  row.name = "server/a." + std::to_string(slot);
  return row;
}

TEST(RpcServers, AreThoseThatOwnTheirNameAndNoOthers) {
  Servers servers;
  EXPECT_FALSE(servers.known());
  servers.update({server_row(1)}, true, {});
  EXPECT_TRUE(servers.known());
  EXPECT_TRUE(servers.is_server(process_of(1)));
  EXPECT_FALSE(servers.is_server(process_of(2)));
  auto later = process_of(1);
  ++later.incarnation;
  EXPECT_FALSE(servers.is_server(later));
}

TEST(RpcServers, OneThatHasEndedStaysSoForItsLastMessages) {
  Servers servers;
  Servers::Clock::time_point now{};
  servers.update({server_row(1), server_row(2)}, true, now);
  auto successor = server_row(1);
  ++successor.owner.incarnation;
  servers.update({successor, server_row(2, false)}, false, now);
  EXPECT_TRUE(servers.is_server(process_of(1)));
  EXPECT_TRUE(servers.is_server(process_of(2)));
  servers.update({server_row(2)}, false, now);  // it has its name again
  servers.update({}, false, now + kFormerServerTime);
  EXPECT_FALSE(servers.is_server(process_of(1)));
  EXPECT_TRUE(servers.is_server(process_of(2)));
  EXPECT_TRUE(servers.is_server(successor.owner));
}

}  // namespace
}  // namespace starbus::entity::rpc
