// Code that `starbus client-code` wrote, over a scripted session: typed requests and calls, typed
// properties, and a server with another schema. The bytes are golden (tests/clients/vectors).
#include "clients/cpp/stubs.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "clients/cpp/view.hpp"
#include "tests/clients/code/heroes.hpp"
#include "tests/clients/cpp/scripted.hpp"
#include "tests/places.hpp"

namespace starbus::game {
namespace {

using namespace scripted;
using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

const Json& golden_values() {
  static const Json all =
      Json::parse(std::ifstream(source_file("tests/clients/vectors/values.json")));
  return all;
}
Bytes golden(const Json& hex) {
  return bytes(starbus::bytes_of_hex(hex.get<std::string>()).value());
}
std::string hex(ByteView bytes) {
  return hex_of(text_of(bytes));
}

/// A program over the written code.
class Program : public Events, public heroes::HeroClient, public heroes::HeroState::Watch {
 public:
  View<heroes::HeroState> hero{*this};
  std::vector<std::string> lines;
  std::vector<std::string> differ;
  std::vector<Taken> taken;
  int names = 0;

  void on_full(const FullState& full) override {
    if (!full.properties.empty()) taken.push_back(hero.snapshot(full.properties));
  }
  void on_news(ByteView news) override { taken.push_back(hero.delta(news)); }
  void on_names(const ServerNames& server, std::span<const Difference> found) override {
    ++names;
    for (const Difference& each : found) {
      const std::size_t at = each.name.rfind("::");
      differ.push_back(std::string(name_of(each.kind)) + " " + std::string(name_of(each.what)) +
                       " " + each.name.substr(at == std::string::npos ? 0 : at + 2));
    }
    taken.push_back(hero.learn(server));
  }
  void on_call(const Call& call) override { heard.push_back(hear(call)); }
  std::vector<Heard> heard;

  void gold_changed(const std::int64_t& gold) override {
    lines.push_back("gold " + std::to_string(gold));
  }
  void said(const std::string& who, const std::string& text) override {
    lines.push_back(who + ": " + text);
  }
  void shown(const heroes::Tree& tree, const std::variant<std::int32_t, std::string>& either,
             const std::tuple<std::int32_t, std::string, bool>& three,
             const std::vector<std::string>& texts, const std::array<std::int32_t, 3>& numbers,
             const std::map<std::string, std::int64_t>& prices,
             const std::optional<heroes::Order>& order,
             std::chrono::duration<std::int64_t, std::milli> time, const heroes::Nothing&,
             double far, const Bytes& raw) override {
    EXPECT_EQ(tree.value, 1);
    EXPECT_EQ(tree.below.at(0).value, 2);
    EXPECT_EQ(std::get<1>(either), "x");
    EXPECT_EQ(three, std::tuple(1, std::string("x"), true));
    EXPECT_THAT(texts, ElementsAre("a", "b"));
    EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
    EXPECT_EQ(prices.at("a"), 1);
    EXPECT_EQ(order->item, 5);
    EXPECT_EQ(order->field3, heroes::Rank{7});
    EXPECT_EQ(time.count(), -1500);
    EXPECT_EQ(far, -2.25);
    EXPECT_EQ(hex(raw), "ff");
    lines.emplace_back("shown");
  }
};

class GameStubs : public ::testing::Test {
 protected:
  GameStubs() { world.diary.also = &program; }
  /// Online; the question for names is answered with these.
  void begin(const char* names) {
    ASSERT_TRUE(world.session.login({"password", "anna", bytes("secret")}, world.now));
    static_cast<void>(world.greeted());
    world.welcome();
    full({});
    ASSERT_EQ(world.session.state(), State::online);
    if (names != nullptr) answer(golden_values().at("names").at(names));
  }
  void full(const Bytes& properties) {
    ++counter;
    world.packet(wire::PacketKind::full,
                 World::Full{u, {"player/7", {1, counter}, {}, 0, {}, {}, properties}});
    u = 0;
  }
  void news(const Json& step) {
    const Bytes body = golden(step.at("hex"));
    world.say(wire::Packet{++world.c, wire::PacketKind::news, body});
  }
  void step(const Json& step) {
    if (step.at("kind") != "snapshot") return news(step);
    full(golden(step.at("hex")));
    answer(golden_values().at("names").at("same"));
  }
  /// To the next request.
  void answer(const Json& hex) {
    world.packet(wire::PacketKind::reply, sessions::Reply{++u, golden(hex)});
  }
  std::string last_asked() {
    std::string body;
    for (const auto& frame : world.said()) {
      if (const auto* const ask = std::get_if<wire::Ask>(&frame)) body = hex(ask->body);
    }
    return body;
  }

