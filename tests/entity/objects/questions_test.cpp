// Questions whose answers go to the channel of the entity that asked.
#include "tests/entity/objects/world.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::objects_test {
namespace {

using boost::asio::use_awaitable;
using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Shop : public rpc::Callable<Shop> {
 public:
  starbus::Result<int, std::string> price(rpc::Caller&, std::string item) {
    if (item == "sword") return std::string("sold out");
    return static_cast<int>(item.size());
  }
  starbus::Result<int, std::string> stock(rpc::Caller&, std::string item) {
    return static_cast<int>(item.size());
  }
  rpc::Task<starbus::Result<int, std::string>> never(rpc::Caller& from, std::string) {
    boost::asio::steady_timer timer(from.endpoint->loop(), 1min);
    co_await timer.async_wait(boost::asio::deferred);
    co_return 1;
  }
  static constexpr auto kRpc = rpc::methods("objects_shop", rpc::method<&Shop::price>("price"),
                                            rpc::method<&Shop::stock>("stock", rpc::gate),
                                            rpc::method<&Shop::never>("never"));
};

class Buyer final : public EntityOf<Buyer, Thing> {
 public:
  static constexpr std::string_view kTypeName = "buyer";
  explicit Buyer(const ConstructKey& key) : EntityOf(key, "buyer") {}
  void bought(rpc::Reply<int, std::string> price, const std::string& item, int count) {
    const std::string said = price ? std::to_string(*price) : price.error().to_string();
    static_cast<void>(script->note(item + " x" + std::to_string(count) + ": " + said));
  }
  static constexpr auto kSteps = steps(step<&Buyer::bought>("bought"));

 private:
  ~Buyer() override = default;
};

class Questions : public rpc::RpcTest {
 protected:
  Questions() {
    script = &events;
    EXPECT_TRUE(declare_entity<Buyer>(types));
    buyer = entities.create<Buyer>().value();
  }
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    const auto shop_bound = co_await server.bind("service/shop", shop, use_awaitable);
    const auto bound = co_await caller.bind("entity/7", *buyer, use_awaitable);
    events.take();
    co_return shop_bound.has_value() && bound.has_value();
  }
  template <auto M>
  EntityResult<FlowId> ask(std::string item, std::chrono::milliseconds deadline = 5s) {
    return buyer->ask<M, &Buyer::bought>(caller, to, {.deadline = deadline}, std::tuple(item, 2),
                                         item);
  }
  boost::asio::awaitable<std::vector<std::string>> lines(std::size_t count) {
    const bool come = co_await until([&] { return events.log.size() >= count; });
    EXPECT_TRUE(come);
    co_return events.take();
  }
  /// Drives the wheel as a loop does.
  boost::asio::awaitable<void> pass(std::chrono::milliseconds time) {
    wheel.advance(wheel.now() + time);
    co_return;
  }

  Script events;
  EntityFactory types;
  std::uint64_t drawn = 7;
  TimerWheel wheel;
  EntityManager entities{types,
                         PersistentIdSource("n", 1),
                         [this] { return IdentityResult<OnlineId>(OnlineId{drawn++}); },
                         {.timers = &wheel}};
  Shop shop, gate_shop;
  Buyer* buyer;
  std::string to = "service/shop";
};

TEST_F(Questions, TheStepGetsTheAnswerOnceAndTheKeptValues) {
  run([this]() -> rpc::TestTask {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(ask<&Shop::price>("bow"));
    auto log = co_await lines(1);
    EXPECT_THAT(log, ElementsAre("bow x2: 3"));
    EXPECT_TRUE(ask<&Shop::price>("sword"));
    log = co_await lines(1);
    EXPECT_EQ(log.at(0).substr(0, 17), "sword x2: refused") << log.at(0);
    EXPECT_EQ(buyer->questions(), 0U);
    EXPECT_EQ(caller.counters().answers, 2U);
    EXPECT_EQ(wheel.size(), 0U);
  });
}

TEST_F(Questions, ARefusedOneEndsAtOnceWithTheCalleesReason) {
  run([this]() -> rpc::TestTask {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    to = "service/nobody";
    EXPECT_TRUE(ask<&Shop::price>("bow"));
    auto log = co_await lines(1);
    EXPECT_EQ(log.at(0).substr(0, 16), "bow x2: no_owner") << log.at(0);
    to = "entity/7";  // no shop
    EXPECT_TRUE(ask<&Shop::price>("bow"));
    log = co_await lines(1);
    EXPECT_EQ(log.at(0).substr(0, 25), "bow x2: no_such_component") << log.at(0);
    // An older release: to it a question is no call.
    bus::Handlers old;
    old.on_call = [](bus::Call& call) {
      Bytes bytes;
      Encoder out(bytes);
      put_error(out, rpc::Errc::bad_bytes);
      static_cast<void>(call.reply(ByteView(bytes)));
    };
    const auto bound = co_await server_bus.bind("entity/old", old, use_awaitable);
    EXPECT_TRUE(bound);
    to = "entity/old";
    EXPECT_TRUE(ask<&Shop::price>("bow"));
    log = co_await lines(1);
    EXPECT_EQ(log.at(0).substr(0, 17), "bow x2: bad_bytes") << log.at(0);
  });
}

