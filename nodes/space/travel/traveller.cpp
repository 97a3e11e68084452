#include "nodes/space/travel/traveller.hpp"

#include <utility>

#include "entity/objects/entity.hpp"
#include "nodes/space/travel/travels.hpp"

namespace starbus::nodes::space {
namespace {

void write(entity::Encoder& out, const Journey& journey) {
  out.text(journey.space.place.type);
  out.text(journey.space.place.key);
  out.number(journey.space.line);
  out.number(journey.ticket.term);
  out.number(journey.ticket.number);
  out.number(journey.again);
  out.number(journey.at.has_value());
  if (!journey.at) return;
  out.number(journey.at->x);
  out.number(journey.at->y);
  out.number(journey.at->z);
}

Journey read(entity::Decoder& in) {
  Journey journey;
  journey.space.place.type = in.text();
  journey.space.place.key = in.text();
  journey.space.line = in.number<std::uint32_t>();
  journey.ticket.term = in.number<std::uint64_t>();
  journey.ticket.number = in.number<std::uint64_t>();
  journey.again = in.number<bool>();
  if (!in.number<bool>()) return journey;
  journey.at.emplace();
  journey.at->x = in.number<float>();
  journey.at->y = in.number<float>();
  journey.at->z = in.number<float>();
  return journey;
}

}  // namespace

/// At the beginning of the entity's end, however it ends.
entity::EntityResult<> Traveller::on_activate() {
  return at_end([this] {
    if (auto* const travels = world().find<Travels>()) travels->entity_ended(entity());
  });
}

entity::EntityResult<> Traveller::on_before_move(entity::Encoder& out) {
  out.number(journey_.has_value());
  if (journey_) write(out, *journey_);
  return {};
}

/// Before this process accepts the entity: what it refuses here lives on where it is. One that is
/// owned here already has no way back, and is not refused.
entity::EntityResult<> Traveller::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr || !arrived->number<bool>()) return {};
  Journey journey = read(*arrived);
  if (!arrived->ok()) return entity::EntityErrc::bad_state;
  auto* const travels = world().find<Travels>();
  const auto expected = travels == nullptr
                            ? Result<>(Error(Errc::unknown_space, "no spaces run in this process"))
                            : travels->expect(journey);
  if (!expected) {
    return entity::EntityError(entity::EntityErrc::hook_failed, expected.error().to_string());
  }
  arrived_ = std::move(journey);
  return {};
}

}  // namespace starbus::nodes::space
