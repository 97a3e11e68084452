// The names that clients are built from, and the question for them, which is hostile.
#include <gtest/gtest.h>

#include "entity/archive/encoder.hpp"
#include "entity/objects/limits.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/objects/names/client_shape.hpp"
#include "entity/rpc/method.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::entity {
namespace {

Bytes question(std::size_t hashes, std::string_view types = "([u64])->names1") {
  Bytes bytes;
  Encoder out(bytes);
  rpc::CallHeader head;
  head.method = rpc::method_id("starbus", "names");
  head.signature = rpc::hash32(types);
  rpc::put_header(out, head);
  out.varint(hashes);
  for (std::size_t at = 0; at < hashes; ++at) out.varint(at);
  return bytes;
}
/// The error that an answer is; ok: a value.
Code error_of(const std::optional<Bytes>& answer) {
  Decoder in(answer.value());
  rpc::ReplyKind kind{};
  rpc::Error error;
  EXPECT_TRUE(rpc::get_reply_head(in, kind, error));
  return kind == rpc::ReplyKind::error ? error.code : Code();
}

TEST(ClientNamesTest, AQuestionIsBounded) {
  const ClientTable table{{}, {}, kClientHashes - 1};
  EXPECT_EQ(error_of(answer_names(question(kClientHashes), table)), Code());
  EXPECT_EQ(error_of(answer_names(question(kClientHashes + 1), table)), rpc::Errc::bad_arguments);
  Bytes longer = question(1);
  longer.push_back(std::byte{0});
  EXPECT_EQ(error_of(answer_names(longer, table)), rpc::Errc::bad_arguments);
  EXPECT_EQ(error_of(answer_names(question(1, "([u64])->names2"), table)),
            rpc::Errc::signature_mismatch);
  const Bytes whole = question(3);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto answer = answer_names(ByteView(whole).first(size), table);
    if (answer) EXPECT_EQ(error_of(answer), rpc::Errc::bad_arguments);
  }
  EXPECT_FALSE(answer_names({}, table));
}

TEST(ClientNamesTest, ATableIsBounded) {
  ClientTable table;
  table.hash = 99;
  while (table.methods.size() * 20 < kClientTable) {
    table.methods.push_back({ClientSide::asks, "player.m", 1, "()->"});
  }
  EXPECT_EQ(error_of(answer_names(question(1), table)), Code());
  while (table.methods.size() * 18 < kClientTable) {
    table.methods.push_back({ClientSide::asks, "player.m", 1, "()->"});
  }
  EXPECT_EQ(error_of(answer_names(question(1), table)), rpc::Errc::too_large);
}

TEST(ClientNamesTest, TheShapesOfTypes) {
  const std::map<std::string, std::string> structs{
      {"Line", R"([{"type":"string"},{"name":"n","type":{"optional":"i64"}}])"},
      {"Tree", R"([{"type":{"list":{"struct":"Tree"}}}])"},
      {"Empty", "[]"}};
  const auto shape = [&](const char* type) { return shape_of(type, structs); };
  EXPECT_EQ(shape(R"("bool")"), "1");
  EXPECT_EQ(shape(R"("u16")"), "v");
  EXPECT_EQ(shape(R"({"enum":"E","of":"u8"})"), "1");
  EXPECT_EQ(shape(R"({"duration":"f64","period":[1,1]})"), "8");
  EXPECT_EQ(shape(R"({"map":["string",{"list":"f32"}]})"), "msl4");
  EXPECT_EQ(shape(R"({"array":"bytes","size":12})"), "a12:s");
  EXPECT_EQ(shape(R"({"struct":"Line"})"), "(sov)");
  EXPECT_EQ(shape(R"({"struct":"Empty"})"), "()");
  EXPECT_EQ(shape(R"({"variant":["i8",{"tuple":["i8","i64"]}]})"), "|1(1v))");
  EXPECT_EQ(shape(R"({"bag":["i64",{"properties":"a::B"}]})"), "bv{a::B}");
  EXPECT_EQ(shape(R"({"ref":"Player"})"), "s");
  EXPECT_EQ(shape(R"({"struct":"Tree"})"), "?");
  EXPECT_EQ(shape(R"({"list":{"opaque":"raw"}})"), "?");
  std::string wide = R"({"tuple":["i64")";
  for (std::size_t at = 0; at < kClientShape; ++at) wide += R"(,"i64")";
  EXPECT_EQ(shape((wide + "]}").c_str()), "?");
}

}  // namespace
}  // namespace starbus::entity
