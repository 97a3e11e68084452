/// Processes of two builds: what each kind of difference between their declarations does to a call.
/// The other build is its bytes; what it declares is what it hashes (docs/guide/rpc.md, "Two
/// builds").
#include <gtest/gtest.h>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;

class RpcBuilds : public RpcTest {
 protected:
  /// A call of chat.METHOD(text) as a build makes it that declares these types for it.
  static Bytes as_of(std::string_view method, std::string_view types, std::string_view text) {
    Bytes bytes;
    Encoder out(bytes);
    put_header(out, {method_id("chat", method), hash32(types), Behalf::none, 0});
    out.text(text);
    return bytes;
  }
  boost::asio::awaitable<bool> begin() {
    const bool connected = co_await connect();
    if (!connected) co_return false;
    const auto bound = co_await server.bind("service/chat", chat, use_awaitable);
    co_return bound.has_value();
  }
  static constexpr std::string_view kJoin = "(str)->i32!{{u16,u16},{n,bytes}}";
  Chat chat;
};

TEST_F(RpcBuilds, ARenamedMethodIsNotFound) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const Bytes enter = as_of("enter", kJoin, "x");
    const Error error = co_await call_raw(caller_bus, "service/chat", enter);
    EXPECT_EQ(error, Errc::rpc_not_found);
    char number[32];
    std::snprintf(number, sizeof number, "no method %08x here", method_id("chat", "enter"));
    EXPECT_EQ(error.detail, number) << "its name is not known here";
    EXPECT_EQ(chat.entered, 0);
  });
}

TEST_F(RpcBuilds, AChangedArgumentIsRefusedByNameWithTheTypesThatAreMeant) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    for (const std::string_view other :
         {"(u64)->i32!{{u16,u16},{n,bytes}}", "(str,i32)->i32!{{u16,u16},{n,bytes}}", "()->i32!u8",
          "(str)->i64!{{u16,u16},{n,bytes}}", "(str)->i32!u8"}) {
      const Bytes join = as_of("join", other, "lobby");
      const Error error = co_await call_raw(caller_bus, "service/chat", join);
      EXPECT_EQ(error, Errc::signature_mismatch) << other;
      EXPECT_EQ(error.detail, "chat.join is " + std::string(kJoin) + " here");
    }
    EXPECT_EQ(chat.entered, 0) << "also where the bytes would have fitted";
  });
}

TEST_F(RpcBuilds, UnknownClassesAreNoComponentAndNotFound) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    // Declared in this build, and not of this object.
    const auto bag = co_await call<&Bag::add>(caller, "service/chat", {}, 1);
    EXPECT_EQ(bag.error(), Errc::no_such_component);
    // Declared in no class of this build.
    Bytes bytes;
    Encoder out(bytes);
    put_header(out, {method_id("stall", "sell"), hash32("()"), Behalf::none, 0});
    const Error stall = co_await call_raw(caller_bus, "service/chat", bytes);
    EXPECT_EQ(stall, Errc::rpc_not_found);
  });
}

TEST_F(RpcBuilds, MethodsOfBothBuildsGoOn) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const Bytes one_way = as_of("join", "(u64)", "lobby");
    const Error changed = co_await call_raw(caller_bus, "service/chat", one_way);
    EXPECT_EQ(changed, Errc::signature_mismatch);
    const Bytes join = as_of("join", kJoin, "lobby");
    const Error same = co_await call_raw(caller_bus, "service/chat", join);
    EXPECT_EQ(same, Errc::ok) << "the other methods of such a build are called as ever";
    EXPECT_EQ(chat.entered, 1);
    // One way: nobody is told, and it is counted for who looks.
    const auto refused = [this] { return server.work().of(info_of<&Chat::join>()).refused; };
    EXPECT_EQ(refused(), 1U);
    CO_OK(caller_bus.send("service/chat", ByteView(one_way)));
    co_await settle(caller_bus);
    EXPECT_EQ(refused(), 2U);
    EXPECT_EQ(chat.entered, 1);
  });
}

TEST_F(RpcBuilds, CallersWithoutPermissionLearnNoTypes) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const auto named = co_await gate_bus.bind("gate/1", bus::kNoHandlers, use_awaitable);
    EXPECT_TRUE(named);
    EXPECT_TRUE(co_await until([this] { return server.gates().is_gate(gate_bus.self()); }));
    Bytes bytes;
    Encoder out(bytes);
    put_header(out, {method_id("chat", "said"), hash32("(u64)"), Behalf::own_client, 1});
    const Error error = co_await call_raw(gate_bus, "service/chat", bytes);
    EXPECT_EQ(error, Errc::not_permitted);
    EXPECT_EQ(error.detail.find("here"), std::string::npos);
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
