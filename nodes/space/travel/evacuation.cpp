#include "nodes/space/travel/evacuation.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/io/clock.hpp"

namespace starbus::nodes::space {
namespace {

using bus::io::boot_now;
using entity::Entity;
using entity::OnlineId;
using std::chrono::milliseconds;

}  // namespace

void Evacuation::begin() {
  began_ = reported_ = boot_now();
  until_ = began_ + travels_.options_.evacuate_time;
  const auto set = travels_.timers_.every(alarm_, entity::Time{0}, kEvacuateEvery,
                                          entity::CatchUp::once, [this] { look(); });
  if (set) return;
  spdlog::error("spaces: no timer for the drain: players end with their spaces");
  boost::asio::post(travels_.endpoint_.loop(), [this, weak = std::weak_ptr(travels_.alive_)] {
    if (!weak.expired()) end();
  });
}

/// A slice: as many are asked for, and begin, as there is room for. Those who were on their way
/// here when the drain began come meanwhile.
void Evacuation::look() {
  if (travels_.options_.cluster_ends && travels_.options_.cluster_ends()) return stay();
  if (boot_now() >= until_) return end();
  find_players();
  for (std::size_t tried = 0; tried < kEvacuateAtOnce; ++tried) {
    if (under_way_ >= kEvacuateAtOnce || waiting_.empty()) break;
    const OnlineId id = waiting_.front();
    waiting_.pop_front();
    try_next(id);
  }
  const bool busy = under_way_ > 0 || !waiting_.empty() || travels_.size() > 0;
  if (!busy && travels_.spaces_.expected() == 0) return end();
  if (boot_now() - reported_ < kEvacuateReport) return;
  reported_ = boot_now();
  report();
}

void Evacuation::find_players() {
  travels_.spaces_.for_each([this](GameSpace& space) {
    if (space.players() == 0) return;
    space.for_each_player([&](const Entity& entity) {
      if (!players_.contains(entity.online_id())) found(entity);
    });
  });
}

/// One that travels already, by its own will, may come to nothing: it is looked at again.
void Evacuation::found(const Entity& entity) {
  if (entity.life() != entity::EntityState::alive || travels_.is_travelling(entity)) return;
  Player& player = players_[entity.online_id()];
  if (entity.component<Traveller>() == nullptr) {
    player.why = Error(Errc::no_traveller);
  } else {
    waiting_.push_back(entity.online_id());
  }
}

/// One that is in no space any more, or changes it by itself, is looked for again.
void Evacuation::ask_where_to(OnlineId id) {
  Entity* const entity = travels_.entities_.entities().find(id);
  GameSpace* const space = entity == nullptr ? nullptr : travels_.spaces_.find(entity->space());
  if (space == nullptr || travels_.is_travelling(*entity)) {
    players_.erase(id);
    return;
  }
  Player& player = players_.at(id);
  player.asked = true;
  const auto at = space->aoi().position(*space->aoi_id(*entity));
  guarded(UnitKind::hook, std::string_view("where_to"), [&] {
    player.ways = travels_.options_.where_to(*entity, {space->name(), space->type(), at, true});
  });
  if (player.ways.size() > kMaxWays) player.ways.resize(kMaxWays);
  std::ranges::reverse(player.ways);  // the best one is the last
}

void Evacuation::try_next(OnlineId id) {
  if (!players_.at(id).asked) ask_where_to(id);
  const auto known = players_.find(id);
  if (known == players_.end() || known->second.ways.empty()) return;
  Player& player = known->second;
  Wish way = std::move(player.ways.back());
  player.ways.pop_back();
  const auto left = std::chrono::duration_cast<milliseconds>(until_ - boot_now());
  way.patience = std::clamp<milliseconds>(left, {}, travels_.options_.evacuate_ask);
  player.way = way;
  ++under_way_;
  travels_.begin(id, std::move(way), false,
                 [this, weak = std::weak_ptr(travels_.alive_), id](const Result<Travelled>& end) {
                   if (!weak.expired()) ended(id, end);
                 });
}

void Evacuation::ended(OnlineId id, const Result<Travelled>& end) {
  --under_way_;
  Player& player = players_.at(id);
  if (end) {
    ++moved_;
    players_.erase(id);
    return;
  }
  player.why = end.error();
  // Its coroutines and closures would end with this process, too.
  if (end.error() == bus::Errc::busy && !player.way.leave_behind) {
    player.way.leave_behind = true;
    player.ways.push_back(player.way);
  }
  if (end.error() == Errc::traveller_ended) {
    players_.erase(id);
  } else if (!ended_) {
    waiting_.push_back(id);
  }
}

std::size_t Evacuation::left() const {
  std::size_t sum = 0;
  travels_.spaces_.for_each([&](const GameSpace& space) { sum += space.players(); });
  return sum;
}

void Evacuation::report() const {
  spdlog::info(
      "spaces: the node drains: {} players have left for other nodes, {} are on their "
      "way, {} are here",
      moved_, under_way_, left());
}

void Evacuation::stay() {
  if (std::exchange(ended_, true)) return;
  alarm_.cancel_all();
  spdlog::info("spaces: the cluster ends: {} players stay, and end with their spaces", left());
  over_();
}

void Evacuation::end() {
  if (std::exchange(ended_, true)) return;
  alarm_.cancel_all();
  const std::size_t here = left();
  if (moved_ + here > 0) report();
  if (here > 0) name_those_left();
  over_();
}

void Evacuation::name_those_left() const {
  std::size_t named = 0;
  std::size_t others = 0;
  travels_.spaces_.for_each([&](GameSpace& space) {
    space.for_each_player([&](Entity& entity) {
      if (named == kNamedLeft) return static_cast<void>(++others);
      ++named;
      const auto found = players_.find(entity.online_id());
      const bool known = found != players_.end() && !found->second.why.code.is_ok();
      spdlog::warn("spaces: {} has not left {}, and ends with it: {}", entity.label(),
                   to_string(space.name()),
                   known ? found->second.why.to_string() : "the time of the drain is over");
    });
  });
  if (others > 0) spdlog::warn("spaces: {} more players have not left", others);
}

nlohmann::json Evacuation::shown() const {
  return {{"moved", moved_}, {"under_way", under_way_}, {"here", left()}, {"over", ended_}};
}

}  // namespace starbus::nodes::space
