#include "examples/arena/hero.hpp"

#include <spdlog/spdlog.h>

#include "entity/archive/signature.hpp"
#include "entity/objects/announce.hpp"
#include "examples/arena/arena_client.hpp"
#include "examples/arena/field.hpp"
#include "examples/arena/monster.hpp"
#include "nodes/hosting/mail/post.hpp"
#include "nodes/space/node/space_host.hpp"

namespace arena {

using namespace std::chrono_literals;

namespace {

constexpr auto kBetweenWords = 200ms;
constexpr auto kParcelsAgain = 10s;
constexpr std::int32_t kDamage = 12;
const entity::PseudoRandomRate kCritical = *entity::PseudoRandomRate::of(0.2);

}  // namespace

std::string Hero::account() const {
  const std::string id = persistent_id();
  return id.substr(0, id.rfind('.'));
}

Field* Hero::field() const {
  return dynamic_cast<Field*>(world().get<space::SpaceHost>().find(space()));
}

// --- coming, and going ---------------------------------------------------------------------------

// Its client walks it, and while there is none nobody does: monsters only keep away from it.
entity::EntityResult<> Hero::on_init() {
  static_cast<void>(component<crowds::ActorNav>()->set({.passive = true}));
  return {};
}

void Hero::on_online(bool) {
  if (state.name.get().empty()) state.name = account();
  if (state.health <= 0) state.health = kFullHealth;
  static_cast<void>(client().join(kWorld));  // groups end with the client
  static_cast<void>(run_every<&Hero::send_parcels>(kParcelsAgain));
  tell_unread();
  come_in();
}

void Hero::come_in() {
  if (space() != entity::OnlineId::none) return;
  const std::string place = state.place.get();
  if (place.empty()) return travel({kFirstPlace, ""}, {});
  travel({place, ""}, starbus::aoi::Position{state.x, state.y, 0});
}

void Hero::travel(space::PlaceId place, std::optional<starbus::aoi::Position> at) {
  remember_place();
  space::Wish wish;
  wish.place = std::move(place);
  wish.at = at;
  // How it ends is told by on_travel_ended, wherever it lives then.
  world().get<space::Travels>().travel(*this, wish, [](const space::Result<space::Travelled>&) {});
}

void Hero::on_travel_ended(const space::Result<space::Travelled>& end) {
  if (end) {
    state.place = end->space.place.type;
    state.space = to_string(end->space);
    state.node = end->node;
    return remember_place();
  }
  spdlog::info("{}: stays where it is: {}", label(), end.error().to_string());
  if (space() != entity::OnlineId::none) return;
  state.place = std::string(kFirstPlace);  // the place that it knew may be gone
  static_cast<void>(run_later<&Hero::come_in>({.first = 1s}));
}

void Hero::remember_place() {
  if (!mover().is_in_space()) return;
  const auto& at = mover().state().position;
  state.x = at.x;
  state.y = at.y;
}

// --- words ---------------------------------------------------------------------------------------

bool Hero::may_talk() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_word_) return false;
  next_word_ = now + kBetweenWords;
  return true;
}

bus::Result<> Hero::say(rpc::Caller&, std::string text) {
  if (text.empty() || text.size() > kLongestText) return bus::Errc::too_large;
  Field* const here = field();
  if (here == nullptr || !may_talk()) return bus::Errc::would_block;
  here->for_each_player([&](entity::Entity& each) {
    static_cast<void>(each.client().call<&ArenaClient::said>("space", account(), text));
  });
  return {};
}

rpc::Task<bus::Result<>> Hero::whisper(rpc::Caller&, std::string to, std::string text) {
  if (to.empty() || text.empty() || text.size() > kLongestText) co_return bus::Errc::too_large;
  if (!may_talk()) co_return bus::Errc::would_block;
  // A letter: it is kept while the other one is away.
  const std::string channel = "player/" + to + ".1";
  const std::string who = account();
  const auto number = co_await nodes::entities::post<&Hero::heard>(*this, channel, who, text);
  if (!number) co_return number.error();
  co_return bus::Result<>();
}

void Hero::heard(const nodes::entities::MailInfo&, std::string who, std::string text) {
  state.letters += 1;
  if (client().call<&ArenaClient::said>("whisper", who, text)) return;
  if (state.unread.size() >= kUnread) static_cast<void>(state.unread.erase_at(0));
  static_cast<void>(state.unread.push_back({std::move(who), std::move(text)}));
}

