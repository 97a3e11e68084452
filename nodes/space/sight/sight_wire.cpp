#include "nodes/space/sight/sight_wire.hpp"

#include <bit>

#include "bus/core/utf8.hpp"
#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"

namespace starbus::nodes::sight {
namespace {

using entity::DataErrc;
using entity::Decoder;
using entity::Encoder;

constexpr std::uint8_t kFormat = 1;
enum Kind : std::uint8_t { kScene = 1, kEnter = 2, kLeave = 3, kNews = 4, kMoves = 5 };

void put_u32(bus::Bytes& out, std::uint32_t value) {
  bus::Writer(out).put(value);
}

std::uint32_t take_u32(Decoder& in) {
  const bus::ByteView bytes = in.take(4);
  return bytes.empty() ? 0 : bus::load<std::uint32_t>(bytes.data());
}

std::uint32_t take_number32(Decoder& in) {
  return in.number<std::uint32_t>();
}

std::uint16_t take_index(Decoder& in) {
  const auto index = in.number<std::uint16_t>();
  if (index == 0) in.fail(DataErrc::malformed);
  return index;
}

std::string take_text(Decoder& in, std::size_t most) {
  const std::string_view text = in.text();
  if (text.size() > most) in.fail(DataErrc::too_large);
  if (!bus::is_utf8(text)) in.fail(DataErrc::malformed);
  return in.ok() ? std::string(text) : std::string();
}

bus::Bytes take_bytes(Decoder& in, std::size_t most) {
  const std::string_view bytes = in.text();
  if (bytes.size() > most) in.fail(DataErrc::too_large);
  if (!in.ok()) return {};
  const bus::ByteView view = bus::as_bytes(bytes);
  return {view.begin(), view.end()};
}

/// Empty, or one body.
bus::Bytes take_move(Decoder& in) {
  bus::Bytes move = take_bytes(in, movement::MoveBody::kMost);
  if (!move.empty() && !movement::MoveDecoder().decode_body(move, 0)) {
    in.fail(DataErrc::malformed);
  }
  return move;
}

Scene read_scene(Decoder& in) {
  Scene scene;
  scene.number = take_number32(in);
  scene.space = take_text(in, kSightSpace);
  scene.grid.x = std::bit_cast<std::int32_t>(take_u32(in));
  scene.grid.y = std::bit_cast<std::int32_t>(take_u32(in));
  scene.grid.z = std::bit_cast<std::int32_t>(take_u32(in));
  scene.tick_ms = take_number32(in);
  scene.time = take_u32(in);
  scene.epoch = take_u32(in);
  scene.move = take_move(in);
  scene.setup = take_bytes(in, kSceneSetup);
  return scene;
}

Enter read_enter(Decoder& in) {
  Enter enter;
  enter.index = take_index(in);
  enter.id = in.varint();
  enter.class_name = take_text(in, kSightClass);
  enter.move = take_move(in);
  enter.properties = take_bytes(in, kSightState);
  return enter;
}

News read_news(Decoder& in) {
  News news;
  news.index = take_index(in);
  news.changes = take_bytes(in, kSightState);
  return news;
}

SightErrc read_moves(Decoder& in, SightBody& body) {
  const bus::ByteView rest = in.rest();
  std::vector<movement::SeenMove> moves;
  const auto read = movement::MoveDecoder().decode(rest, moves);
  if (!read) {
    if (read.error() == movement::MoveErrc::newer_format) return SightErrc::newer_format;
    if (read.error() == movement::MoveErrc::too_large) return SightErrc::too_large;
    return SightErrc::malformed;
  }
  body.moves.assign(rest.begin(), rest.end());
  return SightErrc::ok;
}

bool read_record(Decoder& in, std::uint8_t kind, SightBody& body) {
  switch (kind) {
    case kScene:
      body.records.emplace_back(read_scene(in));
      return true;
    case kEnter:
      body.records.emplace_back(read_enter(in));
      return true;
    case kLeave:
      body.records.emplace_back(Leave{take_index(in)});
      return true;
    case kNews:
      body.records.emplace_back(read_news(in));
      return true;
    default:
      return false;
  }
}

}  // namespace

SightWriter::SightWriter(bus::Bytes& out) : out_(out) {
  out_.push_back(std::byte{kFormat});
}

void SightWriter::begin(std::uint8_t kind, std::uint64_t index) {
  Encoder out(out_);
  out.byte(kind);
  out.varint(index);
}

void SightWriter::scene(const Scene& scene) {
  begin(kScene, scene.number);
  Encoder out(out_);
  out.text(scene.space);
  put_u32(out_, std::bit_cast<std::uint32_t>(scene.grid.x));
  put_u32(out_, std::bit_cast<std::uint32_t>(scene.grid.y));
  put_u32(out_, std::bit_cast<std::uint32_t>(scene.grid.z));
  out.varint(scene.tick_ms);
  put_u32(out_, scene.time);
  put_u32(out_, scene.epoch);
  out.text(bus::as_text(scene.move));
  out.text(bus::as_text(scene.setup));
}

void SightWriter::enter(std::uint16_t index, std::uint64_t id, std::string_view class_name,
                        bus::ByteView move, bus::ByteView properties) {
  begin(kEnter, index);
  Encoder out(out_);
  out.varint(id);
  out.text(class_name);
  out.text(bus::as_text(move));
  out.text(bus::as_text(properties));
}

void SightWriter::leave(std::uint16_t index) {
  begin(kLeave, index);
}

void SightWriter::news(std::uint16_t index, bus::ByteView changes) {
  begin(kNews, index);
  Encoder(out_).text(bus::as_text(changes));
}

movement::MoveBatch SightWriter::moves(const movement::BatchHeader& header) {
  out_.push_back(std::byte{kMoves});
  return movement::MoveBatch(out_, header);
}

SightResult<SightBody> decode_sight(bus::ByteView bytes) {
  if (bytes.size() > kSightBody) return Error(SightErrc::too_large, "body");
  Decoder in(bytes);
  const std::uint8_t format = in.byte();
  if (in.ok() && format > kFormat) return SightErrc::newer_format;
  if (format != kFormat) return SightErrc::malformed;
  SightBody body;
  while (in.left() != 0) {
    const std::uint8_t kind = in.byte();
    if (kind == kMoves) {
      if (const SightErrc moves = read_moves(in, body); moves != SightErrc::ok) return moves;
      return body;
    }
    if (!read_record(in, kind, body)) return Error(SightErrc::malformed, "kind of a record");
    if (in.error() == DataErrc::too_large) return SightErrc::too_large;
    if (!in.ok()) return SightErrc::malformed;
  }
  return body;
}

}  // namespace starbus::nodes::sight
