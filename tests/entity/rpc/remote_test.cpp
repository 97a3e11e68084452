// Calls from another process: what they answer, and what they refuse.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;
using ::testing::ElementsAre;

class RpcRemote : public RpcTest {
 protected:
  Chat chat;
};

TEST_F(RpcRemote, ACallAnswersAndAMessageArrives) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    const auto seats = co_await call<&Chat::join>(caller, "service/chat", {}, "lobby");
    CO_OK(seats);
    EXPECT_EQ(*seats, 5);
    EXPECT_EQ(chat.last, From::server);
    CO_OK(send<&Chat::said>(caller, "service/chat", {}, "one"));
    CO_OK(send<&Chat::said>(caller, "service/chat", {}, std::string_view("two")));
    co_await settle(caller_bus);
    EXPECT_THAT(chat.lines, ElementsAre("one", "two"));
    EXPECT_EQ(server.work().of(info_of<&Chat::said>()).calls, 2U);
    EXPECT_EQ(server.counters().remote, 3U);
  });
}

TEST_F(RpcRemote, StructuredArgumentsComeAsTheyWere) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    const std::vector<Line> all = {{"ann", -5, {"a", ""}}, {"", 1LL << 60, {}}};
    const std::map<std::string, double> scores = {{"x", 0.5}};
    const auto answer =
        co_await call<&Chat::echo>(caller, "service/chat", {}, all, scores, std::optional(3));
    CO_OK(answer);
    auto expected = all;
    expected.push_back({"scores", 4, {}});
    EXPECT_EQ(*answer, expected);
  });
}

TEST_F(RpcRemote, RefusalsCarryTheMethodsOwnError) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    const auto full = co_await call<&Chat::sit>(caller, "service/chat", {}, 9);
    EXPECT_EQ(full.error(), Errc::refused);
    EXPECT_EQ(full.error().error, ChatError::full);
    const auto nameless = co_await call<&Chat::join>(caller, "service/chat", {}, "");
    EXPECT_EQ(nameless.error(), Errc::refused);
    EXPECT_EQ(nameless.error().error, bus::Errc::bad_name);
    EXPECT_EQ(nameless.error().error.detail, "a room has a name");
  });
}

TEST_F(RpcRemote, AMethodThatThrowsAnswersFailed) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Player player(server);
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    CO_OK(co_await server.bind("entity/7", player, use_awaitable));
    const auto broken = co_await call<&Chat::broken>(caller, "service/chat", {});
    EXPECT_EQ(broken.error(), Errc::failed);
    EXPECT_EQ(broken.error().detail, "a bug");
    const auto late = co_await call<&Player::thrower>(caller, "entity/7", {});
    EXPECT_EQ(late.error(), Errc::failed);
    EXPECT_EQ(late.error().detail, "late");
  });
}

TEST_F(RpcRemote, MissingTargetsHaveFourErrors) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Player player(server);
    CO_OK(co_await server.bind("entity/7", player, use_awaitable));
    const auto nobody = co_await call<&Chat::join>(caller, "entity/8", {}, "x");
    EXPECT_EQ(nobody.error(), bus::Errc::no_owner);
    const auto component = co_await call<&Bag::add>(caller, "entity/7", {}, 1);
    EXPECT_EQ(component.error(), Errc::no_such_component);

    Bytes unknown;
    Encoder out(unknown);
    put_header(out, {12345, 0, Behalf::none, 0});
    EXPECT_EQ(co_await call_raw(caller_bus, "entity/7", unknown), Errc::rpc_not_found);
    Bytes nonsense(40, std::byte{0xff});
    EXPECT_EQ(co_await call_raw(caller_bus, "entity/7", nonsense), Errc::bad_bytes);
  });
}

TEST_F(RpcRemote, OwnMethodsComeFirstThenThoseOfTheBaseAndOfComponents) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Player player(server);
    Bag bag;
    Purse purse;
    EXPECT_TRUE(player.attach(bag));
    EXPECT_TRUE(player.attach(purse));
    CO_OK(co_await server.bind("entity/7", player, use_awaitable));
    CO_OK(co_await call<&Avatar::walk>(caller, "entity/7", {}, 3));
    EXPECT_THAT(player.walked, ElementsAre(3));
    const auto added = co_await call<&Bag::add>(caller, "entity/7", {}, 4);
    CO_OK(added);
    EXPECT_EQ(*added, 4);
    const auto gold = co_await call<&Purse::gold>(caller, "entity/7", {});
    CO_OK(gold);
    EXPECT_EQ(*gold, 7);
  });
}

TEST_F(RpcRemote, AComponentThatWasRemovedAnswersNotFound) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Player player(server);
    CO_OK(co_await server.bind("entity/7", player, use_awaitable));
    {
      Bag bag;  // its init fails
      EXPECT_TRUE(player.attach(bag));
    }
    const auto gone = co_await call<&Bag::add>(caller, "entity/7", {}, 1);
    EXPECT_EQ(gone.error(), Errc::rpc_not_found);
    Bag again;
    EXPECT_TRUE(player.attach(again));
    CO_OK(co_await call<&Bag::add>(caller, "entity/7", {}, 1));
    EXPECT_EQ(again.held, 1);
  });
}

TEST_F(RpcRemote, ComponentsOfOneClassAreRefusedAlsoThroughTheirBase) {
  run([this]() -> TestTask {
    Player player(server), other(server);
    Bag bag, second;
    BigBag big;
    EXPECT_TRUE(player.attach(bag));
    EXPECT_EQ(player.attach(second).error(), Errc::duplicate);
    EXPECT_EQ(player.attach(big).error(), Errc::duplicate);
    EXPECT_EQ(player.attach(other).error(), Errc::duplicate);
    EXPECT_EQ(other.attach(bag).error(), Errc::duplicate);
    co_return;
  });
}

