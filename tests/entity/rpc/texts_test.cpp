/// What the errors of likely mistakes say: whoever reads one alone must know what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;
using ::testing::HasSubstr;

class RpcTexts : public RpcTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/7", chat, use_awaitable);
    const auto own = co_await gate.bind("gate/1", door, use_awaitable);
    for (int i = 0; i < 200 && !server.gates().is_gate(gate_bus.self()); ++i) co_await sleep(5ms);
    co_return bound&& own&& server.gates().is_gate(gate_bus.self());
  }
  Chat chat, door;
};

TEST_F(RpcTexts, ARefusedCallerIsToldWhoItIsAndWhoMayCall) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const CallOptions own{.behalf = Behalf::own_client, .client = 42};
    const CallOptions any{.behalf = Behalf::any_client, .client = 43};
    const auto sit = co_await call<&Chat::sit>(gate, "entity/7", any, 1);
    EXPECT_EQ(sit.error().to_string(),
              "not_permitted: chat.sit: for own_client|server, and the caller is any_client");
    const auto broken = co_await call<&Chat::broken>(gate, "entity/7", {});
    EXPECT_EQ(broken.error().to_string(),
              "not_permitted: chat.broken: for server, and the caller is gate");
    const auto claimed = co_await call<&Chat::join>(caller, "entity/7", own, "x");
    EXPECT_EQ(claimed.error().to_string(),
              "not_permitted: chat.join: a process that is no gate speaks for a client");
    const auto here = co_await call<&Chat::join>(server, "entity/7", own, "x");
    EXPECT_EQ(here.error().to_string(),
              "not_permitted: chat.join: a process that is no gate speaks for a client")
        << "also within one process";
  });
}

TEST_F(RpcTexts, WhatIsNoRpcObjectIsNamedAtTheCaller) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    bus::Handlers echo;
    echo.on_call = [](bus::Call& call) { (void)call.reply(call.body()); };
    CO_OK(co_await server_bus.bind("service/raw", echo, use_awaitable));
    const auto answer = co_await call<&Chat::sit>(caller, "service/raw", {}, 1);
    EXPECT_EQ(answer.error(), Errc::bad_bytes);
    EXPECT_THAT(answer.error().detail, HasSubstr("chat.sit: what answered is no RPC object"));
  });
}

TEST_F(RpcTexts, WhatIsNoRpcCallIsNamedAtTheObject) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const bus::ByteView text = bus::as_bytes("{}");
    const Error error = co_await call_raw(caller_bus, "entity/7", Bytes(text.begin(), text.end()));
    EXPECT_EQ(error.to_string(),
              "bad_bytes: no RPC call: begins with byte 7b; use rpc::call or rpc::send");
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
