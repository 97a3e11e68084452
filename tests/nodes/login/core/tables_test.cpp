// The tables of admission: addresses, rates, guesses, bans.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/login/core/address_rates.hpp"
#include "nodes/login/core/bans.hpp"
#include "nodes/login/core/guesses.hpp"

namespace starbus::nodes::login {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Address address(std::string_view text) {
  return parse_address(text).value();
}
Address numbered(std::uint32_t number) {  // each in a /24 of its own
  return {0, 0xffff'0000'0000ULL | (std::uint64_t{number} << 8)};
}

TEST(AddressTest, BothFormsAreReadAndWritten) {
  EXPECT_EQ(address("192.0.2.7"), (Address{0, 0xffff'c000'0207}));
  EXPECT_EQ(address("::ffff:192.0.2.7"), address("192.0.2.7"));
  EXPECT_EQ(address("2001:db8::1"), (Address{0x2001'0db8'0000'0000, 1}));
  for (const char* text :
       {"192.0.2.0/24", "192.0.2.7", "0.0.0.0/0", "2001:db8::/32", "::/0", "2001:db8::1"}) {
    EXPECT_EQ(to_text(parse_network(text).value()), text);
  }
  for (const char* text : {"", "192.0.2", "192.0.2.0/33", "192.0.2.1/24", "2001:db8::/129", "::/",
                           "::/8x", "fe80::1%eth0", "localhost", "1.2.3.4.5"}) {
    EXPECT_EQ(parse_network(text).error(), Errc::bad_address) << text;
  }
  EXPECT_EQ(parse_address(std::string_view("1.2.3.4\0", 8)).error(), Errc::bad_address);
  EXPECT_EQ(parse_address(std::string(1'000, '1')).error(), Errc::bad_address);
}

TEST(AddressTest, NetworksOfCustomers) {
  EXPECT_EQ(to_text(near_of(address("2001:db8:1:2:3:4:5:6"))), "2001:db8:1:2::/64");
  EXPECT_EQ(to_text(wide_of(address("2001:db8:1:2:3:4:5:6"))), "2001:db8:1::/48");
  EXPECT_EQ(to_text(near_of(address("192.0.2.7"))), "192.0.2.7");
  EXPECT_EQ(to_text(wide_of(address("192.0.2.7"))), "192.0.2.0/24");
}

TEST(AddressRatesTest, ABurstAndThenTheRate) {
  AddressRates rates;
  const Address one = address("192.0.2.7");
  for (unsigned i = 0; i < kAddressBurst; ++i) EXPECT_EQ(rates.take(one, 1s), 0s);
  const Time wait = rates.take(one, 1s);
  EXPECT_EQ(wait, Time(60'000 / kAddressPerMinute));
  EXPECT_EQ(rates.take(one, 1s), wait);  // asking costs nothing
  EXPECT_EQ(rates.take(address("192.0.2.8"), 1s), 0s);
  EXPECT_GT(rates.take(one, 1s + wait - 1ms), 0s);
  EXPECT_EQ(rates.take(one, 1s + wait), 0s);
  EXPECT_GT(rates.take(one, 1s + wait), 0s);
}

TEST(AddressRatesTest, ANetworkHasARateOfItsOwn) {
  AddressRates rates;
  unsigned taken = 0;
  for (std::uint64_t net = 0; net < 1'000; ++net) {
    if (rates.take({0x2001'0db8'0001'0000 | net, net}, 1s) == 0s) ++taken;
  }
  EXPECT_EQ(taken, kAddressBurst * kWideFactor);
  EXPECT_EQ(rates.take({0x2001'0db8'0002'0000, 1}, 1s), 0s);
  // Addresses of one /64 are one.
  taken = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    if (rates.take({0x2001'0db8'0003'0000, i}, 1s) == 0s) ++taken;
  }
  EXPECT_EQ(taken, kAddressBurst);
}

TEST(AddressRatesTest, AreBounded) {
  AddressRates rates;
  for (std::uint32_t i = 0; i < kAddresses; ++i) {
    ASSERT_EQ(rates.take(numbered(i), 1s), 0s);
    ASSERT_LE(rates.size(), kAddresses);
  }
  EXPECT_EQ(rates.size(), kAddresses);
}

TEST(RecentTableTest, TheOneThatWasQuietLongestMakesRoom) {
  RecentTable<int, int> table(3);
  for (const int key : {1, 2, 3}) table.at(key) = key;
  EXPECT_NE(table.find(1), nullptr);
  table.at(4) = 4;
  EXPECT_EQ(table.peek(2), nullptr);
  EXPECT_EQ(*table.peek(1), 1);
  EXPECT_EQ(table.size(), 3U);
}

Trier from(std::string account, std::string_view where) {
  return {std::move(account), near_of(address(where))};
}

TEST(GuessesTest, DelaysGrowAndAreForgotten) {
  Guesses guesses;
  const auto trier = [](unsigned i) { return from("a" + std::to_string(i), "192.0.2.7"); };
  for (unsigned i = 0; i < kAddressWrong; ++i) {
    EXPECT_EQ(guesses.delay(trier(i), 1s), 0s);
    guesses.wrong(trier(i), 1s);
  }
  std::vector<Time> delays;
  for (unsigned i = 0; i < 8; ++i) {
    delays.push_back(guesses.delay(trier(100), 1s));
    guesses.wrong(trier(200 + i), 1s);
  }
  EXPECT_EQ(delays, (std::vector<Time>{kFirstDelay, 2s, 4s, 8s, 16s, 32s, kAddressDelay, 60s}));
  EXPECT_EQ(guesses.delay(from("ada", "192.0.2.8"), 1s), 0s);
  // One less each minute, and nothing is left after a quarter of an hour.
  EXPECT_EQ(guesses.delay(trier(100), 1s + kWrongForgotten), 32s);
  EXPECT_EQ(guesses.delay(trier(100), 1s + 3 * kWrongForgotten), 8s);
  EXPECT_EQ(guesses.delay(trier(100), 1s + 15 * kWrongForgotten), 0s);
}

TEST(GuessesTest, ManyAddressesAtOneAccountAreSlowed) {
  Guesses guesses;
  for (unsigned i = 0; i < kAccountWrong; ++i) {
    guesses.wrong({"ada", near_of(numbered(i))}, 1s);
  }
  EXPECT_EQ(guesses.delay({"ada", near_of(numbered(500))}, 1s), kFirstDelay);
  for (unsigned i = 0; i < 1'000; ++i) guesses.wrong({"ada", near_of(numbered(i))}, 1s);
  EXPECT_EQ(guesses.delay({"ada", near_of(numbered(5'000))}, 1s), kAccountDelay);
  EXPECT_EQ(guesses.delay({"eve", near_of(numbered(5'000))}, 1s), 0s);
}

TEST(GuessesTest, AKnownPlayerIsJudgedByHimselfAlone) {
  Guesses guesses;
  const Trier ada = from("ada", "192.0.2.7");
  guesses.right(ada);
  EXPECT_TRUE(guesses.known(ada));
  EXPECT_FALSE(guesses.known(from("ada", "192.0.2.8")));
  for (int i = 0; i < 50; ++i) guesses.wrong(from("bob", "192.0.2.7"), 1s);  // a neighbour
  for (int i = 0; i < 50; ++i) guesses.wrong(from("ada", "192.0.2.9"), 1s);  // a guesser
  EXPECT_EQ(guesses.delay(ada, 1s), 0s);
  for (unsigned i = 0; i < kKnownWrong; ++i) guesses.wrong(ada, 1s);
  EXPECT_EQ(guesses.delay(ada, 1s), kFirstDelay);
  for (unsigned i = 0; i < 50; ++i) guesses.wrong(ada, 1s);
  EXPECT_EQ(guesses.delay(ada, 1s), kKnownDelay);
  guesses.right(ada);
  EXPECT_EQ(guesses.delay(ada, 1s), 0s);
  // His own success washes neither his address nor others clean.
  EXPECT_EQ(guesses.delay(from("eve", "192.0.2.7"), 1s), kAddressDelay);
}

TEST(GuessesTest, TablesAreBounded) {
  Guesses guesses;
  const Trier first = from("first", "192.0.2.7");
  for (unsigned i = 0; i < kAddressWrong; ++i) guesses.wrong(first, 1s);
  EXPECT_EQ(guesses.delay(first, 1s), kFirstDelay);
  static_assert(kAddresses == kWrongNames);
  for (std::uint32_t i = 0; i < kAddresses; ++i) {
    guesses.wrong({"a" + std::to_string(i), near_of(numbered(i))}, 1s);
  }
  EXPECT_EQ(guesses.delay(first, 1s), 0s);  // forgotten
  guesses.right(first);
  for (std::uint32_t i = 0; i < kKnownPairs; ++i) guesses.right({"a", near_of(numbered(i))});
  EXPECT_FALSE(guesses.known(first));
}

constexpr std::uint64_t kWall = 1'800'000'000'000;

TEST(BansTest, HoldUntilTheyEnd) {
  Bans bans;
  ASSERT_TRUE(bans.add("ada", {kWall + 1'000, "cheating"}, kWall));
  EXPECT_EQ(to_text(*bans.of("ada", kWall)), "banned until 2027-01-15 08:00 UTC: cheating");
  EXPECT_FALSE(bans.of("ada", kWall + 1'000));
  EXPECT_FALSE(bans.of("bob", kWall));
  ASSERT_TRUE(bans.add("bob", {}, kWall + 1'000));
  EXPECT_EQ(to_text(*bans.of("bob", ~0ULL)), "banned");
  EXPECT_EQ(bans.size(), 1U);  // that of ada is over
  EXPECT_TRUE(bans.remove("bob"));
  EXPECT_FALSE(bans.remove("bob"));
}

TEST(BansTest, TheNarrowestNetworkCounts) {
  Bans bans;
  ASSERT_TRUE(bans.add(parse_network("10.0.0.0/8").value(), {0, "wide"}, kWall));
  ASSERT_TRUE(bans.add(parse_network("10.1.0.0/16").value(), {kWall + 5, "narrow"}, kWall));
  ASSERT_TRUE(bans.add(parse_network("2001:db8::/32").value(), {0, "six"}, kWall));
  EXPECT_EQ(bans.of(address("10.1.2.3"), kWall)->why, "narrow");
  EXPECT_EQ(bans.of(address("10.1.2.3"), kWall + 5)->why, "wide");
  EXPECT_EQ(bans.of(address("10.2.2.3"), kWall)->why, "wide");
  EXPECT_EQ(bans.of(address("2001:db8:5::1"), kWall)->why, "six");
  EXPECT_FALSE(bans.of(address("11.0.0.1"), kWall));
  EXPECT_TRUE(bans.remove(parse_network("10.0.0.0/8").value()));
  EXPECT_FALSE(bans.of(address("10.2.2.3"), kWall));
}

TEST(BansTest, AreBounded) {
  Bans bans;
  EXPECT_EQ(bans.add("ada", {0, std::string(kBanText + 1, 'x')}, kWall).error(), Errc::too_large);
  for (std::uint32_t i = 0; i < kBans; ++i) {
    ASSERT_TRUE(bans.add(near_of(numbered(i)), {kWall + 1 + i, {}}, kWall));
  }
  EXPECT_EQ(bans.add(near_of(numbered(kBans)), {}, kWall).error(), Errc::too_many);
  EXPECT_TRUE(bans.add(near_of(numbered(5)), {}, kWall));          // it is there already
  EXPECT_TRUE(bans.add(near_of(numbered(kBans)), {}, kWall + 1));  // one is over
  EXPECT_EQ(bans.size(), kBans);
}

}  // namespace
}  // namespace starbus::nodes::login
