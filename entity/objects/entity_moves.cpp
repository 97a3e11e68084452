// Entities that leave for another process, and that arrive.
#include <algorithm>

#include "entity/objects/entity_manager.hpp"
#include "entity/properties/root.hpp"

namespace starbus::entity {

EntityResult<Bytes> EntityManager::freeze(Entity& entity) {
  if (entity.rising_ || entity.state_ != EntityState::alive) return EntityErrc::not_alive;
  if (entity.space() != OnlineId::none) return EntityErrc::in_space;
  const Busy busy(*this);
  std::vector<std::pair<std::string_view, Bytes>> written;
  const auto write = [&](Part& part, const Component* component) -> EntityResult<> {
    Bytes bytes;
    Encoder out(bytes);
    auto packed =
        call_hook(entity, component, Hook::before_move, [&] { return part.on_before_move(out); });
    if (packed && !out.ok()) packed = EntityError(EntityErrc::too_large, entity.label());
    if (packed && entity.state_ != EntityState::alive) packed = EntityErrc::ended;
    const auto name = component == nullptr ? std::string_view() : component->info_.name;
    if (packed) written.emplace_back(name, std::move(bytes));
    return packed;
  };
  auto packed = write(entity, nullptr);
  for (std::size_t i = entity.components().size(); packed && i-- > 0;) {
    Component* const component = entity.more().components[i].component;
    packed = write(*component, component);
  }
  Bytes state;
  if (packed) packed = pack(entity, written, state);
  if (packed) {
    entity.state_ = EntityState::frozen;
    return state;
  }
  if (entity.state_ == EntityState::alive) come_back(entity, written.size());
  return packed.error();
}

EntityResult<> EntityManager::pack(Entity& entity,
                                   const std::vector<std::pair<std::string_view, Bytes>>& written,
                                   Bytes& out) {
  MovedState state;
  const std::string persistent_id = entity.persistent_id();
  Bytes properties;
  state.type = entity.type().name();
  state.persistent_id = persistent_id;
  state.online_id = static_cast<std::uint64_t>(entity.online_);
  state.flags = entity.flags_.bits();
  if (entity::Root* root = entity.properties()) {
    if (const auto encoded = root->encode_snapshot(View::migration, properties); !encoded) {
      return EntityError(EntityErrc::too_large, encoded.error().to_string());
    }
    state.properties = properties;
  }
  for (const auto& [name, bytes] : written) state.blocks.push_back({name, bytes});
  Encoder encoder(out);
  state.write(encoder);
  if (!encoder.ok()) return EntityError(EntityErrc::too_large, entity.label());
  return {};
}

EntityResult<> EntityManager::thaw(Entity& entity) {
  if (entity.state_ != EntityState::frozen) return EntityErrc::not_alive;
  entity.state_ = EntityState::alive;
  const Busy busy(*this);
  come_back(entity, entity.components().size() + 1);
  return {};
}

/// The move was given up: tells the last `parts` of those that packed, in the order of going up.
void EntityManager::come_back(Entity& entity, std::size_t parts) {
  const auto tell = [&](Part& part, const Component* component) {
    static_cast<void>(call_hook(entity, component, Hook::after_move,
                                [&] { return part.on_after_move(nullptr); }));
  };
  const std::size_t components = entity.components().size();
  if (parts == 0) return;
  const std::size_t packed = std::min(parts - 1, components);
  for (std::size_t i = components - packed; i < components; ++i) {
    Component* const component = entity.more().components[i].component;
    if (entity.state_ == EntityState::alive) tell(*component, component);
  }
  if (entity.state_ == EntityState::alive) tell(entity, nullptr);
}

EntityResult<Entity*> EntityManager::create_moved(ByteView bytes) {
  const auto state = MovedState::read(bytes);
  if (!state) {
    ++counters_.refused;
    return EntityErrc::bad_state;
  }
  CreateOptions options;
  options.persistent_id = state->persistent_id;
  options.online_id = OnlineId{state->online_id};
  options.flags = EntityFlags::from_bits(state->flags);
  return create_named(state->type, options, &*state);
}

/// Between initialisation and activation.
EntityResult<> EntityManager::arrive(Entity& entity, const MovedState& state) {
  const auto read = [&](Part& part, const Component* component) -> EntityResult<> {
    const auto name = component == nullptr ? std::string_view() : component->info_.name;
    for (const MovedState::Block& block : state.blocks) {
      if (block.component != name) continue;
      Decoder in(block.bytes);
      auto arrived =
          call_hook(entity, component, Hook::after_move, [&] { return part.on_after_move(&in); });
      if (arrived && in.finish() != DataErrc::ok) {
        return EntityError(EntityErrc::bad_state, entity.label() + ' ' + std::string(name));
      }
      if (arrived && entity.doomed_) return EntityErrc::ended;
      return arrived;
    }
    return {};  // one that the source did not have
  };
  for (std::size_t i = 0; i < entity.components().size(); ++i) {
    Component* const component = entity.more().components[i].component;
    if (auto arrived = read(*component, component); !arrived) return arrived;
  }
  return read(entity, nullptr);
}

}  // namespace starbus::entity
