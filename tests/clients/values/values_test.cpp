// The golden values of clients: tests/clients/vectors/values.json is read by the tests of clients
// of any language, and holds what this build writes. With STARBUS_VECTORS=PATH the file is written
// anew, for a change of the form.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "base/hex.hpp"
#include "entity/objects/client_interface.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/objects/names/client_schema.hpp"
#include "entity/properties/json/inspect.hpp"
#include "entity/properties/json/schema_json.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/json/rpc_schema.hpp"
#include "entity/rpc/rpc.hpp"
#include "tests/places.hpp"

namespace starbus::clients_test {

using namespace entity;  // NOLINT: as a game does
using Json = nlohmann::ordered_json;

enum class Rank : std::uint8_t { guest = 0, knight = 7 };
enum class Refusal : std::uint8_t { poor = 1 };
struct Nothing {
  template <class Archive>
  void serialize(Archive&) {}
};
struct Order {
  std::int64_t item = 0;
  std::vector<std::string> notes;
  std::optional<Rank> rank;
  bool operator==(const Order&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(item), CEREAL_NVP(notes), rank);  // the last one without a name
  }
};
struct Tree {
  std::int32_t value = 0;
  std::vector<Tree> below;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(value), CEREAL_NVP(below));
  }
};
struct Point {
  float x = 0;
  float y = 0;
  bool operator==(const Point&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

class Shop : public rpc::Callable<Shop> {
 public:
  bus::Result<std::int32_t> buy(rpc::Caller&, std::int64_t item, std::string) {
    return static_cast<std::int32_t>(item);
  }
  Result<Order, Refusal> haggle(rpc::Caller&, Order order) { return order; }
  void leave(rpc::Caller&) {}
  static constexpr auto kRpc =
      rpc::methods<&Shop::buy, &Shop::haggle, &Shop::leave>(rpc::own_client);
};

/// What a hero's client is called with: all forms of values.
struct HeroClient {
  void said(std::string who, std::string text);
  void shown(Tree tree, std::variant<std::int32_t, std::string> either,
             std::tuple<std::int32_t, std::string, bool> three, std::set<std::string> names,
             std::array<std::int32_t, 3> numbers, std::map<std::string, std::int64_t> prices,
             std::optional<Order> order, std::chrono::milliseconds time, Nothing nothing,
             double far, Bytes bytes);
  static constexpr auto kClient =
      client_methods("hero_client", client_method<&HeroClient::said>("said"),
                     client_method<&HeroClient::shown>("shown"));
};

struct Gem : Struct<Gem> {
  STARBUS_FIELDS(Field<std::int32_t> power{*this}; Field<std::int32_t, own_client> flaw{*this};)
};
struct Item : Struct<Item> {
  STARBUS_FIELDS(Field<std::int32_t> kind{*this};
                 Field<std::int32_t, own_client | save> count{*this};
                 Field<std::int32_t, other_clients> glow{*this};
                 Field<std::int32_t, server_only> price{*this};
                 Bag<Gem, Flags::none, std::string> gems{*this, 3};)
};
struct Stats : Struct<Stats> {
  STARBUS_FIELDS(Field<std::int32_t> strength{*this, 3};
                 Field<std::uint64_t, own_client> seen{*this};)
};
struct Hero : Properties<Hero> {
  STARBUS_FIELDS(Field<std::int64_t, own_client | save> gold{*this, 100};
                 Field<std::string, all_clients | save> nick{*this};
                 Field<std::int32_t> hidden{*this}; Field<std::int32_t, other_clients> mood{*this};
                 Field<Point, all_clients> at{*this};
                 Field<std::vector<std::int32_t>, own_client> route{*this};
                 Field<Stats, all_clients> stats{*this}; List<std::string, own_client> marks{*this};
                 Map<std::string, std::int32_t, own_client | save> prices{*this};
                 Map<std::int64_t, Point, own_client> places{*this};
                 Bag<Item, all_clients | save> items{*this, 4};)
};

/// The hero of a later build: some fields are new, some gone, one has another type, and those that
/// are left have other indices.
struct Pet : Struct<Pet> {
  STARBUS_FIELDS(Field<std::string> called{*this}; Map<std::int32_t, Point> seen{*this};)
};
struct LaterHero : Properties<LaterHero> {
  STARBUS_FIELDS(List<Point, own_client> trail{*this}; Field<std::int32_t> secret{*this};
                 Field<std::int64_t, own_client | save> gold{*this, 100};
                 Field<std::int64_t, all_clients | save> nick{*this};
                 Map<std::string, Order, own_client> orders{*this};
                 Field<Stats, all_clients> stats{*this}; Bag<Pet, own_client> pets{*this, 3};
                 Field<std::variant<std::int32_t, double>, own_client> mana{*this};
                 Bag<Item, all_clients | save> items{*this, 4};
                 Bag<Pet, all_clients> mates{*this, 2};)
};

namespace {

std::string hex(ByteView bytes) {
  return hex_of(bus::as_text(bytes));
}
Bytes of_hex(const Json& text) {
  const std::string bytes = bytes_of_hex(text.get<std::string>()).value();
  const ByteView view = bus::as_bytes(bytes);
  return {view.begin(), view.end()};
}

/// Values of all types: numbers of 64 bits are texts, bytes hex, maps objects.
Json values(TypeTable& types) {
  Json rows = Json::array();
  const auto add = [&]<class T>(const T& value, Json shown) {
    rows.push_back({{"type", Json::parse(type_of<T>(types))},
                    {"hex", hex(*encode(value))},
                    {"value", std::move(shown)}});
  };
  const auto whole = [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    for (const T value : {Limits::min(), static_cast<T>(1), static_cast<T>(100), Limits::max()}) {
      add(value, sizeof(T) == 8 ? Json(std::to_string(value)) : Json(value));
    }
  };
  whole(std::int8_t{}), whole(std::uint8_t{}), whole(std::int16_t{}), whole(std::uint16_t{});
  whole(std::int32_t{}), whole(std::uint32_t{}), whole(std::int64_t{}), whole(std::uint64_t{});
  add(std::int32_t{-1}, -1);
  add(std::int64_t{-9'007'199'254'740'993}, "-9007199254740993");
  add(true, true), add(false, false);
  add(1.5F, 1.5), add(-2.25, -2.25), add(1e300, 1e300);
  add(std::string("gr\u00fc\u00df \u2603"), "gr\u00fc\u00df \u2603"), add(std::string(), "");
  add(Bytes{std::byte{0}, std::byte{255}}, "00ff");
  add(Rank::knight, 7);
  add(std::vector<std::int32_t>{1, -1, 300}, Json{1, -1, 300});
  add(std::vector<std::string>{}, Json::array());
  add(std::set<std::string>{"a", "b"}, Json{"a", "b"});
  add(std::array<std::int32_t, 3>{1, 2, 3}, Json{1, 2, 3});
  add(std::map<std::string, std::int64_t>{{"a", 1}, {"b", -2}}, Json{{"a", "1"}, {"b", "-2"}});
  add(std::optional<std::int32_t>{}, nullptr), add(std::optional<std::int32_t>{5}, 5);
  add(std::variant<std::int32_t, std::string>("x"), Json{{"index", 1}, {"value", "x"}});
  add(std::tuple<std::int32_t, std::string, bool>(1, "x", true), Json{1, "x", true});
  add(std::chrono::milliseconds(-1500), "-1500");
  add(Nothing{}, Json::object());
  add(std::vector<Nothing>(2), Json{Json::object(), Json::object()});
  add(Order{5, {"a", ""}, Rank::knight}, Json{{"item", "5"}, {"notes", {"a", ""}}, {"_3", 7}});
  const Json leaf = {{"value", 2}, {"below", Json::array()}};
  add(Tree{1, {Tree{2, {}}}}, Json{{"value", 1}, {"below", Json::array({leaf})}});
  return rows;
}

template <auto M, class... A>
Json call(const char* name, Json shown, const A&... arguments) {
  Bytes bytes;
  EXPECT_TRUE(rpc::encode_call<M>(bytes, rpc::Behalf::none, 0, arguments...));
  return {{"method", name}, {"arguments", std::move(shown)}, {"hex", hex(bytes)}};
}
Json calls() {
  const Order order{5, {"a"}, {}};
  const Json shown = {{"item", "5"}, {"notes", {"a"}}, {"_3", nullptr}};
  return {call<&Shop::buy>("shop.buy", Json{"1001", "for you"}, 1001, "for you"),
          call<&Shop::haggle>("shop.haggle", Json::array({shown}), order),
          call<&Shop::leave>("shop.leave", Json::array())};
}

template <class... T>
Json answer(const char* method, rpc::ReplyKind kind, Json outcome, const T&... value) {
  Bytes bytes;
  Encoder out(bytes);
  rpc::put_reply_head(out, kind);
  (put_value(out, value), ...);
  return {{"method", method}, {"hex", hex(bytes)}, {"outcome", std::move(outcome)}};
}
Json failure(const Error& error, Json outcome) {
  Bytes bytes;
  Encoder out(bytes);
  rpc::put_error(out, error);
  outcome["fate"] = "failed";
  outcome["text"] = error.detail;
  return {{"method", "shop.buy"}, {"hex", hex(bytes)}, {"outcome", std::move(outcome)}};
}
Json answers() {
  using rpc::ReplyKind;
  Json rows = {
      answer("shop.buy", ReplyKind::value, {{"fate", "replied"}, {"value", -3}}, std::int32_t{-3}),
      answer("shop.leave", ReplyKind::value, {{"fate", "replied"}}),
      answer("shop.haggle", ReplyKind::refused, {{"fate", "refused"}, {"refusal", 1}},
             Refusal::poor)};
  rows.push_back(failure({rpc::Errc::not_permitted, "no"},
                         {{"domain", 4}, {"number", 3}, {"name", "not_permitted"}}));
  const Code code = bus::Errc::no_owner;
  const Json known = {{"domain", code.domain()}, {"number", code.number()}};
  rows.push_back(failure({bus::Errc::no_owner, "player/7"}, known));
  return rows;
}

constexpr std::string_view kLater = "LaterHero";
std::string without_later(std::string name) {
  const std::size_t at = name.find(kLater);
  return at == std::string::npos ? name : name.replace(at, kLater.size(), "Hero");
}
/// The names of the program that the vectors are of, or of the later build of it.
ClientTable table(bool later = false) {
  ClientTable made = client_table();
  std::erase_if(made.methods, [&](const ClientMethodName& row) {
    return !row.name.starts_with("shop.") && !row.name.starts_with("hero_client.");
  });
  std::erase_if(made.classes, [&](const ClientFieldsName& row) {
    const std::string_view name = std::string_view(row.name).substr(0, row.name.find('@'));
    if (name.ends_with("Pet")) return !later;
    return name.ends_with(later ? "::Hero" : kLater);
  });
  for (ClientFieldsName& row : made.classes) row.name = without_later(row.name);
  made.hash = later ? 2 : 1;
  if (!later) return made;
  const auto method = [&](const char* name) -> ClientMethodName& {
    return *std::ranges::find(made.methods, name, &ClientMethodName::name);
  };
  method("shop.leave").name = "shop.sell";
  method("shop.buy") = {ClientSide::asks, "shop.buy", 7, "(i64)->i32"};
  method("hero_client.said").fingerprint = 8;
  return made;
}
/// A question, and its answers.
Json names() {
  Bytes request;
  Encoder out(request);
  rpc::put_header(out, {rpc::method_id("starbus", "names"), rpc::hash32("([u64])->names1")});
  for (const std::uint64_t number : {std::uint64_t{1}, table().hash}) out.varint(number);
  const auto answer = [&](const ClientTable& of) { return hex(*answer_names(request, of)); };
  return {{"hashes", {hex_of(table().hash)}},
          {"request", hex(request)},
          {"same", answer(table())},
          {"later", answer(table(true))}};
}

template <auto M, class... A>
Json heard(const char* name, const A&... arguments) {
  Bytes bytes;
  EXPECT_EQ((encode_client_call<M>(bytes, arguments...)), DataErrc::ok);
  return {{"method", name}, {"hex", hex(bytes)}};
}
Json heard_calls() {
  const Order order{5, {"a", ""}, Rank::knight};
  return {
      heard<&HeroClient::said>("hero_client.said", "ann", "hello"),
      heard<&HeroClient::shown>(
          "hero_client.shown", Tree{1, {Tree{2, {}}}}, std::variant<std::int32_t, std::string>("x"),
          std::tuple<std::int32_t, std::string, bool>(1, "x", true),
          std::set<std::string>{"a", "b"}, std::array<std::int32_t, 3>{1, 2, 3},
          std::map<std::string, std::int64_t>{{"a", 1}}, std::optional<Order>(order),
          std::chrono::milliseconds(-1500), Nothing{}, -2.25, Bytes{std::byte{0xff}})};
}

/// What this program declares, as --schema prints it.
Json schema(TypeTable& types) {
  Json all;
  all["form"] = 1;
  all["program"] = "heroes";
  all["hash"] = "0123456789abcdef";
  all["client_hash"] = hex_of(table().hash);
  all["rpc"] = rpc::rpc_schema(types);
  auto& classes = all["rpc"]["classes"];  // without those of starbus, as far as they are linked
  classes.erase(std::remove_if(classes.begin(), classes.end(),
                               [](const Json& row) { return row.at("name") != "shop"; }),
                classes.end());
  all["rpc"].erase("hash");
  all["entities"] = Json::array({{{"name", "hero"},
                                  {"type", "starbus::clients_test::Hero"},
                                  {"rpc", "shop"},
                                  {"properties", Hero::schema_of().name()},
                                  {"components", Json::array()}}});
  all["clients"] = clients_schema(types);
  all["properties"] = Json::array();
  for (const Json& row : properties_schema(types)) {
    const std::string name = row.at("name");
    if (!name.ends_with("LaterHero") && !name.ends_with("Pet")) all["properties"].push_back(row);
  }
  all["structs"] = Json::object();
  for (const auto& [name, fields] : types.structs()) all["structs"][name] = Json::parse(fields);
  return all;
}

/// A hero, and what its own client, or others, get in each tick.
class Story {
 public:
  explicit Story(Audience audience) : audience_(audience) {
    hero_.watch(audience);
    copy_.become_replica(audience);
    snapshot("snapshot");
  }
  Json tell() {
    fields();
    lists();
    maps();
    bags();
    lagging();
    return std::move(steps_);
  }

 private:
  void tick(const char* what) {
    const auto sent = hero_.flush([&](Audience, ByteView bytes) { step(what, bytes, false); });
    EXPECT_TRUE(sent.has_value());
  }
  void snapshot(const char* what) {
    Bytes bytes;
    EXPECT_TRUE(hero_.encode_snapshot(view_of(audience_), bytes).has_value());
    step(what, bytes, true);
  }
  void step(const char* what, ByteView bytes, bool whole) {
    const auto taken = whole ? copy_.apply_snapshot(bytes) : copy_.apply_delta(bytes);
    EXPECT_TRUE(taken.has_value()) << what;
    steps_.push_back({{"what", what},
                      {"kind", whole ? "snapshot" : "delta"},
                      {"hex", hex(bytes)},
                      {"state", Json::parse(copy_.to_json().dump())}});
  }
  void fields() {
    hero_.gold += 5;
    hero_.nick = "gr\u00fc\u00df";
    hero_.mood = 3;
    tick("fields");
    hero_.at = Point{1.5F, -2};
    hero_.route = std::vector<std::int32_t>{1, 2};
    hero_.stats->strength = 9;
    hero_.stats->seen = std::uint64_t{1} << 40;
    tick("structs");
  }
  void lists() {
    for (const char* mark : {"a", "b", "c"}) EXPECT_TRUE(hero_.marks.push_back(mark).has_value());
    tick("list_push");
    EXPECT_TRUE(hero_.marks.insert_at(1, "x").has_value());
    EXPECT_TRUE(hero_.marks.set_at(0, "A").has_value());
    EXPECT_TRUE(hero_.marks.erase_at(2).has_value());
    EXPECT_TRUE(hero_.marks.pop_back().has_value());
    tick("list_insert, list_set, list_erase, list_pop");
    hero_.marks = std::vector<std::string>{"new"};
    tick("set of a list");
    EXPECT_TRUE(hero_.marks.clear().has_value());
    tick("clear of a list");
  }
  void maps() {
    EXPECT_TRUE(hero_.prices.put("sword", 5).has_value());
    EXPECT_TRUE(hero_.prices.put("bow", 3).has_value());
    EXPECT_TRUE(hero_.places.put(-7, Point{1, 2}).has_value());
    tick("map_put");
    EXPECT_TRUE(hero_.prices.put("sword", 6).has_value());
    EXPECT_TRUE(hero_.prices.erase("bow").has_value());
    tick("map_erase");
    hero_.prices = std::map<std::string, std::int32_t>{{"a", 1}, {"b", 2}};
    tick("set of a map");
    EXPECT_TRUE(hero_.places.clear().has_value());
    tick("clear of a map");
  }
  void bags() {
    for (std::int64_t key : {1001, 1002}) {
      Item item;
      item.kind = 7;
      item.count = 2;
      item.glow = 1;
      EXPECT_TRUE(hero_.items.insert(key, item).has_value());
    }
    tick("bag_insert");
    hero_.items.edit(1001)->count -= 1;
    EXPECT_TRUE(hero_.items.edit(1001)->gems.insert_at(2, "ruby").has_value());
    tick("a field of an item, a bag of an item");
    hero_.items.edit(1001)->gems.edit("ruby")->flaw = 4;
    EXPECT_TRUE(hero_.items.move(1001, 1).has_value());
    tick("bag_move");
    EXPECT_TRUE(hero_.items.erase(1002).has_value());
    tick("bag_erase");
    snapshot("snapshot with everything");
  }
  /// The newest values of what has changed in several ticks.
  void lagging() {
    const Version before = hero_.version(audience_);
    const auto sealed = [&] { hero_.seal(); };
    hero_.nick = std::string(200, 'n');  // more than is kept of the ticks before
    sealed();
    EXPECT_TRUE(hero_.prices.put("c", 3).has_value());
    EXPECT_TRUE(hero_.prices.erase("a").has_value());
    sealed();
    EXPECT_TRUE(hero_.items.insert_at(3, 1003).has_value());
    hero_.items.edit(1001)->count = 77;
    sealed();
    EXPECT_TRUE(hero_.items.move(1001, 3).has_value());
    EXPECT_TRUE(hero_.marks.push_back("late").has_value());
    sealed();
    EXPECT_TRUE(hero_.marks.set_at(0, "later").has_value());
    EXPECT_TRUE(hero_.items.edit(1001)->gems.erase("ruby").has_value());
    sealed();
    Bytes bytes;
    EXPECT_TRUE(hero_.encode_delta(audience_, before, bytes).has_value());
    EXPECT_NE(std::to_integer<unsigned>(bytes[1]) & 0x80U, 0U);
    step("newest values", bytes, false);
    hero_.drop_news(audience_);
  }

  Audience audience_;
  Hero hero_;
  Hero copy_;
  Json steps_ = Json::array();
};

/// What others get of a later hero, and what a client of this build knows of it.
Json later_seen() {
  LaterHero hero;
  hero.watch(Audience::other_clients);
  Json steps = Json::array();
  const auto step = [&](const char* kind, ByteView bytes) {
    const auto& strength = hero.stats->strength;
    steps.push_back({{"kind", kind},
                     {"hex", hex(bytes)},
                     {"strength", strength.get()},
                     {"items", hero.items.size()}});
  };
  hero.nick = 77;
  EXPECT_TRUE(hero.mates.insert(7, Pet()).has_value());
  hero.seal();
  Bytes bytes;
  EXPECT_TRUE(hero.encode_snapshot(View::other_clients, bytes).has_value());
  step("snapshot", bytes);
  hero.drop_news(Audience::other_clients);
  hero.stats->strength = 12;
  EXPECT_TRUE(hero.items.insert(1001, Item()).has_value());
  hero.mates.edit(7)->called = "rex";
  EXPECT_TRUE(hero.mates.move(7, 1).has_value());
  EXPECT_TRUE(hero.flush([&](Audience, ByteView news) { step("delta", news); }).has_value());
  return steps;
}
/// What the own client of a later hero gets, and what a client of this build knows of it.
Json later_steps() {
  LaterHero hero;
  Json steps = Json::array();
  const auto step = [&](const char* kind, ByteView bytes) {
    steps.push_back({{"kind", kind},
                     {"hex", hex(bytes)},
                     {"gold", std::to_string(hero.gold.get())},
                     {"strength", hero.stats->strength.get()},
                     {"items", hero.items.size()}});
  };
  hero.watch(Audience::own_client);
  hero.nick = 77;
  EXPECT_TRUE(hero.trail.push_back(Point{1, 2}).has_value());
  EXPECT_TRUE(hero.orders.put("first", Order{5, {"a"}, Rank::knight}).has_value());
  EXPECT_TRUE(hero.items.insert(1001, Item()).has_value());
  EXPECT_TRUE(hero.pets.insert(7, Pet()).has_value());
  hero.seal();
  Bytes bytes;
  EXPECT_TRUE(hero.encode_snapshot(View::own_client, bytes).has_value());
  step("snapshot", bytes);
  hero.drop_news(Audience::own_client);
  const auto tick = [&] {
    const auto sent = hero.flush([&](Audience, ByteView news) { step("delta", news); });
    EXPECT_TRUE(sent.has_value());
  };
  hero.gold = 7;
  hero.mana = std::variant<std::int32_t, double>(2.5);
  EXPECT_TRUE(hero.trail.insert_at(0, Point{3, 4}).has_value());
  EXPECT_TRUE(hero.trail.erase_at(1).has_value());
  EXPECT_TRUE(hero.trail.set_at(0, Point{5, 6}).has_value());
  EXPECT_TRUE(hero.trail.pop_back().has_value());
  EXPECT_TRUE(hero.orders.put("second", Order{}).has_value());
  EXPECT_TRUE(hero.orders.erase("first").has_value());
  tick();
  hero.stats->strength = 11;
  hero.pets.edit(7)->called = "rex";
  EXPECT_TRUE(hero.pets.edit(7)->seen.put(4, Point{1, 1}).has_value());
  EXPECT_TRUE(hero.pets.insert(8, Pet()).has_value());
  EXPECT_TRUE(hero.pets.move(8, 2).has_value());
  EXPECT_TRUE(hero.pets.erase(7).has_value());
  EXPECT_TRUE(hero.orders.clear().has_value());
  tick();
  const Version before = hero.version(Audience::own_client);
  hero.gold = 8;
  hero.nick = 78;
  EXPECT_TRUE(hero.trail.push_back(Point{}).has_value());
  EXPECT_TRUE(hero.orders.put("third", Order{}).has_value());
  EXPECT_TRUE(hero.pets.move(8, 0).has_value());
  hero.pets.edit(8)->called = std::string(200, 'n');
  hero.seal();
  EXPECT_TRUE(hero.items.insert(1002, Item()).has_value());
  EXPECT_TRUE(hero.trail.set_at(0, Point{9, 9}).has_value());
  hero.seal();
  bytes.clear();
  EXPECT_TRUE(hero.encode_delta(Audience::own_client, before, bytes).has_value());
  step("delta", bytes);
  return steps;
}

Json document() {
  (void)rpc::Dictionary::of_process();
  TypeTable types;
  Json all;
  all["values"] = values(types);
  all["calls"] = calls();
  all["answers"] = answers();
  all["class"] = Hero::schema_of().name();
  all["steps"] = Story(Audience::own_client).tell();
  all["seen"] = Story(Audience::other_clients).tell();
  all["heard"] = heard_calls();
  all["names"] = names();
  all["later"] = later_steps();
  all["later_seen"] = later_seen();
  all["schema"] = schema(types);
  return all;
}

/// What the recorded steps make is what this build makes.
void expect_same(const Json& file, const Json& built, Audience audience) {
  Hero copy;
  copy.become_replica(audience);
  ASSERT_EQ(file.size(), built.size());
  for (std::size_t i = 0; i < file.size(); ++i) {
    const Json& step = file[i];
    const Bytes bytes = of_hex(step.at("hex"));
    const auto taken =
        step.at("kind") == "snapshot" ? copy.apply_snapshot(bytes) : copy.apply_delta(bytes);
    ASSERT_TRUE(taken.has_value()) << step.at("what");
    EXPECT_EQ(Json::parse(copy.to_json().dump()), step.at("state")) << step.at("what");
    EXPECT_EQ(step.at("state"), built[i].at("state")) << step.at("what");
  }
}

TEST(ClientValues, TheVectorsAreWhatThisBuildWrites) {
  const Json built = document();
  if (const char* path = std::getenv("STARBUS_VECTORS"); path != nullptr) {
    std::ofstream(path) << built.dump(1) << "\n";
  }
  const Json file = Json::parse(std::ifstream(source_file("tests/clients/vectors/values.json")));
  for (const char* part : {"values", "calls", "answers", "class", "schema", "heard", "names"}) {
    EXPECT_EQ(file.at(part), built.at(part)) << part;
  }
  // The bytes of changes differ in their lineage, which is drawn; what they make is the same.
  ASSERT_EQ(file.at("later").size(), built.at("later").size());
  ASSERT_EQ(file.at("later_seen").size(), built.at("later_seen").size());
  expect_same(file.at("steps"), built.at("steps"), Audience::own_client);
  expect_same(file.at("seen"), built.at("seen"), Audience::other_clients);
}

}  // namespace
}  // namespace starbus::clients_test
