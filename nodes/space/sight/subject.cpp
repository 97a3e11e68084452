#include "nodes/space/sight/subject.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace starbus::nodes::sight {
namespace {

constexpr entity::Audience kOthers = entity::Audience::other_clients;

bool others_see(const entity::Root& properties) {
  return std::ranges::any_of(properties.schema().fields(), [](const entity::FieldInfo& field) {
    return (field.reach & bit_of(kOthers)) != 0;
  });
}

}  // namespace

/// It stays watched when it leaves: whoever comes back later asks for what has changed since.
Subject::Subject(std::uint64_t id, std::string_view class_name, entity::Root* properties)
    : id_(id),
      class_name_(class_name),
      properties_(properties != nullptr && others_see(*properties) ? properties : nullptr),
      named_(class_name.size() <= kSightClass) {
  if (properties_ == nullptr) return;
  properties_->watch(kOthers);
  version_ = properties_->version(kOthers);
}

void Subject::retire() {
  here_ = false;
  properties_ = nullptr;
}

void Subject::set_move(const Locomotion& move) {
  Locomotion same = move;
  same.at = move_.at;
  if (moved_ != 0 && same == move_) return;
  move_ = move;
  ++moved_;
}

const MoveBody& Subject::body(TickStore& store, Detail detail) {
  const auto place = static_cast<std::size_t>(detail);
  if (bodies_at_[place] == store.tick() && bodies_moved_[place] == moved_) return bodies_[place];
  bodies_at_[place] = store.tick();
  bodies_moved_[place] = moved_;
  ++store.counters().moves_encoded;
  // What is kept in move_ was checked by whoever set it.
  const auto body = store.encoder().encode(move_, detail, store.time());
  bodies_[place] = body ? *body : MoveBody();
  return bodies_[place];
}

void Subject::refresh(TickStore& store) {
  if (!named_ && !too_large_) return not_shown(store);
  if (properties_ == nullptr) return;
  properties_->seal();
  const entity::Version now = properties_->version(kOthers);
  if (now == version_) return;
  version_ = now;
  too_large_ = !named_;
}

void Subject::not_shown(TickStore& store) {
  too_large_ = true;
  if (std::exchange(noted_, true)) return;
  ++store.counters().too_large;
  if (!named_) {
    return spdlog::error("sight: entities of {} are not shown: their class name is too long",
                         class_name_);
  }
  spdlog::error("sight: {} {:x} is not shown: its properties are too large for clients",
                class_name_, id_);
}

std::optional<bus::ByteView> Subject::snapshot(TickStore& store) {
  if (!shown()) return std::nullopt;
  if (properties_ == nullptr) return bus::ByteView();
  properties_->seal();
  version_ = properties_->version(kOthers);
  if (store.has(snapshot_) && snapshot_version_ == version_) return store.view(snapshot_);
  if (store.full()) return std::nullopt;
  const std::size_t from = store.bytes().size();
  ++store.counters().snapshots_encoded;
  const auto encoded = properties_->encode_snapshot(view_of(kOthers), store.bytes());
  if (!encoded || store.bytes().size() - from > kSightState) {
    store.bytes().resize(from);
    not_shown(store);
    return std::nullopt;
  }
  noted_ = false;
  snapshot_ = store.stored(from);
  snapshot_version_ = version_;
  return store.view(snapshot_);
}

std::optional<bus::ByteView> Subject::changes(TickStore& store, const entity::Version& since) {
  if (!shown() || properties_ == nullptr) return std::nullopt;
  for (const Delta& delta : deltas_) {
    if (store.has(delta.place) && delta.since == since && delta.to == version_) {
      return store.view(delta.place);
    }
  }
  if (store.full()) return std::nullopt;
  const std::size_t from = store.bytes().size();
  const auto encoded = properties_->encode_delta(kOthers, since, store.bytes());
  if (!encoded || store.bytes().size() - from > kSightState) {
    store.bytes().resize(from);
    return snapshot(store);
  }
  ++store.counters().deltas_encoded;
  // Written until now, and not only until refresh(): whoever takes it has that version.
  version_ = properties_->version(kOthers);
  const TickStore::Place place = store.stored(from);
  const auto free =
      std::ranges::find_if(deltas_, [&](const Delta& delta) { return !store.has(delta.place); });
  if (free != deltas_.end()) *free = {place, since, version_};
  return store.view(place);
}

}  // namespace starbus::nodes::sight
