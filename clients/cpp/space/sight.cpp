#include "clients/cpp/space/sight.hpp"

#include <utility>

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::uint8_t kSightFormat = 1;
enum class SightKind : std::uint8_t { scene = 1, enter = 2, leave = 3, news = 4, moves = 5 };

std::uint16_t get_index(FieldReader& in) {
  const std::uint16_t index = in.number16();
  if (index == 0) in.refuse(Refusal::malformed);
  return index;
}
/// A move with its size before it.
std::optional<Locomotion> get_body(FieldReader& in, const Ground& ground) {
  const ByteView bytes = in.bytes(kMoveBytes);
  if (bytes.empty()) return std::nullopt;
  FieldReader body(bytes);
  const SeenMove seen = get_move(body, ground.time, ground.grid);
  if (const Refusal why = body.finish(); why != Refusal::none) in.refuse(why);
  return seen.move;
}
Scene get_scene(FieldReader& in) {
  Scene scene;
  scene.number = in.number32();
  scene.space = in.text(kNameBytes);
  for (std::int32_t* origin : {&scene.grid.x, &scene.grid.y, &scene.grid.z}) {
    *origin = static_cast<std::int32_t>(in.word());
  }
  scene.tick_ms = in.number32();
  scene.time = in.word();
  scene.epoch = in.word();
  scene.move = get_body(in, {scene.grid, scene.time});
  const ByteView setup = in.bytes(kSetupBytes);
  scene.setup.assign(setup.begin(), setup.end());
  return scene;
}
Enter get_enter(FieldReader& in, const Ground& ground) {
  Enter enter;
  enter.index = get_index(in);
  enter.id = in.number();
  enter.class_name = in.text(kSeenClass);
  enter.move = get_body(in, ground);
  enter.properties = in.bytes(kPacketBytes);
  return enter;
}
SeenNews get_news(FieldReader& in) {
  SeenNews news;
  news.index = get_index(in);
  news.changes = in.bytes(kPacketBytes);
  return news;
}

void get_record(FieldReader& in, std::optional<Ground>& ground, std::vector<SightRecord>& to) {
  const auto kind = static_cast<SightKind>(in.byte(1, 5));
  if (!in.ok()) return;
  if (kind == SightKind::scene) {
    Scene scene = get_scene(in);
    ground = {scene.grid, scene.time};
    to.emplace_back(std::move(scene));
    return;
  }
  if (!ground) return in.refuse(Refusal::malformed);
  if (kind == SightKind::enter) to.emplace_back(get_enter(in, *ground));
  if (kind == SightKind::leave) to.emplace_back(Leave{get_index(in)});
  if (kind == SightKind::news) to.emplace_back(get_news(in));
  if (kind == SightKind::moves) to.emplace_back(get_moves(in, ground->grid));
}

/// Those that enter are as old as at the batch with which they come.
void age(std::vector<SightRecord>& records, const std::optional<Ground>& ground) {
  const auto* const batch = records.empty() ? nullptr : std::get_if<MoveBatch>(&records.back());
  if (batch == nullptr || !ground) return;
  for (SightRecord& record : records) {
    auto* const enter = std::get_if<Enter>(&record);
    if (enter != nullptr && enter->move) enter->move->at += batch->time - ground->time;
  }
}

}  // namespace

Read<std::vector<SightRecord>> read_sight(ByteView body, const std::optional<Ground>& ground) {
  Read<std::vector<SightRecord>> read;
  FieldReader in(body);
  std::optional<Ground> now = ground;
  const std::uint8_t format = in.byte();
  if (format > kSightFormat) in.refuse(Refusal::newer_format);
  if (format < kSightFormat) in.refuse(Refusal::malformed);
  while (in.ok() && in.left() > 0) get_record(in, now, read.value);
  read.refusal = in.finish();
  const bool ends = read.refusal == Refusal::truncated || read.refusal == Refusal::trailing;
  if (ends) read.refusal = Refusal::malformed;
  if (!read) read.value.clear();
  age(read.value, now);
  return read;
}

}  // namespace starbus::game
