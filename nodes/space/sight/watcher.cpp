#include "nodes/space/sight/watcher.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "entity/client/link.hpp"
#include "entity/objects/entity.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/now.hpp"
#include "nodes/space/sight/space_sight.hpp"

namespace starbus::nodes::sight {

bool Watcher::ready(entity::rpc::Caller&, std::uint32_t scene) {
  return view_.ready(scene);
}

movement::MoveAck Watcher::move(entity::rpc::Caller&, const movement::MoveReport& report) {
  Mover* const mover = entity().component<Mover>();
  return mover == nullptr ? movement::MoveAck{} : mover->take(report);
}

// --- its stay in a space -------------------------------------------------------------------------

SightResult<> Watcher::enters(SpaceSight& sight, aoi::EntityId id, aoi::SensorId sensor,
                              const WatchOptions& how) {
  auto view = SightView::create(how.view);
  if (!view) return view.error();
  view->go_on_from(view_.number());
  view_ = std::move(*view);
  setup_ = how.setup;
  if (setup_.size() > kSceneSetup) {
    spdlog::error("sight: the setup of a scene of {} has {} bytes: it is left out",
                  entity().label(), setup_.size());
    setup_.clear();
  }
  sight_ = &sight;
  id_ = id;
  sensor_ = sensor;
  crowded_ = false;
  idle_.cancel_all();
  return {};
}

void Watcher::leaves() {
  sight_ = nullptr;
  view_.forget_all();
  look_when_idle();
}

void Watcher::came_in_sight(aoi::EntityId target, std::shared_ptr<Subject> subject) {
  if (view_.enters(target, std::move(subject))) return;
  ++sight_->store().counters().crowded;
  crowded_ = true;
}

// --- its client ----------------------------------------------------------------------------------

/// A client that knows nothing has a run of its own: it begins with a scene.
bool Watcher::may_tell() {
  const entity::sessions::ClientLink* const link = entity().client_link();
  if (link == nullptr || !link->linked()) return false;
  if (entity().life() != entity::EntityState::alive) return false;
  if (link->state().run != run_) {
    run_ = link->state().run;
    if (Mover* const mover = entity().component<Mover>()) mover->client_begins();
    view_.begin_scene();
  }
  return entity().client().wants_sight();
}

void Watcher::tell() {
  if (crowded_ && view_.has_room()) {
    crowded_ = false;
    sight_->show_again(*this);
  }
  if (!may_tell()) return;
  bus::Bytes body;
  TickStore& store = sight_->store();
  if (view_.scene_due()) {
    Scene first = scene();
    view_.tell_scene(first, body);
    ++store.counters().scenes;
  } else if (!view_.make(store, sight_->place_of(id_), body)) {
    return;
  }
  say(std::move(body));
}

/// What was not taken is told again with a scene. The entity may end within this.
void Watcher::say(bus::Bytes body) {
  if (const auto said = entity().client().sight(std::move(body)); !said) view_.begin_scene();
}

Scene Watcher::scene() const {
  Scene scene{.time = static_cast<std::uint32_t>(now_ms())};
  if (sight_ == nullptr) return scene;
  scene.space = sight_->facts().name;
  scene.grid = sight_->store().grid();
  scene.tick_ms = sight_->facts().tick_ms;
  const bus::ByteView setup = bus::as_bytes(setup_);
  scene.setup.assign(setup.begin(), setup.end());
  const Mover* const mover = entity().component<Mover>();
  if (mover == nullptr || !mover->is_in_space()) return scene;
  if (mover->check() != nullptr) scene.epoch = mover->check()->epoch();
  const auto body = sight_->store().encoder().encode(mover->state(), Detail::fine, scene.time);
  if (body) scene.move.assign(body->view().begin(), body->view().end());
  return scene;
}

/// In a space its ticks look.
void Watcher::look_when_idle() {
  idle_.cancel_all();
  entity::TimerWheel* const timers = world().find_timers();
  if (timers == nullptr || entity().life() == entity::EntityState::ending) return;
  const auto set = timers->every(idle_, kIdleLook, kIdleLook, entity::CatchUp::once, [this] {
    if (sight_ != nullptr || !may_tell() || !view_.scene_due()) return;
    bus::Bytes body;
    Scene nowhere = scene();
    view_.tell_scene(nowhere, body);
    say(std::move(body));
  });
  if (!set) {
    spdlog::error("sight: no timer for {}: {}", entity().label(), set.error().to_string());
  }
}

// --- the life of its entity ----------------------------------------------------------------------

entity::EntityResult<> Watcher::on_activate() {
  if (sight_ == nullptr) look_when_idle();
  return {};
}

void Watcher::on_deactivate(entity::EndReason) {
  idle_.cancel_all();
}

entity::EntityResult<> Watcher::on_before_move(entity::Encoder& out) {
  out.number(view_.number());
  return {};
}

entity::EntityResult<> Watcher::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr) return {};
  view_.go_on_from(arrived->number<std::uint32_t>());
  if (!arrived->ok()) return entity::EntityErrc::bad_state;
  return {};
}

}  // namespace starbus::nodes::sight
