#include "nodes/hosting/entity_sync.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bus/io/clock.hpp"
#include "entity/properties/scratch.hpp"
#include "nodes/hosting/limits.hpp"
#include "nodes/hosting/properties_copy.hpp"

namespace starbus::nodes::entities {

using entity::Audience;
using entity::Entity;
using entity::Reach;
using entity::Root;

namespace {

bool sees(const Root& properties, Audience audience) {
  return std::ranges::any_of(properties.schema().fields(), [&](const entity::FieldInfo& field) {
    return (field.reach & bit_of(audience)) != 0;
  });
}

}  // namespace

void EntitySync::add(Entity& entity, bool arrived) {
  Root* const properties = entity.properties();
  if (properties == nullptr) return;
  // The state that is saved is not known.
  if (users_.unsaved && sees(*properties, Audience::save)) users_.unsaved(id_of(entity));
  properties->listen(this, id_of(entity));
  if (arrived) this->arrived(entity, *properties);
}

void EntitySync::arrived(Entity& entity, Root& properties) {
  struct Told {
    Audience audience;
    entity::Version version;
  };
  std::vector<Told> told;  // in its former process
  for (const Audience audience :
       {Audience::ghost, Audience::other_clients, Audience::own_client, Audience::cache}) {
    if (properties.watched(audience)) told.push_back({audience, properties.version(audience)});
  }
  properties.tell_what_stayed_behind();
  if (users_.sink == nullptr) return;
  for (const auto& [audience, version] : told) {
    if (users_.sink->goes_on(entity, audience, version)) continue;
    if (show(entity, audience)) properties.drop_news(audience);
  }
}

void EntitySync::mirror(Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch) {
  Root* const properties = entity.properties();
  if (properties == nullptr || publishers_.contains(id_of(entity))) return;
  properties->watch(Audience::ghost);
  properties->drop_news(Audience::ghost);  // mirrors begin with a snapshot
  auto publisher = std::make_unique<replica::Publisher>(
      endpoint, epoch, [this, properties, id = id_of(entity)](bus::ByteView have) {
        return state_for_mirrors(id, *properties, have);
      });
  if (const auto attached = entity.attach(*publisher); !attached) {
    spdlog::error("entities: {} cannot be mirrored: {}", entity.label(),
                  attached.error().to_string());
    return;
  }
  publishers_.emplace(id_of(entity), std::move(publisher));
}

void EntitySync::begin_anew(Entity& entity, entity::rpc::Endpoint& endpoint, bus::Epoch epoch) {
  Root* const properties = entity.properties();
  if (properties == nullptr) return;
  // Mirrors have heard of a later owner, and follow none but one that is later still.
  if (publishers_.erase(id_of(entity)) != 0) mirror(entity, endpoint, epoch);
  properties->begin_anew();
}

bus::Bytes EntitySync::state_for_mirrors(std::uint64_t id, Root& properties, bus::ByteView have) {
  bus::Bytes bytes;
  properties.seal();
  const entity::Version since = unpack_version(have);
  if (since.lineage != 0 && properties.encode_delta(Audience::ghost, since, bytes)) {
    ++counters_.since;
    return bytes;
  }
  const auto state = snapshots_.get(id, properties, Audience::ghost, bus::io::boot_now());
  // A state beyond the limit is empty, which no mirror takes.
  return state ? bus::Bytes(state->begin(), state->end()) : bus::Bytes{};
}

entity::DataResult<> EntitySync::show(Entity& entity, Audience audience,
                                      const entity::Version& since) {
  Root* const properties = entity.properties();
  if (properties == nullptr || users_.sink == nullptr) {
    return entity::DataError(entity::DataErrc::wrong_audience);
  }
  // A watcher that the packed state does not know would hear nothing where the entity lives next.
  if (entity.life() == entity::EntityState::frozen) {
    return entity::DataError(entity::DataErrc::frozen);
  }
  properties->watch(audience);
  properties->seal();
  entity::Scratch changes;
  if (since.lineage != 0 && properties->encode_delta(audience, since, changes.bytes())) {
    ++counters_.since;
    users_.sink->news(entity, audience, bus::ByteView(changes.bytes()));
    return {};
  }
  const auto state = snapshots_.get(id_of(entity), *properties, audience, bus::io::boot_now());
  if (!state) return state.error();
  ++counters_.snapshots;
  // A copy: the sink may lead to another one.
  changes.bytes().assign(state->begin(), state->end());
  users_.sink->news(entity, audience, bus::ByteView(changes.bytes()));
  return {};
}

const replica::Publisher* EntitySync::publisher(const Entity& entity) const {
  const auto found = publishers_.find(id_of(entity));
  return found == publishers_.end() ? nullptr : found->second.get();
}

/// Within a write: only noted.
void EntitySync::changed(std::uint64_t tag) {
  const bool first = changed_.empty();
  changed_.push_back(tag);
  if (first && users_.wanted) users_.wanted();
}

bool EntitySync::pass(entity::EntityManager& entities, std::size_t most,
                      const entity::rpc::PassTime& time) {
  snapshots_.expire(bus::io::boot_now());
  if (telling_.empty()) {
    if (changed_.empty()) return false;
    telling_.swap(changed_);
    ended_.clear();
    ++counters_.ticks;
  }
  const std::size_t end = std::min(telling_.size(), next_ + most);
  while (next_ < end) {
    Entity* const entity = entities.find_here(entity::OnlineId{telling_[next_++]});
    if (entity != nullptr && entity->life() != entity::EntityState::frozen) {
      // Before its news: they may lead to its next change.
      if (Root* const properties = entity->properties()) properties->listen(this, id_of(*entity));
      tell(*entity);
    }
    if (time.over()) break;
  }
  if (users_.sink != nullptr) users_.sink->pass_ended();
  if (next_ < telling_.size()) return true;
  telling_.clear();
  next_ = 0;
  return false;
}

/// Ghosts first: clients may ask them. An entity that is listed stays so: its turn in the tick
/// finds no news, or what has come since. A frozen entity tells where it lives next: see goes_on().
void EntitySync::tell(Entity& entity) {
  Root* const properties = entity.properties();
  if (properties == nullptr || entity.life() == entity::EntityState::frozen) return;
  const Reach news = properties->news();
  for (std::size_t i = 0; i < entity::kAudiences && news != 0; ++i) {
    const auto audience = static_cast<Audience>(i);
    if ((news & bit_of(audience)) != 0) tell_one(entity, *properties, audience);
  }
}

/// Ids of ended entities go when they are half of the list: else entities that come, change and end
/// within one long tick would make it grow.
void EntitySync::forget(Entity& entity) {
  publishers_.erase(id_of(entity));
  snapshots_.forget(id_of(entity));
  const Root* const properties = entity.properties();
  if (properties == nullptr || properties->listened()) return;
  ended_.insert(id_of(entity));
  if (ended_.size() < kTickEntities || 2 * ended_.size() < changed_.size()) return;
  std::erase_if(changed_, [this](std::uint64_t id) { return ended_.contains(id); });
  ended_.clear();
}

void EntitySync::tell_one(Entity& entity, Root& properties, Audience audience) {
  if (audience == Audience::own_client && users_.client && users_.client(entity, properties)) {
    return;
  }
  const auto publisher =
      audience == Audience::ghost ? publishers_.find(id_of(entity)) : publishers_.end();
  const bool mirrored = publisher != publishers_.end();
  if (users_.sink == nullptr && !mirrored) return;
  entity::Scratch news;
  if (const auto taken = properties.take_news(audience, news.bytes()); !taken) {
    ++counters_.too_large;
    return spdlog::error("entities: {} has changes for {} that cannot be sent: {}", entity.label(),
                         name_of(view_of(audience)), taken.error().to_string());
  }
  ++counters_.told;
  counters_.bytes += news.bytes().size();
  snapshots_.forget(id_of(entity), audience);
  const bus::ByteView bytes(news.bytes());
  if (mirrored) publisher->second->publish(bytes);
  if (users_.sink != nullptr) users_.sink->news(entity, audience, bytes);
}

}  // namespace starbus::nodes::entities