void Hero::tell_unread() {
  for (const Unread& each : state.unread) {
    if (!client().call<&ArenaClient::said>("whisper", each.who, each.text)) return;
  }
  if (!state.unread.empty()) static_cast<void>(state.unread.clear());
}

bus::Result<> Hero::shout(rpc::Caller&, std::string text) {
  if (text.empty() || text.size() > kLongestText) return bus::Errc::too_large;
  if (!may_talk()) return bus::Errc::would_block;
  if (entity::announce<&ArenaClient::said>(world().rpc(), kWorld, std::string("world"), account(),
                                           text)) {
    return {};
  }
  return bus::Errc::would_block;
}

// --- blows ---------------------------------------------------------------------------------------

bool Hero::attack(rpc::Caller&, std::uint64_t monster) {
  const auto now = std::chrono::steady_clock::now();
  Field* const here = field();
  if (here == nullptr || !is_alive() || now < next_strike_) return false;
  auto* const target = here->entities().find_as<Monster>(entity::OnlineId{monster});
  if (target == nullptr || target->space() != space()) return false;
  const auto& from = mover().state().position;
  const auto& to = target->place();
  if (std::hypot(from.x - to.x, from.y - to.y) > kReach) return false;
  next_strike_ = now + kBetweenStrikes;
  const auto critical = component<entity::Luck>()->roll("critical", kCritical);
  const std::int32_t damage = critical && *critical ? 3 * kDamage : kDamage;
  target->hurt(*this, damage);  // it may be about to end, and is still there
  static_cast<void>(
      client().call<&ArenaClient::struck>(monster, damage, target->state.health.get()));
  return true;
}

void Hero::hurt(std::int32_t damage) {
  if (!is_alive()) return;
  state.health = std::max(0, state.health.get() - damage);
  static_cast<void>(client().call<&ArenaClient::struck>(static_cast<std::uint64_t>(online_id()),
                                                        damage, state.health.get()));
  if (is_alive()) return;
  state.health = kFullHealth;
  if (Field* const here = field()) static_cast<void>(mover().teleport(here->entrance(*this)));
}

void Hero::loot(std::int32_t gold) {
  state.kills += 1;
  if (gold <= 0) return;
  state.gold += gold;
  state.looted += gold;
  static_cast<void>(client().call<&ArenaClient::looted>(gold));
}

// --- gold ----------------------------------------------------------------------------------------

// What was given is saved before it is posted, and posted under a key of its own until the store
// has it: so a hero that dies in between has either given it or not, and nobody gets it twice.
bool Hero::give(rpc::Caller&, std::string to, std::int32_t gold) {
  if (to.empty() || to.size() > kLongestText || to == account()) return false;
  if (gold <= 0 || gold > state.gold || state.parcels.size() >= kParcels) return false;
  state.gold -= gold;
  state.given += gold;
  state.last_parcel += 1;
  static_cast<void>(state.parcels.put(state.last_parcel.get(), Parcel{std::move(to), gold}));
  send_parcels();
  return true;
}

void Hero::send_parcels() {
  if (state.parcels.empty()) return;
  const auto id = online_id();
  auto* const host = &world().get<nodes::entities::EntityHost>();
  host->save_now(*this, [host, id, last = state.last_parcel.get()](const bus::Result<>& saved) {
    auto* const self = host->entities().find_as<Hero>(id);
    if (saved && self != nullptr) self->post_parcels(last);
  });
}

void Hero::post_parcels(std::uint64_t last) {
  const auto id = online_id();
  auto* const host = &world().get<nodes::entities::EntityHost>();
  for (const auto& [number, parcel] : state.parcels) {
    if (number > last) break;  // not saved yet
    nodes::entities::MailOptions how;
    how.key = "gold/" + std::to_string(entity::hash_of(account())) + "/" + std::to_string(number);
    nodes::entities::post<&Hero::paid>(
        *this, "player/" + parcel.to + ".1", how, account(),
        parcel.gold)([host, id, number = number](const bus::Result<std::uint64_t>& stored) {
      auto* const self = host->entities().find_as<Hero>(id);
      if (stored && self != nullptr) {
        static_cast<void>(self->state.parcels.erase(number));
      }
    });
  }
}

void Hero::paid(const nodes::entities::MailInfo&, std::string who, std::int32_t gold) {
  state.gold += gold;
  state.received += gold;
  static_cast<void>(client().call<&ArenaClient::paid>(who, gold));
}

}  // namespace arena