  World world{{"a:1"}, &heroes::names()};
  Program program;
  heroes::Hero hero{world.session};
  std::uint64_t counter = 0;
  std::uint64_t u = 0;
};

TEST_F(GameStubs, RequestsAreTypedAndHaveTypedOutcomes) {
  begin("same");
  std::vector<std::string> told;
  const auto note = [&told](const auto& outcome) {
    told.emplace_back(name_of(outcome.came));
    return static_cast<bool>(outcome);
  };
  const heroes::Order order{5, {"a"}, {}};
  ASSERT_EQ(hero.buy(1001, "for you",
                     [&](const auto& bought) {
                       EXPECT_TRUE(note(bought));
                       EXPECT_EQ(bought.value, -3);
                     }),
            Asked::ok);
  EXPECT_EQ(last_asked(), golden_values().at("calls")[0].at("hex"));
  answer(golden_values().at("answers")[0].at("hex"));
  ASSERT_EQ(hero.haggle(order,
                        [&](const auto& haggled) {
                          EXPECT_FALSE(note(haggled));
                          EXPECT_EQ(haggled.refusal, heroes::Refusal{1});
                        }),
            Asked::ok);
  EXPECT_EQ(last_asked(), golden_values().at("calls")[1].at("hex"));
  answer(golden_values().at("answers")[2].at("hex"));
  ASSERT_EQ(hero.leave(note), Asked::ok);
  EXPECT_EQ(last_asked(), golden_values().at("calls")[2].at("hex"));
  answer(golden_values().at("answers")[1].at("hex"));
  ASSERT_EQ(hero.buy(1, "",
                     [&](const auto& bought) {
                       note(bought);
                       EXPECT_EQ(bought.domain, 4);
                       EXPECT_EQ(bought.number, 3);
                       EXPECT_EQ(bought.detail, "no");
                     }),
            Asked::ok);
  answer(golden_values().at("answers")[3].at("hex"));
  ASSERT_EQ(hero.buy(1, "", note), Asked::ok);
  answer("a80007ff");  // two values
  ASSERT_EQ(hero.buy(1, "", note), Asked::ok);
  world.session.bye(world.now);
  world.lose();
  EXPECT_THAT(told,
              ElementsAre("replied", "refused", "replied", "failed", "unreadable", "unknown"));
}

TEST_F(GameStubs, CallsOfTheServerAreTyped) {
  begin("same");
  for (const Json& row : golden_values().at("heard")) {
    world.say(wire::Packet{++world.c, wire::PacketKind::call, golden(row.at("hex"))});
  }
  EXPECT_THAT(program.lines, ElementsAre("ann: hello", "shown"));
  Bytes call = golden(golden_values().at("heard")[0].at("hex"));
  const auto say = [&](const Bytes& body) {
    world.say(wire::Packet{++world.c, wire::PacketKind::call, body});
  };
  call.push_back(std::byte{0});
  say(call);
  call[4] ^= std::byte{1};
  say(call);
  call[0] ^= std::byte{1};
  say(call);
  EXPECT_THAT(program.heard, ElementsAre(Heard::called, Heard::called, Heard::unreadable,
                                         Heard::differs, Heard::unknown));
}

TEST_F(GameStubs, PropertiesAreThoseOfTheGoldenSteps) {
  begin("same");
  for (const Json& step : golden_values().at("steps")) {
    this->step(step);
    ASSERT_NE(program.hero.state(), nullptr) << step.at("what");
    const heroes::HeroState& state = *program.hero.state();
    const Json& shown = step.at("state");
    EXPECT_EQ(state.gold, shown.at("gold").get<std::int64_t>());
    EXPECT_EQ(state.nick, shown.at("nick").get<std::string>());
    EXPECT_EQ(state.at.y, shown.at("at").at("y").get<float>());
    EXPECT_EQ(Json(state.route), shown.at("route"));
    EXPECT_EQ(state.stats.strength, shown.at("stats").at("strength").get<int>());
    EXPECT_EQ(state.stats.seen, shown.at("stats").at("seen").get<std::uint64_t>());
    EXPECT_EQ(Json(state.marks), shown.at("marks")) << step.at("what");
    EXPECT_EQ(Json(state.prices), shown.at("prices")) << step.at("what");
    EXPECT_EQ(state.places.size(), shown.at("places").size());
    ASSERT_EQ(state.items.size(), shown.at("items").size()) << step.at("what");
    for (const auto& [key, entry] : state.items.entries()) {
      const Json& item = shown.at("items").at(std::to_string(key));
      EXPECT_EQ(entry.slot, item.at("slot").get<std::size_t>()) << step.at("what");
      EXPECT_EQ(entry.item.count, item.at("item").at("count").get<int>()) << step.at("what");
      EXPECT_EQ(entry.item.gems.size(), item.at("item").at("gems").size()) << step.at("what");
    }
  }
  EXPECT_THAT(program.lines, ElementsAre("gold 100", "gold 105", "gold 105"));
}

TEST_F(GameStubs, BytesThatAreCutOrChangedAreRefusedAndEndTheView) {
  const Json& steps = golden_values().at("steps");
  const Bytes start = golden(steps[0].at("hex"));
  heroes::HeroState::Watch watch;
  for (std::size_t at = 1; at < steps.size(); ++at) {
    const Bytes whole = golden(steps[at].at("hex"));
    if (steps[at].at("kind") == "snapshot") continue;
    for (std::size_t place = 0; place < whole.size(); ++place) {
      for (const auto change : {std::byte{0}, std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
        View<heroes::HeroState> view(watch);
        ASSERT_EQ(view.snapshot(start), Taken::ok);
        for (std::size_t before = 1; before < at; ++before) {
          const bool snapshot = steps[before].at("kind") == "snapshot";
          const Bytes each = golden(steps[before].at("hex"));
          ASSERT_EQ(snapshot ? view.snapshot(each) : view.delta(each), Taken::ok);
        }
        Bytes other = whole;
        change == std::byte{0} ? other.resize(place) : void(other[place] ^= change);
        const Taken taken = view.delta(other);
        EXPECT_EQ(view.state() != nullptr, taken == Taken::ok);
        if (change == std::byte{0}) EXPECT_NE(taken, Taken::ok) << place;
      }
    }
    if (at >= 4) break;  // the rest is the same code, and fuzzed
  }
  View<heroes::HeroState> view(watch);
  EXPECT_EQ(view.delta(golden(steps[1].at("hex"))), Taken::gap);
  ASSERT_EQ(view.snapshot(start), Taken::ok);
  EXPECT_EQ(view.delta(golden(steps[3].at("hex"))), Taken::gap);
  EXPECT_EQ(view.state(), nullptr);
  for (std::size_t size = 0; size < start.size(); ++size) {
    EXPECT_EQ(view.snapshot(ByteView(start).first(size)), Taken::malformed);
  }
}

constexpr const char* kDiffer[] = {"changed asked shop.buy",
                                   "missing asked shop.leave",
                                   "added asked shop.sell",
                                   "changed heard hero_client.said",
                                   "missing property Hero.at",
                                   "added property Hero.mana",
                                   "missing property Hero.marks",
                                   "added property Hero.mates",
                                   "changed property Hero.nick",
                                   "added property Hero.orders",
                                   "added property Hero.pets",
                                   "missing property Hero.places",
                                   "missing property Hero.prices",
                                   "missing property Hero.route",
                                   "added property Hero.trail",
                                   "missing property Hero@others.at",
                                   "added property Hero@others.mates",
                                   "missing property Hero@others.mood",
                                   "changed property Hero@others.nick",
                                   "added property Pet.called",
                                   "added property Pet.seen",
                                   "added property Pet@others.called",
                                   "added property Pet@others.seen"};

TEST_F(GameStubs, TheQuestionForNamesIsAskedOncePerFullState) {
  begin("same");
  EXPECT_EQ(program.names, 1);
  EXPECT_THAT(program.differ, ElementsAre());
  EXPECT_EQ(hex(names_request(heroes::names())), golden_values().at("names").at("request"));
  full({});
  answer(golden_values().at("names").at("same"));
  EXPECT_EQ(program.names, 2);
}

TEST_F(GameStubs, AClientOfAnotherSchemaIsToldAndGoesOn) {
  begin("later");
  EXPECT_THAT(program.differ, ElementsAreArray(kDiffer));
  const auto told = [](const auto&) { ADD_FAILURE(); };
  static_cast<void>(world.said());
  EXPECT_EQ(hero.buy(1, "", told), Asked::differs);
  EXPECT_EQ(hero.leave(told), Asked::differs);
  EXPECT_TRUE(world.asked().empty());
  EXPECT_EQ(hero.haggle({}, nullptr), Asked::ok);
  EXPECT_EQ(world.asked().size(), 1U);
}

TEST_F(GameStubs, PropertiesOfAnotherSchemaWaitForTheNames) {
  begin("same");
  program.taken.clear();
  full(golden(golden_values().at("later")[0].at("hex")));
  for (std::size_t at = 1; at < golden_values().at("later").size(); ++at) {
    news(golden_values().at("later")[at]);
  }
  EXPECT_EQ(program.hero.state(), nullptr);
  answer(golden_values().at("names").at("later"));
  EXPECT_THAT(program.taken,
              ElementsAre(Taken::waits, Taken::waits, Taken::waits, Taken::waits, Taken::ok));
  ASSERT_NE(program.hero.state(), nullptr);
  const Json& last = golden_values().at("later").back();
  EXPECT_EQ(std::to_string(program.hero.state()->gold), last.at("gold"));
  EXPECT_EQ(program.hero.state()->stats.strength, last.at("strength").get<int>());
  EXPECT_EQ(program.hero.state()->items.size(), last.at("items").get<std::size_t>());
  EXPECT_EQ(program.hero.state()->nick, "");
  // The next stretch is of a home that has the program's own schema.
  full(golden(golden_values().at("steps")[0].at("hex")));
  EXPECT_EQ(program.hero.state()->gold, 100);
}

TEST_F(GameStubs, AServerThatSaysNoNamesChecksCallsItself) {
  begin(nullptr);
  answer(golden_values().at("answers")[3].at("hex"));  // an error
  EXPECT_EQ(program.names, 1);
  EXPECT_THAT(program.differ, ElementsAre());
  EXPECT_EQ(hero.leave(nullptr), Asked::ok);
  program.taken.clear();
  full(golden(golden_values().at("later")[0].at("hex")));
  u = 0;
  answer(golden_values().at("answers")[3].at("hex"));
  EXPECT_THAT(program.taken, ElementsAre(Taken::waits, Taken::other_schema));
}

TEST_F(GameStubs, WhatWaitsForNamesIsBounded) {
  heroes::HeroState::Watch watch;
  View<heroes::HeroState> view(watch);
  const Bytes start = golden(golden_values().at("later")[0].at("hex"));
  ASSERT_EQ(view.snapshot(start), Taken::waits);
  const Bytes large(kHeldBytes / 2);
  EXPECT_EQ(view.delta(large), Taken::waits);
  EXPECT_EQ(view.delta(large), Taken::gap);
}

TEST_F(GameStubs, NamesThatAreCutOrChangedAreRefusedOrRead) {
  const Bytes answer = golden(golden_values().at("names").at("later"));
  const ByteView value = ByteView(answer).subspan(2);
  ASSERT_TRUE(read_names(value));
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_FALSE(read_names(value.first(size)));
  }
  heroes::HeroState::Watch watch;
  std::vector<Bytes> later;
  for (const Json& step : golden_values().at("later")) later.push_back(golden(step.at("hex")));
  for (std::size_t at = 0; at < value.size(); ++at) {
    for (const unsigned change : {1U, 0x20U, 0xffU}) {
      Bytes other(value.begin(), value.end());
      other[at] ^= static_cast<std::byte>(change);
      const Read<ServerNames> read = read_names(other);
      static_cast<void>(differences(heroes::names(), *read));
      View<heroes::HeroState> view(watch);
      ASSERT_EQ(view.snapshot(later[0]), Taken::waits);
      for (std::size_t each = 1; each < later.size(); ++each) {
        static_cast<void>(view.delta(later[each]));
      }
      static_cast<void>(view.learn(*read));
    }
  }
}

TEST_F(GameStubs, ARefreshComesBackWithAFullState) {
  begin("same");
  EXPECT_TRUE(world.session.refresh(world.now));
  EXPECT_EQ(world.session.state(), State::away);
  static_cast<void>(world.greeted());
  const auto said = world.said();
  ASSERT_EQ(said.size(), 2U);
  EXPECT_TRUE(std::get<wire::Resume>(said[1]).gate.empty());
}

/// Each golden value is read as its type, and written again.
template <class T>
void golden_value(const char* type) {
  std::size_t found = 0;
  for (const Json& row : golden_values().at("values")) {
    if (row.at("type") != Json::parse(type)) continue;
    ++found;
    const Bytes raw = golden(row.at("hex"));
    ValueReader in(raw);
    T value{};
    get_value(in, value);
    ASSERT_EQ(in.finish(), Refusal::none) << row;
    Bytes again;
    ValueWriter out(again);
    put_value(out, value);
    EXPECT_EQ(hex(again), row.at("hex"));
    for (std::size_t size = 0; size < raw.size(); ++size) {
      ValueReader cut(ByteView(raw).first(size));
      get_value(cut, value);
      EXPECT_NE(cut.finish(), Refusal::none) << row;
    }
  }
  EXPECT_GT(found, 0U) << type;
}
TEST(GameValues, AreThoseOfTheServer) {
  golden_value<std::int8_t>(R"("i8")"), golden_value<std::uint8_t>(R"("u8")");
  golden_value<std::int16_t>(R"("i16")"), golden_value<std::uint16_t>(R"("u16")");
  golden_value<std::int32_t>(R"("i32")"), golden_value<std::uint32_t>(R"("u32")");
  golden_value<std::int64_t>(R"("i64")"), golden_value<std::uint64_t>(R"("u64")");
  golden_value<bool>(R"("bool")"), golden_value<float>(R"("f32")");
  golden_value<double>(R"("f64")"), golden_value<std::string>(R"("string")");
  golden_value<Bytes>(R"("bytes")"), golden_value<std::vector<std::int32_t>>(R"({"list":"i32"})");
  golden_value<std::vector<std::string>>(R"({"set":"string"})");
  golden_value<std::array<std::int32_t, 3>>(R"({"array":"i32","size":3})");
  golden_value<std::map<std::string, std::int64_t>>(R"({"map":["string","i64"]})");
  golden_value<std::optional<std::int32_t>>(R"({"optional":"i32"})");
  golden_value<std::variant<std::int32_t, std::string>>(R"({"variant":["i32","string"]})");
  golden_value<std::tuple<std::int32_t, std::string, bool>>(R"({"tuple":["i32","string","bool"]})");
  golden_value<std::chrono::milliseconds>(R"({"duration":"i64","period":[1,1000]})");
  golden_value<heroes::Order>(R"({"struct":"starbus::clients_test::Order"})");
  golden_value<heroes::Tree>(R"({"struct":"starbus::clients_test::Tree"})");
  golden_value<heroes::Nothing>(R"({"struct":"starbus::clients_test::Nothing"})");
}

TEST(GameValues, CountsAndDepthsAreBounded) {
  const auto refusal_of = [](ByteView raw, auto value) {
    ValueReader in(raw);
    get_value(in, value);
    return in.finish();
  };
  const Bytes huge = golden("ffffffff0f");
  EXPECT_EQ(refusal_of(huge, std::vector<std::int32_t>()), Refusal::truncated);
  EXPECT_EQ(refusal_of(huge, std::map<std::string, bool>()), Refusal::truncated);
  Bytes many;
  FieldWriter out(many);
  out.number(kValueElements + 1);
  many.resize(many.size() + kValueElements + 1);
  EXPECT_EQ(refusal_of(many, std::vector<bool>()), Refusal::too_large);
  Bytes deep;
  for (std::size_t level = 0; level <= kValueDepth; ++level) {
    deep.push_back(std::byte{2});  // a value, and one tree below
    deep.push_back(std::byte{1});
  }
  EXPECT_EQ(refusal_of(deep, heroes::Tree()), Refusal::too_large);
  heroes::Tree tree;
  for (std::size_t level = 0; level <= kValueDepth; ++level) tree = {1, {tree}};
  Bytes written;
  ValueWriter to(written);
  put_value(to, tree);
  EXPECT_FALSE(to.ok());
}

}  // namespace
}  // namespace starbus::game
