/// What a program prints with --schema.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/hex.hpp"
#include "entity/objects/component_state.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/properties/bag.hpp"
#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/schema_export.hpp"

namespace starbus::nodes::schema_test {

using Json = nlohmann::json;
namespace rpc = entity::rpc;

struct Loot {
  std::string what;
  std::uint32_t count = 0;
  bool operator==(const Loot&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(what), CEREAL_NVP(count));
  }
};
enum class WhyNot : std::uint8_t { dead = 1 };

struct Item : entity::Struct<Item> {
  entity::Field<std::uint32_t> count{this, "count"};
};
struct BeastState : entity::Properties<BeastState> {
  entity::Field<std::int64_t, entity::all_clients | entity::save> hp{this, "hp"};
  entity::Field<Loot> carries{this, "carries"};
  entity::List<std::string, entity::own_client> names{this, "names"};
  entity::Map<std::string, double> prices{this, "prices"};
  entity::Bag<Item, entity::save> items{this, "items", 8};
};

class Beast;
class Horns final : public entity::ComponentOf<Horns, Beast>, public rpc::Callable<Horns> {
 public:
  static constexpr std::string_view kComponentName = "horns";
  explicit Horns(const entity::ComponentKey& key) : ComponentOf(key) {}
  void push(rpc::Caller&) {}
  static constexpr auto kRpc = rpc::methods("schema_horns", rpc::method<&Horns::push>("push"));

 private:
  ~Horns() override { close_rpc(); }
};

class Beast final : public entity::EntityOf<Beast, entity::Entity, entity::Components<Horns>> {
 public:
  static constexpr std::string_view kTypeName = "schema_beast";
  explicit Beast(const entity::ConstructKey& key) : EntityOf(key) {}
  entity::Root* properties() override { return &state; }
  rpc::Task<starbus::Result<std::optional<Loot>, rpc::Failure<WhyNot>>> hit(rpc::Caller&,
                                                                            std::int64_t hard,
                                                                            entity::Ref<Beast> by) {
    static_cast<void>(by);
    std::optional<Loot> found(std::in_place);
    found->count = static_cast<std::uint32_t>(hard);
    co_return found;
  }
  void rest(rpc::Caller&, const std::vector<std::string>&) {}
  static constexpr auto kRpc =
      rpc::methods("schema_beast", rpc::method<&Beast::rest>("rest", rpc::any_client | rpc::gate),
                   rpc::method<&Beast::hit>("hit", rpc::own_client));
  BeastState state;

 private:
  ~Beast() override = default;
};

/// As a program does; nothing of it runs.
[[maybe_unused]] void declare(entities::EntityHost& host) {
  host.declare<Beast>();
}

/// What a beast's client is called with.
struct BeastClient {
  void bitten(std::uint32_t hard, std::string by);
  static constexpr auto kClient = entity::client_methods(
      "schema_beast_client", entity::client_method<&BeastClient::bitten>("bitten"));
};
[[maybe_unused]] void bite(Beast& beast) {
  static_cast<void>(beast.client().call<&BeastClient::bitten>(3U, "a dog"));
}

constexpr std::string_view kHere = "starbus::nodes::schema_test::";

/// The row of that name; the names of this file without their namespace.
Json row(const Json& rows, const std::string& name) {
  for (const Json& each : rows) {
    if (each.at("name") != name) continue;
    std::string text = each.dump();
    for (std::size_t at = 0; (at = text.find(kHere)) != std::string::npos;) {
      text.erase(at, kHere.size());
    }
    return Json::parse(text);
  }
  ADD_FAILURE() << name << " is not there";
  return {};
}

