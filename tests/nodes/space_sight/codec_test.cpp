/// Bytes of sight: golden vectors, which the clients of all languages are tested with, and bounds.
#include <gmock/gmock.h>

#include <bit>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "nodes/space/sight/sight_wire.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::sight {
namespace {

using nlohmann::json;

bus::Bytes sight_bytes(const std::string& hex) {
  const auto bytes = bytes_of_hex(hex);
  EXPECT_TRUE(bytes) << hex;
  const bus::ByteView view = bus::as_bytes(*bytes);
  return {view.begin(), view.end()};
}

const json& golden_sight() {
  static const json file =
      json::parse(std::ifstream(source_file("tests/nodes/space_sight/vectors/sight.json")));
  return file;
}

Scene scene_of(const json& row) {
  const json& grid = row.at("grid");
  return {.number = row.at("number"),
          .space = row.at("space"),
          .grid = {grid.at(0), grid.at(1), grid.at(2)},
          .tick_ms = row.at("tick_ms"),
          .time = row.at("time"),
          .epoch = row.at("epoch"),
          .move = sight_bytes(row.at("move")),
          .setup = sight_bytes(row.at("setup"))};
}

Record record_of(const json& row) {
  const std::string kind = row.at("kind");
  if (kind == "scene") return scene_of(row);
  if (kind == "leave") return Leave{row.at("index")};
  if (kind == "news") return News{row.at("index"), sight_bytes(row.at("changes"))};
  EXPECT_EQ(kind, "enter");
  return Enter{row.at("index"), row.at("id"), row.at("class"), sight_bytes(row.at("move")),
               sight_bytes(row.at("properties"))};
}

void write_record(SightWriter& writer, const Record& record) {
  if (const auto* scene = std::get_if<Scene>(&record)) {
    writer.scene(*scene);
  } else if (const auto* enter = std::get_if<Enter>(&record)) {
    writer.enter(enter->index, enter->id, enter->class_name, enter->move, enter->properties);
  } else if (const auto* leave = std::get_if<Leave>(&record)) {
    writer.leave(leave->index);
  } else if (const auto* news = std::get_if<News>(&record)) {
    writer.news(news->index, news->changes);
  }
}

TEST(SightVectors, BodiesHaveGoldenBytes) {
  ASSERT_GE(golden_sight().at("bodies").size(), 12U);
  for (const json& row : golden_sight().at("bodies")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    SightBody body;
    for (const json& record : row.at("records")) body.records.push_back(record_of(record));
    body.moves = sight_bytes(row.at("moves"));
    bus::Bytes bytes;
    SightWriter writer(bytes);
    for (const Record& record : body.records) write_record(writer, record);
    if (!body.moves.empty()) {
      // Movers have vectors of their own: their batch is taken as it is, after its header.
      const bus::ByteView moves(body.moves);
      writer.moves({bus::load<std::uint32_t>(moves.data() + 1),
                    bus::load<std::uint32_t>(moves.data() + 5),
                    bus::load<std::uint32_t>(moves.data() + 9)});
      bytes.insert(bytes.end(), body.moves.begin() + movement::kBatchHeader, body.moves.end());
    }
    EXPECT_EQ(hex_of(bus::as_text(bytes)), row.at("hex").get<std::string>());
    const auto read = decode_sight(sight_bytes(row.at("hex")));
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, body);
  }
}

TEST(SightVectors, MalformedBytesHaveTheirError) {
  ASSERT_GE(golden_sight().at("malformed").size(), 20U);
  for (const json& row : golden_sight().at("malformed")) {
    const auto read = decode_sight(sight_bytes(row.at("hex")));
    ASSERT_FALSE(read) << row.at("name");
    EXPECT_EQ(name_of(read.error().code), row.at("error").get<std::string>()) << row.at("name");
  }
}

/// A client as the contract says. False: malformed.
bool follow(const SightBody& body, bool& scene, std::map<std::uint16_t, std::uint64_t>& there) {
  for (const Record& record : body.records) {
    if (std::holds_alternative<Scene>(record)) {
      scene = true;
      there.clear();
    } else if (!scene) {
      return false;
    } else if (const auto* enter = std::get_if<Enter>(&record)) {
      if (!there.emplace(enter->index, enter->id).second) return false;
    } else if (const auto* leave = std::get_if<Leave>(&record)) {
      if (there.erase(leave->index) == 0) return false;
    } else if (!there.contains(std::get<News>(record).index)) {
      return false;
    }
  }
  return true;
}

TEST(SightVectors, CoursesEndAsTheContractSays) {
  for (const json& row : golden_sight().at("courses")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    std::map<std::uint16_t, std::uint64_t> there;
    bool scene = false;
    bool sound = true;
    for (const json& hex : row.at("bodies")) {
      const auto body = decode_sight(sight_bytes(hex));
      ASSERT_TRUE(body) << body.error().to_string();
      sound = sound && follow(*body, scene, there);
    }
    EXPECT_EQ(sound, !row.contains("error"));
    if (!sound) continue;
    std::map<std::uint16_t, std::uint64_t> wanted;
    for (const auto& [index, id] : row.at("there").items()) {
      wanted[static_cast<std::uint16_t>(std::stoul(index))] = id;
    }
    EXPECT_EQ(there, wanted);
  }
}

TEST(SightCodec, RefusesWhatIsTooLarge) {
  EXPECT_EQ(decode_sight(bus::Bytes(kSightBody + 1, std::byte{1})).error(), SightErrc::too_large);
  bus::Bytes bytes;
  SightWriter(bytes).news(1, bus::Bytes(kSightState + 1));
  EXPECT_EQ(decode_sight(bytes).error(), SightErrc::too_large);
  bytes.clear();
  SightWriter(bytes).scene({.space = std::string(kSightSpace + 1, 'x')});
  EXPECT_EQ(decode_sight(bytes).error(), SightErrc::too_large);
  bytes.clear();
  SightWriter(bytes).scene({.space = std::string(kSightSpace, 'x')});
  EXPECT_TRUE(decode_sight(bytes));
}

TEST(SightCodec, RecordsTakeNoMoreThanTheirSizesSay) {
  bus::Bytes bytes;
  SightWriter writer(bytes);
  writer.leave(65'535);
  EXPECT_LE(bytes.size() - 1, kLeaveSize);
  const bus::Bytes state(kSightState);
  const bus::Bytes move(movement::MoveBody::kMost);
  std::size_t before = bytes.size();
  writer.enter(65'535, ~std::uint64_t{0}, std::string(kSightClass, 'x'), move, state);
  EXPECT_LE(bytes.size() - before, enter_size(kSightClass, state.size()));
  before = bytes.size();
  writer.news(65'535, state);
  EXPECT_LE(bytes.size() - before, news_size(state.size()));
}

}  // namespace
}  // namespace starbus::nodes::sight
