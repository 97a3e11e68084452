#include "nodes/players/player.hpp"

#include "nodes/hosting/entity_host.hpp"

namespace starbus::nodes::players {

Player::Player() : life_("player", *this, world().timers(), &machines_) {}

/// After its answer, which the client would not get otherwise.
void Player::log_out(rpc::Caller&) {
  if (!after(entity::Time{0}, [this](const entity::TimerFiring&) { leave_world(); })) leave_world();
}
void Player::kick(rpc::Caller&) {
  leave_world();
}

/// The client goes first, so that its account takes it back while this is saved.
void Player::leave_world() {
  client().let_go(Reason::ended);
  static_cast<void>(life_.handle(detail::LogOut{}));
}

void Player::on_client() {
  static_cast<void>(life_.handle(detail::ClientCame{}));
}
void Player::on_client_gone(Reason reason) {
  static_cast<void>(life_.handle(detail::ClientGone{reason}));
}

void Player::save_and_tell() {
  const auto saved = [this, weak = std::weak_ptr(alive_)](const bus::Result<>&) {
    // If it failed, the last save of the host keeps its state and its name until it is stored.
    if (!weak.expired()) static_cast<void>(life_.handle(detail::PlayerSaved{}));
  };
  world().get<entities::EntityHost>().save_now(*this, saved);
}

// --- its states ----------------------------------------------------------------------------------

namespace detail {
namespace {

/// What refuses it leaves the state as it is, with its deadline.
template <class State>
void turn_to(PlayerLife& life) {
  static_cast<void>(life.change_to(State{}));
}

}  // namespace

void Waiting::on_enter(PlayerLife& life) {
  life.set_deadline(life.owner().times().first_client);
}
void Waiting::on(const ClientCame&, PlayerLife& life) {
  turn_to<Playing>(life);
  life.owner().on_online(false);
}
void Waiting::on(const LogOut&, PlayerLife& life) {
  turn_to<Leaving>(life);
}
void Waiting::on(const entity::DeadlinePassed&, PlayerLife& life) {
  turn_to<Leaving>(life);
}

/// The one before was not said to go: a later login has taken its place, or its account has bound
/// it anew.
void Playing::on(const ClientCame&, PlayerLife& life) {
  life.owner().on_online(true);
}
/// A client that went on purpose does not come back; others may.
void Playing::on(const ClientGone& gone, PlayerLife& life) {
  if (gone.reason == Reason::ended || gone.reason == Reason::switched) {
    turn_to<Leaving>(life);
    return;
  }
  turn_to<Disconnected>(life);
  life.owner().on_disconnected(gone.reason);
}
void Playing::on(const LogOut&, PlayerLife& life) {
  turn_to<Leaving>(life);
}

void Disconnected::on_enter(PlayerLife& life) {
  life.set_deadline(life.owner().times().link_dead);
}
void Disconnected::on(const ClientCame&, PlayerLife& life) {
  turn_to<Playing>(life);
  life.owner().on_online(true);
}
void Disconnected::on(const LogOut&, PlayerLife& life) {
  turn_to<Leaving>(life);
}
void Disconnected::on(const entity::DeadlinePassed&, PlayerLife& life) {
  turn_to<Leaving>(life);
}

void Leaving::on_enter(PlayerLife& life) {
  life.set_deadline(life.owner().times().logout);
  life.owner().on_logout();
  life.owner().save_and_tell();
}
/// A later login wants it: it stays.
void Leaving::on(const ClientCame&, PlayerLife& life) {
  turn_to<Playing>(life);
  life.owner().on_online(false);
}
void Leaving::on(const PlayerSaved&, PlayerLife& life) {
  life.owner().destroy();
}
void Leaving::on(const entity::DeadlinePassed&, PlayerLife& life) {
  life.owner().destroy();
}

}  // namespace detail
}  // namespace starbus::nodes::players
