#include "tests/sim/spaces/sight_copy.hpp"

#include <utility>

#include "entity/properties/wire.hpp"

namespace starbus::sim {

namespace movement = nodes::movement;

void SightCopy::restart(std::int64_t life) {
  forget();
  if (std::exchange(life_, life) != life) number_ = 0;
}

void SightCopy::forget() {
  has_scene_ = ready_ = false;
  seen_.clear();
  space_.clear();
}

void SightCopy::take(bus::ByteView bytes) {
  const auto body = sight::decode_sight(bytes);
  demand(body.has_value(), "a body of sight does not decode");
  if (!body) return;
  for (const sight::Record& record : body->records) {
    std::visit([this](const auto& each) { on(each); }, record);
  }
  if (!body->moves.empty()) moves(body->moves);
}

void SightCopy::on(const sight::Scene& scene) {
  demand(scene.number > number_,
         "scene " + std::to_string(scene.number) + " after " + std::to_string(number_));
  number_ = scene.number;
  grid_ = scene.grid;
  space_ = scene.space;
  has_scene_ = true;
  ready_ = false;
  seen_.clear();
}

void SightCopy::on(const sight::Enter& enter) {
  demand(has_scene_ && ready_, "it is told of somebody before it was ready");
  auto& seen = seen_[enter.index];
  demand(seen == nullptr, "somebody enters whose index is there");
  demand(find(entity::OnlineId{enter.id}) == nullptr, "somebody enters who is in sight");
  seen = std::make_unique<Seen>();
  seen->id = enter.id;
  seen->state.become_replica(entity::Audience::other_clients);
  demand(seen->state.apply_snapshot(enter.properties).has_value(),
         "properties of somebody do not apply");
  if (enter.move.empty()) return;
  const auto move = movement::MoveDecoder(grid_).decode_body(enter.move, 0);
  demand(move.has_value(), "a move does not decode");
  if (move) seen->place = move->move.position;
}

void SightCopy::on(const sight::Leave& leave) {
  demand(seen_.erase(leave.index) == 1, "somebody leaves who is not in sight");
}

void SightCopy::on(const sight::News& news) {
  const auto found = seen_.find(news.index);
  demand(found != seen_.end(), "news of somebody who is not in sight");
  if (found == seen_.end() || news.changes.empty()) return;
  HeroState& state = found->second->state;
  const bool delta = news.changes.front() == std::byte{entity::kDeltaForm};
  const bool taken = delta ? state.apply_delta(news.changes).has_value()
                           : state.apply_snapshot(news.changes).has_value();
  demand(taken, "news of somebody do not apply");
}

void SightCopy::moves(bus::ByteView bytes) {
  std::vector<movement::SeenMove> moves;
  const auto header = movement::MoveDecoder(grid_).decode(bytes, moves);
  demand(header && header->epoch == number_, "moves of another scene");
  for (const movement::SeenMove& move : moves) {
    const auto found = seen_.find(move.index);
    demand(found != seen_.end(), "a move of somebody who is not in sight");
    if (found != seen_.end()) found->second->place = move.move.position;
  }
}

const SightCopy::Seen* SightCopy::find(entity::OnlineId id) const {
  for (const auto& [index, each] : seen_) {
    if (each != nullptr && each->id == static_cast<std::uint64_t>(id)) return each.get();
  }
  return nullptr;
}

}  // namespace starbus::sim
