#include "nodes/runtime/offers.hpp"

#include <algorithm>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::nodes {
namespace {
constexpr auto kIgnore = [](const bus::Result<>&) {};
}  // namespace

bus::Result<> Offers::add(std::string name, entity::rpc::CallableBase& host) {
  Offer offer;
  offer.name = std::move(name);
  offer.host = &host;
  return add(std::move(offer));
}

bus::Result<> Offers::add(std::string name, bus::Handlers handlers) {
  Offer offer;
  offer.name = std::move(name);
  offer.handlers = std::move(handlers);
  return add(std::move(offer));
}

bus::Result<> Offers::add(Offer offer) {
  if (const auto checked = bus::check_channel_name(offer.name); !checked) return checked.error();
  const auto same = [&](const auto& other) { return other->name == offer.name; };
  if (std::ranges::any_of(offers_, same)) {
    return bus::Error(bus::Errc::bad_config, offer.name + " is offered twice");
  }
  if (offers_.size() == kMaxOffers) {
    return bus::Error(bus::Errc::bad_config, "more than " + std::to_string(kMaxOffers) + " offers");
  }
  const auto is_first = [](const auto& other) { return other->stage == Stage::first; };
  if (bus::is_shared_name(offer.name) || bus::is_group_name(offer.name)) {
    offer.stage = Stage::shared;
  } else {
    offer.stage = std::ranges::any_of(offers_, is_first) ? Stage::owned : Stage::first;
  }
  offers_.push_back(std::make_unique<Offer>(std::move(offer)));
  return {};
}

void Offers::bind(std::string last, Done done) {
  const auto round = std::make_shared<Round>();
  round->done = std::move(done);
  round_ = round;
  last_.name = std::move(last);
  ask_stage(round);
}

void Offers::ask_stage(const std::shared_ptr<Round>& round) {
  // One more than there are, so that it cannot end before all have been asked for.
  round->waiting = 1;
  const auto ask_if_due = [&](Offer& offer) {
    if (offer.asked || offer.stage != round->stage) return;
    ++round->waiting;
    ask(offer, round);
  };
  for (const auto& offer : offers_) ask_if_due(*offer);
  ask_if_due(last_);
  answered(round);
}

void Offers::answered(const std::shared_ptr<Round>& round) {
  if (--round->waiting > 0) return;
  if (!round->result) {
    give_up_all();
  } else if (round->stage = static_cast<Stage>(static_cast<int>(round->stage) + 1);
             round->stage != Stage::end) {
    return ask_stage(round);
  }
  round_ = nullptr;
  round->done(round->result);
}

void Offers::ask(Offer& offer, const std::shared_ptr<Round>& round) {
  offer.asked = true;
  auto granted_later = [this, &offer, round,
                        weak = std::weak_ptr(alive_)](bus::Result<bus::Bound> bound) {
    if (!weak.expired()) granted(offer, round, std::move(bound));
  };
  if (offer.host != nullptr) {
    endpoint_.bind(offer.name, *offer.host, std::move(granted_later));
  } else {
    endpoint_.bus().bind(offer.name, offer.handlers, std::move(granted_later));
  }
}

void Offers::granted(Offer& offer, const std::shared_ptr<Round>& round,
                     bus::Result<bus::Bound> bound) {
  if (round != round_) {
    if (bound) endpoint_.unbind(bound->name, kIgnore);
    return;
  }
  if (bound) {
    offer.bound = std::move(bound->name);
  } else {
    offer.asked = false;
    if (round->result) {
      round->result = bus::Error(bound.error().code, offer.name + ": " + bound.error().detail);
    }
  }
  answered(round);
}

void Offers::give_up(Offer& offer) {
  if (!std::exchange(offer.asked, false)) return;
  // By the name that was asked for, if it is not granted yet: then it never is.
  const std::string name = offer.bound.empty() ? offer.name : std::exchange(offer.bound, {});
  endpoint_.unbind(name, kIgnore);
}

void Offers::give_up_all() {
  give_up(last_);
  for (const auto& offer : offers_) give_up(*offer);
}

void Offers::withdraw() {
  round_ = nullptr;
  give_up_all();
}

void Offers::forget() {
  round_ = nullptr;
  const auto lose = [](Offer& offer) {
    offer.asked = false;
    offer.bound.clear();
  };
  lose(last_);
  for (const auto& offer : offers_) lose(*offer);
}

std::vector<Offers::Row> Offers::rows() const {
  std::vector<Row> rows;
  for (const auto& offer : offers_) rows.push_back({offer->name, offer->bound});
  return rows;
}

std::size_t Offers::bound() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(offers_, [](const auto& offer) { return !offer->bound.empty(); }));
}

}  // namespace starbus::nodes
