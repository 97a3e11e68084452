#include "tests/sim/spaces/hero.hpp"

#include <utility>

#include "nodes/space/node/space_host.hpp"

namespace starbus::sim {

using std::chrono::milliseconds;

void Pacing::on(const entity::DeadlinePassed&, Walk& walk) {
  Hero& hero = walk.owner();
  hero.oracle().round(hero.life_number(), rounds + 1);
  if (!hero.oracle().rests) hero.state.paces += 1;
  static_cast<void>(walk.change_to(Pacing{rounds + 1}));
}

Hero::Hero() : walk_("walk", *this, world().timers(), machines()) {}

std::optional<HeroSaved> saved_in(const nodes::db::Json& document) {
  const auto found = document.find("saved");
  if (found == document.end()) return std::nullopt;
  const auto& bytes = found->get_binary();
  HeroState state;
  const auto* const begin = reinterpret_cast<const std::byte*>(bytes.data());
  if (!state.load_saved({begin, bytes.size()})) return std::nullopt;
  return HeroSaved{state.gold.get(), state.purse.get()};
}

// --- what it does --------------------------------------------------------------------------------

/// One that is frozen does nothing, and hears nothing.
void Hero::acts(const char* what) const {
  oracle().demand(life() == entity::EntityState::alive,
                  persistent_id() + " " + what + " while it is " + std::string(name_of(life())));
}

void Hero::earn(SpacesOracle::Job job) {
  acts("earns");
  oracle().did(job, life_);
  state.gold += 1;
}

std::int64_t Hero::buy(rpc::Caller&, SpacesOracle::Job job) {
  acts("buys");
  oracle().did(job, life_);
  state.purse += 1;
  return state.purse.get();
}

void Hero::hear(rpc::Caller&, std::string sender, std::uint64_t number) {
  acts("hears");
  oracle().heard(persistent_id(), sender, number);
}

void Hero::talk() {
  if (client().call<&HeroClient::tell>(told_ + 1)) ++told_;
}

void Hero::settle() {
  if (space() != entity::OnlineId::none || !client()) return;
  space::Wish wish;
  wish.place.type = "field";
  wish.patience = milliseconds(5'000);
  auto& travels = world().get<space::Travels>();
  if (travels.is_travelling(*this)) return;
  travels.travel(*this, wish, [](const space::Result<space::Travelled>&) {});
}

void Hero::on_online(bool back) {
  ++oracle().counts[back ? "clients back" : "clients come"];
  settle();
}

// --- how it is -----------------------------------------------------------------------------------

space::GameSpace* Hero::here() const {
  return world().get<space::SpaceHost>().find(space());
}

int Hero::rounds() {
  const Pacing* const pacing = walk_.state<Pacing>();
  return pacing == nullptr ? -1 : pacing->rounds;
}

HeroPicture Hero::picture() {
  HeroPicture now{.space = space(),
                  .at = {},
                  .gold = state.gold.get(),
                  .purse = state.purse.get(),
                  .paces = state.paces.get(),
                  .life = life_cycle().state_name(),
                  .rounds = rounds()};
  if (space::GameSpace* const in = here(); in != nullptr && in->has(*this)) {
    now.at = in->aoi().position(*in->aoi_id(*this));
  }
  return now;
}

void Hero::begin_life(int rounds) {
  life_ = oracle().new_life(persistent_id(), rounds);
  state.life = static_cast<std::int64_t>(life_);
}

// --- its moves -----------------------------------------------------------------------------------

entity::EntityResult<> Hero::on_activate() {
  if (const auto base = EntityOf::on_activate(); !base) return base;
  if (life_ == 0) begin_life(0);
  active_ = true;
  return run_every<&Hero::settle>(milliseconds(1'000));
}

void Hero::on_deactivate(entity::EndReason reason) {
  if (!active_ || reason == entity::EndReason::moved) return;
  // Without its lease a process does not know whether a move from it has come to its end.
  if (reason == entity::EndReason::fenced) return oracle().in_doubt(life_);
  oracle().demand(!packed_ || oracle().is_in_doubt(life_),
                  persistent_id() + " ends here while it is on its way");
  const bool placed = space() != entity::OnlineId::none;
  oracle().life_ends(life_, std::string(name_of(reason)) + (placed ? ", in a space" : ""));
}

entity::EntityResult<> Hero::on_enter_space(entity::OnlineId, entity::EnterReason) {
  if (oracle().refusals == 0) return {};
  --oracle().refusals;
  return entity::EntityError(entity::EntityErrc::hook_failed, "not here");
}

entity::EntityResult<> Hero::on_before_move(entity::Encoder& out) {
  if (oracle().stays > 0) {
    --oracle().stays;
    return entity::EntityError(entity::EntityErrc::hook_failed, "not now");
  }
  out.number(life_);
  out.number(told_);
  packed_ = picture();
  return {};
}

/// One whose move was given up is as it was; its space may have ended meanwhile.
entity::EntityResult<> Hero::on_after_move(entity::Decoder* in) {
  if (in != nullptr) {
    life_ = in->number<SpacesOracle::Life>();
    told_ = in->number<std::uint64_t>();
    return {};
  }
  if (!packed_) return {};
  HeroPicture now = picture();
  if (here() == nullptr) now.space = packed_->space, now.at = packed_->at;
  ++oracle().counts["moves given up"];
  oracle().demand(now == *packed_, persistent_id() + " is not as it was before its move");
  packed_.reset();
  return {};
}

void Hero::on_travel_ended(const space::Result<space::Travelled>& end) {
  ++oracle().counts[end ? "travels: ok" : "travels: " + std::string(name_of(end.error().code))];
  const entity::OnlineId from = std::exchange(left_from_, entity::OnlineId::none);
  if (end) return;
  oracle().demand(from == entity::OnlineId::none || from == space() ||
                      world().get<space::SpaceHost>().find(from) == nullptr,
                  persistent_id() + " is not where it was before a travel that has failed: " +
                      end.error().to_string());
  if (end.error() == bus::Errc::rolled_back) {
    oracle().in_doubt(life_);
    begin_life(rounds());
  }
}

}  // namespace starbus::sim
