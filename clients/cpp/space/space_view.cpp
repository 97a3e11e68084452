#include "clients/cpp/space/space_view.hpp"

#include <utility>

namespace starbus::game {
namespace {

constexpr double kTicksLate = 2;

}  // namespace

/// Takes the records of one body.
class SpaceView::Taking {
 public:
  Taking(SpaceView& view, Time now, std::vector<Told>& told)
      : view_(view), now_(now), told_(told) {}

  Taken operator()(Scene& scene) {
    told_.clear();  // of what was before it, nothing
    for (auto& each : view_.seen_) view_.gone_.push_back(std::move(each.second));
    view_.seen_.clear();
    view_.clock_ = {};  // that of the process that runs this space
    view_.clock_.heard(scene.time, now_.count());
    view_.time_ = scene.time;
    view_.scene_ = std::move(scene);
    ++view_.turn_;
    told_.push_back({Told::What::scene, nullptr, {}});
    return Taken::ok;
  }
  Taken operator()(const Enter& enter) {
    if (view_.seen_.contains(enter.index)) return Taken::malformed;
    const auto its = view_.classes_.find(enter.class_name);
    auto made = std::make_unique<Seen>(enter, its == view_.classes_.end() ? nullptr : &its->second,
                                       view_.options_.shown);
    Seen& seen = *made;
    view_.seen_.emplace(enter.index, std::move(made));
    const Taken taken = enter.properties.empty() ? Taken::ok : tell(seen, enter.properties);
    static_cast<void>(seen.take_changed());
    told_.push_back({Told::What::entered, &seen, {}});
    return taken;
  }
  Taken operator()(const Leave& leave) {
    const auto found = view_.seen_.find(leave.index);
    if (found == view_.seen_.end()) return Taken::malformed;
    told_.push_back({Told::What::left, found->second.get(), {}});
    view_.gone_.push_back(std::move(found->second));
    view_.seen_.erase(found);
    return Taken::ok;
  }
  Taken operator()(const SeenNews& news) {
    const auto found = view_.seen_.find(news.index);
    if (found == view_.seen_.end()) return Taken::malformed;
    Seen& seen = *found->second;
    const Taken taken = tell(seen, news.changes);
    const Changed changed = seen.take_changed();
    if (changed.any()) told_.push_back({Told::What::changed, &seen, changed});
    return taken;
  }
  Taken operator()(const MoveBatch& batch) {
    if (batch.epoch != view_.scene_->number) return Taken::ok;
    view_.time_ = batch.time;
    view_.clock_.heard(batch.time, now_.count());
    for (const SeenMove& each : batch.moves) {
      const auto found = view_.seen_.find(each.index);
      if (found != view_.seen_.end()) found->second->moved(each.move);
    }
    return Taken::ok;
  }

 private:
  Taken tell(Seen& seen, ByteView bytes) {
    const Taken taken = seen.told(bytes, view_.waits_);
    return taken == Taken::waits ? Taken::ok : taken;
  }

  SpaceView& view_;
  Time now_;
  std::vector<Told>& told_;
};

SpaceView::SpaceView(std::span<const SeenRow> classes, SpaceEvents& events,
                     const ViewOptions& options)
    : events_(events), options_(options) {
  for (const SeenRow& row : classes) classes_.try_emplace(row.class_name, row);
}

const Seen* SpaceView::at(std::uint16_t index) const {
  const auto found = seen_.find(index);
  return found == seen_.end() ? nullptr : found->second.get();
}

void SpaceView::each(const std::function<void(const Seen&)>& show) const {
  for (const auto& one : seen_) show(*one.second);
}

double SpaceView::shown_time(Time now) const {
  const double ticks = scene_ ? kTicksLate * scene_->tick_ms : 0;
  const double delay = options_.delay ? static_cast<double>(options_.delay->count()) : ticks;
  return server_time(now) - delay;
}

void SpaceView::restart(bool names) {
  waits_ = names;
  if (!scene_) return;
  scene_.reset();
  ++turn_;
  seen_.clear();
  clock_ = {};
  events_.on_scene(nullptr);
}

Taken SpaceView::end(Taken why) {
  gone_.clear();
  restart(waits_);
  return why;
}

Taken SpaceView::learn(const ServerNames& names) {
  waits_ = false;
  if (names.known && !names.same) {
    for (auto& each : classes_) each.second.layouts.learn(names);
  }
  std::vector<Told> told;
  for (const auto& each : seen_) {
    if (const Taken taken = each.second->release(); taken != Taken::ok) return end(taken);
    const Changed changed = each.second->take_changed();
    if (changed.any()) told.push_back({Told::What::changed, each.second.get(), changed});
  }
  tell(told);
  return Taken::ok;
}

Taken SpaceView::take(ByteView body, Time now) {
  std::optional<Ground> ground;
  if (scene_) ground = {scene_->grid, time_};
  auto records = read_sight(body, ground);
  if (!records) return end(Taken::malformed);
  std::vector<Told> told;
  for (SightRecord& record : records.value) {
    const Taken taken = std::visit(Taking(*this, now, told), record);
    if (taken != Taken::ok) return end(taken);
  }
  if (waits_ && held_bytes() > kHeldBytes) return end(Taken::gap);
  tell(told);
  gone_.clear();
  return Taken::ok;
}

std::size_t SpaceView::held_bytes() const {
  std::size_t sum = 0;
  for (const auto& each : seen_) sum += each.second->held_bytes();
  return sum;
}

void SpaceView::tell(const std::vector<Told>& all) {
  for (const Told& each : all) {
    switch (each.what) {
      case Told::What::scene:
        events_.on_scene(scene());
        break;
      case Told::What::entered:
        events_.on_entered(*each.seen);
        break;
      case Told::What::changed:
        events_.on_changed(*each.seen, each.changed);
        break;
      case Told::What::left:
        events_.on_left(*each.seen);
        break;
    }
  }
}

}  // namespace starbus::game