TEST(SchemaTest, AProgramShowsItsMethodsEntitiesAndProperties) {
  const std::string text = schema_text("beasts", "1.2");
  EXPECT_EQ(text, schema_text("beasts", "1.2"));
  const Json schema = Json::parse(text);
  EXPECT_EQ(schema.at("form"), 1);
  EXPECT_EQ(schema.at("program"), "beasts");
  EXPECT_EQ(schema.at("version"), "1.2");
  EXPECT_EQ(schema.at("hash"), Json::parse(schema_text("others", "2")).at("hash"));

  const Json beast = row(schema.at("rpc").at("classes"), "schema_beast");
  EXPECT_EQ(beast, Json::parse(R"({
    "name": "schema_beast", "type": "Beast", "base": "starbus_entity", "methods": [
      {"name": "hit", "id": "a3dc120d", "signature": "a82cc909", "callers": ["server", "own_client"],
       "arguments": ["i64", {"ref": "Beast"}], "answer": {"optional": {"struct": "Loot"}},
       "refusal": {"enum": "WhyNot", "of": "u8"}},
      {"name": "rest", "id": "6573fcd6", "signature": "c908214c",
       "callers": ["server", "own_client", "any_client", "gate"],
       "arguments": [{"list": "string"}], "answer": null}]})"))
      << beast.dump();
  EXPECT_EQ(row(schema.at("entities"), "schema_beast"), Json::parse(R"({
    "name": "schema_beast", "type": "Beast", "rpc": "schema_beast", "properties": "BeastState",
    "components": [{"name": "horns", "rpc": "schema_horns"}]})"));

  Json state = row(schema.at("properties"), std::string(kHere) + "BeastState");
  EXPECT_EQ(state.at("hash").get<std::string>().size(), 16U);
  state.erase("hash");
  state.erase("saved_hash");
  EXPECT_EQ(state, Json::parse(R"({
    "name": "BeastState", "of_entity": true, "fields": [
      {"name": "hp", "index": 1, "flags": ["ghost", "other_clients", "own_client", "save"],
       "signature": "i64", "type": "i64"},
      {"name": "carries", "index": 2, "flags": [], "signature": "{{n,bytes},u32}",
       "type": {"struct": "Loot"}},
      {"name": "names", "index": 3, "flags": ["own_client"], "signature": "list[str]",
       "type": {"list": "string"}},
      {"name": "prices", "index": 4, "flags": [], "signature": "map[str,f64]",
       "type": {"map": ["string", "f64"]}},
      {"name": "items", "index": 5, "flags": ["save"], "signature": "bag[i64]", "capacity": 8,
       "type": {"bag": ["i64", {"properties": "Item"}]}}]})"))
      << state.dump();
  const Json item = row(schema.at("properties"), std::string(kHere) + "Item");
  EXPECT_EQ(item.at("of_entity"), false);
  EXPECT_EQ(item.at("fields").at(0).at("type"), "u32");
  EXPECT_EQ(schema.at("structs").at(std::string(kHere) + "Loot"), Json::parse(R"([
    {"name": "what", "type": "string"}, {"name": "count", "type": "u32"}])"));
}

TEST(SchemaTest, WhatClientsAreBuiltFromHasAHashOfItsOwn) {
  const Json schema = Json::parse(schema_text("beasts", "1.2"));
  EXPECT_EQ(row(schema.at("clients"), "schema_beast_client"), Json::parse(R"({
    "name": "schema_beast_client", "type": "BeastClient", "methods": [
      {"name": "bitten", "id": "4f301b00", "signature": "783903ff",
       "arguments": ["u32", "string"]}]})"));
  EXPECT_EQ(schema.at("client_hash"), hex_of(entity::client_table().hash));
  EXPECT_NE(schema.at("client_hash"), schema.at("hash"));
  const auto& methods = entity::client_table().methods;
  const auto named = [&](std::string_view name) {
    return std::ranges::find(methods, name, &entity::ClientMethodName::name) != methods.end();
  };
  EXPECT_TRUE(named("schema_beast.hit") && named("schema_beast.rest"));
  EXPECT_TRUE(named("schema_beast_client.bitten"));
  EXPECT_FALSE(named("schema_horns.push"));  // for servers alone
}

/// Of the methods of starbus itself, all of which are in this program.
TEST(SchemaTest, NothingThatStarbusDeclaresIsOpaque) {
  const std::string text = schema_text("beasts", "1");
  const std::size_t at = text.find("\"opaque\"");
  EXPECT_EQ(at, std::string::npos) << text.substr(at < 500 ? 0 : at - 500, 1000);
}

}  // namespace starbus::nodes::schema_test
