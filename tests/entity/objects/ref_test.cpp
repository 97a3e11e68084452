/// References: as values, as properties and arguments, and what can be called through them.
#include "entity/objects/ref.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <unordered_set>

#include "tests/entity/objects/acting_world.hpp"

namespace starbus::entity::acting_test {
namespace {

using ::testing::ElementsAre;

class Market : public Shop {};
class Stranger;  // never defined: a reference needs no more

static_assert(kMethodsReach<Shop, Shop> && kMethodsReach<Shop, Market>);
static_assert(kMethodsReach<Entity, Buyer>, "what all entities have");
static_assert(kMethodsReach<Purse, Buyer>, "a component that buyers have");
static_assert(!kMethodsReach<Shop, Buyer> && !kMethodsReach<Buyer, Shop> &&
              !kMethodsReach<Purse, Shop> && !kMethodsReach<Market, Shop>);
static_assert(std::is_convertible_v<Ref<Market>, Ref<Shop>>);
static_assert(!std::is_convertible_v<Ref<Shop>, Ref<Market>> &&
              !std::is_convertible_v<Ref<Buyer>, Ref<Shop>> &&
              !std::is_convertible_v<std::string, Ref<Shop>>);

TEST(RefTest, IsAValueThatIsComparedHashedAndPrinted) {
  const Ref<Stranger> none;
  const Ref<Stranger> ada("player/ada");
  EXPECT_FALSE(none);
  EXPECT_TRUE(ada);
  EXPECT_EQ(ada, Ref<Stranger>(std::string("player/ada")));
  EXPECT_NE(ada, none);
  EXPECT_LT(none, ada);
  std::ostringstream out;
  out << ada;
  EXPECT_EQ(out.str(), "player/ada");
  const std::unordered_set<Ref<Stranger>> all = {ada, none, ada};
  EXPECT_EQ(all.size(), 2U);
  const Ref<Shop> as_base = Ref<Market>("service/market");
  EXPECT_EQ(as_base.name(), "service/market");
}

TEST(RefTest, HasTheBytesOfItsNameInAnArchive) {
  const std::string name = "player/ada";
  const auto bytes = encode(Ref<Stranger>(name));
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, encode(name).value());
  EXPECT_EQ(decode<Ref<Stranger>>(*bytes).value().name(), name);
  EXPECT_EQ(decode<Ref<Stranger>>(encode(Ref<Stranger>()).value()).value(), Ref<Stranger>());
  const auto all = encode(std::vector<Ref<Stranger>>{Ref<Stranger>(name), {}});
  ASSERT_TRUE(all);
  EXPECT_EQ(decode<std::vector<Ref<Stranger>>>(*all).value().size(), 2U);
  const auto long_one = encode(std::string(bus::kMaxName + 1, 'x'));
  EXPECT_FALSE(decode<Ref<Stranger>>(*long_one)) << "no name is as long";
}

TEST(RefTest, IsAPropertyThatIsSavedAndSentToReplicas) {
  BuyerState state;
  state.shop = Ref<Shop>("service/acting");
  state.friend_of = Ref<Buyer>("buyer/2");
  bus::Bytes saved;
  ASSERT_TRUE(state.encode_saved(View::save, saved));
  BuyerState loaded;
  ASSERT_TRUE(loaded.load_saved(saved));
  EXPECT_EQ(loaded.shop, Ref<Shop>("service/acting"));
  EXPECT_FALSE(loaded.friend_of.get());
  BuyerState ghost;
  ghost.become_replica(Audience::ghost);
  bus::Bytes shown;
  ASSERT_TRUE(state.encode_snapshot(View::ghost, shown));
  ASSERT_TRUE(ghost.apply_snapshot(shown));
  EXPECT_EQ(ghost.friend_of->name(), "buyer/2");
  EXPECT_EQ(state.to_json().at("shop"), "service/acting");
}

TEST_F(ActingTest, ReferencesAreCalledAndSentToLikeObjects) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    const Ref<Buyer> self = ref_to(*buyer);
    EXPECT_EQ(self.name(), "buyer/1");
    EXPECT_FALSE(ref_to(*entities.create<Buyer>().value())) << "it has no channel";
    auto asked = self.call<&Buyer::buy>(server, "sword");
    const auto bought = co_await std::move(asked)(use_awaitable);
    CO_OK(bought);
    EXPECT_EQ(*bought, 3);
    auto counted = self.call<&Purse::coins>(*buyer);
    const auto coins = co_await std::move(counted)(use_awaitable);
    CO_OK(coins);
    EXPECT_EQ(*coins, 7) << "of its component";
    EXPECT_TRUE(self.send<&Buyer::pass_on>(server, "hello"));
    EXPECT_TRUE(self.send<&Buyer::pass_on>(*buyer->component<Purse>(), "again"));
    const bool told = co_await until([&] { return buyer->lines.size() == 2; });
    EXPECT_TRUE(told);
  });
}

TEST_F(ActingTest, AnEmptyReferenceIsRefusedAndNothingIsSent) {
  run([this]() -> bus::Task {
    const bool begun = co_await begin();
    EXPECT_TRUE(begun);
    auto asked = buyer->call<&Shop::price>(Ref<Shop>(), "x");
    const auto answer = co_await std::move(asked)(use_awaitable);
    EXPECT_EQ(answer.error(), bus::Errc::bad_name);
    const auto sent = buyer->send<&Shop::note>(Ref<Shop>(), "x");
    EXPECT_EQ(sent.error(), bus::Errc::bad_name);
    EXPECT_TRUE(shop.asked.empty());
  });
}

}  // namespace
}  // namespace starbus::entity::acting_test