TEST_F(RpcRemote, BytesThatAreNotTheArgumentsEnterNothing) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    Bytes good;
    EXPECT_TRUE(
        (encode_call<&Chat::echo>(good, Behalf::none, 0, std::vector<Line>(2),
                                  std::map<std::string, double>{{"a", 1}}, std::optional<int>(1))));
    for (std::size_t size = 10; size < good.size(); ++size) {
      const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(co_await call_raw(caller_bus, "service/chat", cut), Errc::bad_arguments);
    }
    Bytes more = good;
    more.push_back(std::byte{0});
    EXPECT_EQ(co_await call_raw(caller_bus, "service/chat", more), Errc::bad_arguments);
    EXPECT_EQ(chat.entered, 0);
    EXPECT_EQ(co_await call_raw(caller_bus, "service/chat", good), Errc::ok);
    EXPECT_EQ(chat.entered, 1);
  });
}

TEST_F(RpcRemote, AnotherBuildsSignatureIsRefusedAndNotMisread) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    Bytes bytes;
    Encoder out(bytes);
    put_header(out, {method_id("chat", "join"), hash32("(u64)->i32!{{u16,u16},{n,bytes}}"),
                     Behalf::none, 0});
    out.text("lobby");
    EXPECT_EQ(co_await call_raw(caller_bus, "service/chat", bytes), Errc::signature_mismatch);
    EXPECT_EQ(chat.entered, 0);
  });
}

TEST_F(RpcRemote, AnAnswerThatIsTooLargeIsAnError) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    const auto blob =
        co_await call<&Chat::blob>(caller, "service/chat", {}, std::uint32_t{17'000'000});
    EXPECT_EQ(blob.error(), Errc::too_large);
    const auto ok = co_await call<&Chat::blob>(caller, "service/chat", {}, std::uint32_t{100'000});
    CO_OK(ok);
    EXPECT_EQ(ok->size(), 100'000U);
  });
}

TEST_F(RpcRemote, OneMessageReachesManyAndIsEncodedOnce) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Chat there, here;
    CO_OK(co_await server.bind("entity/1", chat, use_awaitable));
    CO_OK(co_await server.bind("entity/2", there, use_awaitable));
    CO_OK(co_await caller.bind("entity/3", here, use_awaitable));
    const std::vector<std::string> names = {"entity/1", "entity/2", "entity/3"};
    CO_OK(multicast<&Chat::said>(caller, names, {}, "all"));
    co_await settle(caller_bus);
    co_await sleep(1ms);
    EXPECT_THAT(chat.lines, ElementsAre("all"));
    EXPECT_THAT(there.lines, ElementsAre("all"));
    EXPECT_THAT(here.lines, ElementsAre("all"));

    CO_OK(co_await server.bind("group/chats", there, use_awaitable));
    CO_OK(announce<&Chat::said>(caller, "group/chats", {}, "hear"));
    co_await settle(caller_bus);
    EXPECT_THAT(there.lines, ElementsAre("all", "hear"));
  });
}

TEST_F(RpcRemote, AKeyChoosesTheInstanceOfAService) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Chat other;
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    CO_OK(co_await gate.bind("service/chat", other, use_awaitable));
    CO_OK(co_await call<&Chat::join>(caller, "service/chat", {}, "x"));  // the watch is there now
    co_await sleep(50ms);
    chat.entered = other.entered = 0;
    for (std::uint64_t key = 1; key <= 32; ++key) {
      CO_OK(co_await call<&Chat::join>(caller, "service/chat", {.hash_key = key}, "x"));
      CO_OK(co_await call<&Chat::join>(caller, "service/chat", {.hash_key = key}, "x"));
    }
    EXPECT_EQ(chat.entered + other.entered, 64);
    EXPECT_EQ(chat.entered % 2, 0);
    EXPECT_GT(chat.entered, 0);
    EXPECT_GT(other.entered, 0);
  });
}

TEST_F(RpcRemote, InspectNamesHostsMethodsAndErrors) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await connect());
    Bag bag;
    EXPECT_TRUE(chat.attach(bag));
    CO_OK(co_await server.bind("service/chat", chat, use_awaitable));
    CO_OK(co_await call<&Chat::join>(caller, "service/chat", {}, "lobby"));
    const auto purse = co_await call<&Purse::gold>(caller, "service/chat", {});
    EXPECT_EQ(purse.error(), Errc::no_such_component);
    const auto report = nlohmann::json::parse(server.inspect());
    EXPECT_EQ(report["hosts"][0]["name"], "service/chat#1");
    EXPECT_EQ(report["hosts"][0]["class"], "chat");
    EXPECT_EQ(report["hosts"][0]["components"][0], "bag");
    EXPECT_GT(report["hosts"][0]["busy_ms"].get<double>(), 0);
    EXPECT_EQ(server.work().running(), "") << "no method runs now";
    EXPECT_EQ(report["errors"]["no_such_component"], 1);
    EXPECT_EQ(report["dictionary"].get<std::string>().size(), 16U);
    for (const auto& method : report["methods"]) {
      if (method["name"] != "chat.join") continue;
      EXPECT_EQ(method["calls"], 1);
      EXPECT_EQ(method["types"], "(str)->i32!{{u16,u16},{n,bytes}}");
      EXPECT_EQ(method["permission"], "any_client");
      EXPECT_GT(method["busy_ms"].get<double>(), 0);
    }
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