TEST_F(Questions, TheDeadlineEndsItAndALateAnswerIsDropped) {
  run([this]() -> rpc::TestTask {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_TRUE(ask<&Shop::never>("bow", 300ms));
    co_await pass(299ms);
    EXPECT_TRUE(events.log.empty());
    co_await pass(2ms);
    EXPECT_THAT(events.take(), ElementsAre("bow x2: deadline"));
    const auto forgotten = ask<&Shop::price>("axe");
    EXPECT_TRUE(forgotten && buyer->cancel_question(*forgotten));
    const bool late = co_await until([&] { return caller.counters().late_answers == 1; });
    EXPECT_TRUE(late);
    EXPECT_TRUE(events.log.empty());
  });
}

TEST_F(Questions, InvalidQuestionsAreTypedErrors) {
  run([this]() -> rpc::TestTask {
    EXPECT_EQ(ask<&Shop::price>("bow").error(), EntityErrc::no_channel);
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    EXPECT_EQ(ask<&Shop::price>(std::string(5000, 'x')).error(), EntityErrc::too_large);
    EXPECT_EQ(ask<&Shop::price>("bow", 0ms).error(), EntityErrc::step_refused);
    EXPECT_EQ(buyer->questions(), 0U);
    buyer->destroy();
    EXPECT_EQ(ask<&Shop::price>("bow").error(), EntityErrc::not_alive);
  });
}

TEST_F(Questions, OnlyServersAskAndAnswer) {
  run([this]() -> rpc::TestTask {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const bus::Handlers none;
    const auto bound = co_await gate_bus.bind("gate/1", none, use_awaitable);
    EXPECT_TRUE(bound);
    const bool known = co_await until([&] { return caller.gates().is_gate(gate_bus.self()); });
    EXPECT_TRUE(known);
    const auto asked = ask<&Shop::never>("bow");
    EXPECT_TRUE(asked);
    Bytes forged;
    Encoder out(forged);
    rpc::put_answer_head(out, {asked->epoch, asked->number});
    put_reply_head(out, rpc::ReplyKind::value);
    out.number(1);
    const bus::SendOptions plain;
    const auto sent = co_await gate_bus.send_acknowledged("entity/7", forged, plain, use_awaitable);
    EXPECT_TRUE(sent);
    EXPECT_EQ(buyer->questions(), 1U);
    const auto count = [&](rpc::Errc code) {
      return caller.counters().errors[static_cast<std::size_t>(code)];
    };
    EXPECT_EQ(count(rpc::Errc::not_permitted), 1U);
    // From a server it counts.
    EXPECT_TRUE(server_bus.send("entity/7", ByteView(forged)));
    const auto log = co_await lines(1);
    EXPECT_THAT(log, ElementsAre("bow x2: 1"));
    // And a gate may not have a server send to a channel of its choice.
    Bytes question;
    rpc::CallHeader header;
    header.answer_to = "entity/7";
    EXPECT_TRUE(rpc::encode_call<&Shop::price>(question, header, "bow"));
    const rpc::Error refused = co_await call_raw(gate_bus, "service/shop#1", question);
    EXPECT_EQ(refused.code, rpc::Errc::not_permitted);
  });
}

/// A gate names channels under gate/ alone, and its own: it can have nobody written to.
TEST_F(Questions, AGateAsksForItsOwnObjectsAndIsAnswered) {
  run([this]() -> rpc::TestTask {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    const auto shop_bound = co_await server.bind("service/shop", shop, use_awaitable);
    const auto bound = co_await gate.bind("gate/1", *buyer, use_awaitable);
    EXPECT_TRUE(shop_bound && bound);
    events.take();
    const bool known = co_await until([&] {
      return server.gates().is_gate(gate_bus.self()) && gate.gates().is_gate(gate_bus.self());
    });
    EXPECT_TRUE(known);
    const auto ask_at_gate = [this](auto of_gates, std::string item) {
      constexpr auto kMethod = decltype(of_gates)::value ? &Shop::stock : &Shop::price;
      return buyer->ask<kMethod, &Buyer::bought>(gate, to, {}, std::tuple(item, 2), item);
    };
    EXPECT_TRUE(ask_at_gate(std::false_type(), "bow"));
    auto log = co_await lines(1);
    EXPECT_EQ(log.at(0).substr(0, 21), "bow x2: not_permitted") << log.at(0);
    EXPECT_TRUE(ask_at_gate(std::true_type(), "bow"));
    log = co_await lines(1);
    EXPECT_THAT(log, ElementsAre("bow x2: 3"));
    const auto own = co_await gate.bind("gate/shop", gate_shop, use_awaitable);
    EXPECT_TRUE(own);
    to = "gate/shop";  // within the process
    EXPECT_TRUE(ask_at_gate(std::false_type(), "bow"));
    log = co_await lines(1);
    EXPECT_THAT(log, ElementsAre("bow x2: 3"));
    EXPECT_EQ(gate.counters().answers, 3U) << "with the refusal, which this process passed on";
    // Not its own: one of another process, one of nobody, one that is no gate's.
    CO_OK(co_await caller_bus.bind("gate/2", bus::kNoHandlers, use_awaitable));
    const bool seen = co_await until([&] { return server.gates().size() == 2; });
    EXPECT_TRUE(seen);
    for (const char* channel : {"gate/2", "gate/3", "entity/7"}) {
      Bytes question;
      rpc::CallHeader header;
      header.answer_to = channel;
      EXPECT_TRUE(rpc::encode_call<&Shop::stock>(question, header, "bow"));
      const rpc::Error refused = co_await call_raw(gate_bus, "service/shop#1", question);
      EXPECT_EQ(refused.code, rpc::Errc::not_permitted) << channel;
    }
  });
}

}  // namespace
}  // namespace starbus::entity::objects_test
