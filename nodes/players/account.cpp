#include "nodes/players/account.hpp"

#include <algorithm>
#include <utility>

#include "bus/client/bus.hpp"
#include "nodes/players/character_name.hpp"

namespace starbus::nodes::players {
Account::Account() : life_("account", *this, world().timers(), &machines_) {}

entity::EntityResult<> Account::on_activate() {
  if (const auto base = EntityOf::on_activate(); !base) return base;
  std::optional<AccountRow> stored;
  if (const std::string& bytes = saved().sessions.get(); !bytes.empty()) {
    auto row = decode_row(bus::as_bytes(bytes));
    if (!row) {
      return entity::EntityError(entity::EntityErrc::hook_failed,
                                 channel() + ": what is stored of its sessions is malformed (" +
                                     row.error().to_string() + "); restore the document");
    }
    stored = std::move(*row);
  }
  core_.emplace(AccountOptions{channel(), channel(), true});
  auto effects = std::make_shared<AccountEffects>();
  core_->owned(world().rpc().bus().epoch(channel()).value, stored, *effects);
  // When it can be saved, and its machine runs.
  const auto later = after(entity::Time{0}, [this, effects](const entity::TimerFiring&) {
    if (!core_->row().session) static_cast<void>(core_->rest(*effects));
    const bool opened = static_cast<bool>(core_->row().session);
    carry_out(std::move(*effects));
    if (opened) static_cast<void>(life_.handle(detail::SessionOpened{}));
  });
  if (!later) return entity::EntityError(entity::EntityErrc::hook_failed, "no room for a timer");
  return {};
}

/// Its questions and their answers are here; where it is needed elsewhere it is loaded there.
entity::EntityResult<> Account::on_before_move(entity::Encoder&) {
  return entity::EntityError(entity::EntityErrc::hook_failed, channel() + ": accounts do not move");
}

// --- of its client -------------------------------------------------------------------------------

rpc::Task<Result<std::string>> Account::create(rpc::Caller&, std::string name) {
  if (!is_character_name(name)) co_return PlayerErrc::bad_name;
  if (saved().characters.size() >= kCharacters) co_return PlayerErrc::too_many_characters;
  if (auto may = may_create(name); !may) co_return may.error();
  saved().made += 1;
  Character made;
  made.id = persistent_id() + "." + std::to_string(saved().made.get());
  made.name = std::move(name);
  const std::string id = made.id.get();
  if (auto in = saved().characters.insert(saved().made.get(), std::move(made)); !in) {
    co_return Error(in.error());
  }
  const auto stored = co_await world().get<entities::EntityHost>().save_now(*this);
  if (!stored) co_return stored.error();
  co_return id;
}

rpc::Task<Result<>> Account::remove(rpc::Caller&, std::string id) {
  const auto number = number_of(id);
  if (!number) co_return PlayerErrc::no_character;
  if (core_->row().subject == channel_of(id)) co_return PlayerErrc::character_plays;
  static_cast<void>(saved().characters.erase(*number));
  co_return co_await world().get<entities::EntityHost>().save_now(*this);
}

Result<> Account::choose(rpc::Caller&, std::string id) {
  if (!number_of(id)) return PlayerErrc::no_character;
  if (!life_.is<detail::Lobby>()) return PlayerErrc::busy;
  AccountEffects effects;
  const AccountRow& row = core_->row();
  auto chosen = core_->choose(row.session, row.bind, channel_of(id), effects);
  if (chosen) static_cast<void>(life_.change_to(detail::Choosing{}));
  carry_out(std::move(effects));
  return chosen;
}

Result<> Account::leave(rpc::Caller&) {
  return end(Reason::ended);
}

Result<> Account::kick(rpc::Caller&) {
  return end(Reason::ended);
}

std::optional<std::int64_t> Account::number_of(const std::string& id) const {
  std::optional<std::int64_t> found;
  const AccountState& state = const_cast<Account*>(this)->saved();
  state.characters.for_each([&](std::int64_t number, const Character& each, std::uint32_t) {
    if (each.id.get() == id) found = number;
  });
  return found;
}

// --- its states ----------------------------------------------------------------------------------

Result<> Account::end(Reason reason) {
  AccountEffects effects;
  auto ended = core_->end(reason, effects);
  if (ended) static_cast<void>(life_.handle(detail::SessionEnds{}));
  carry_out(std::move(effects));
  return ended;
}

void Account::end_or_wait(Reason reason) {
  if (!end(reason)) life_.set_deadline(kLinkAgain);
}

/// It is saved as it ends, and its next life begins in the lobby.
bool Account::go() {
  if (core_->row().session || !core_->settled()) return false;
  destroy();
  return true;
}

}  // namespace starbus::nodes::players
