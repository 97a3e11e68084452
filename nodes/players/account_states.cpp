#include "nodes/players/account.hpp"

namespace starbus::nodes::players::detail {
namespace {

/// What refuses it leaves the state as it is, with its deadline.
template <class State>
void go_to(AccountLife& life) {
  static_cast<void>(life.change_to(State{}));
}

void plays(const SessionPlays& what, AccountLife& life) {
  if (what.lobby) {
    go_to<Lobby>(life);
  } else {
    go_to<Online>(life);
  }
}

}  // namespace

void Offline::on_enter(AccountLife& life) {
  life.set_deadline(life.owner().times().idle);
}
void Offline::on(const SessionOpened&, AccountLife& life) {
  go_to<Loading>(life);
}
/// Not while something is stored: later.
void Offline::on(const entity::DeadlinePassed&, AccountLife& life) {
  if (!life.owner().go()) life.set_deadline(life.owner().times().idle);
}

void Loading::on_enter(AccountLife& life) {
  life.set_deadline(life.owner().times().load);
}
void Loading::on(const SessionPlays& what, AccountLife& life) {
  plays(what, life);
}
void Loading::on(const SessionEnds&, AccountLife& life) {
  go_to<Ending>(life);
}
void Loading::on(const SessionClosed&, AccountLife& life) {
  go_to<Offline>(life);
}
void Loading::on(const entity::DeadlinePassed&, AccountLife& life) {
  life.owner().end_or_wait(Reason::fault);
}

void Lobby::on_enter(AccountLife& life) {
  life.set_deadline(life.owner().times().lobby);
}
void Lobby::on(const SessionOpened&, AccountLife& life) {
  go_to<Loading>(life);
}
void Lobby::on(const SessionEnds&, AccountLife& life) {
  go_to<Ending>(life);
}
void Lobby::on(const SessionClosed&, AccountLife& life) {
  go_to<Offline>(life);
}
void Lobby::on(const entity::DeadlinePassed&, AccountLife& life) {
  life.owner().end_or_wait(Reason::away);
}

void Choosing::on_enter(AccountLife& life) {
  life.set_deadline(life.owner().times().load);
}
void Choosing::on(const SessionOpened&, AccountLife& life) {
  go_to<Loading>(life);
}
void Choosing::on(const SessionPlays& what, AccountLife& life) {
  plays(what, life);
}
void Choosing::on(const SessionEnds&, AccountLife& life) {
  go_to<Ending>(life);
}
void Choosing::on(const SessionClosed&, AccountLife& life) {
  go_to<Offline>(life);
}
void Choosing::on(const entity::DeadlinePassed&, AccountLife& life) {
  life.owner().end_or_wait(Reason::fault);
}

void Online::on(const SessionOpened&, AccountLife& life) {
  go_to<Loading>(life);
}
void Online::on(const SessionPlays& what, AccountLife& life) {
  if (what.lobby) go_to<Lobby>(life);
}
void Online::on(const SessionEnds&, AccountLife& life) {
  go_to<Ending>(life);
}
void Online::on(const SessionClosed&, AccountLife& life) {
  go_to<Offline>(life);
}

void Ending::on_enter(AccountLife& life) {
  life.set_deadline(life.owner().times().end);
}
void Ending::on(const SessionOpened&, AccountLife& life) {
  go_to<Loading>(life);
}
void Ending::on(const SessionClosed&, AccountLife& life) {
  go_to<Offline>(life);
}
void Ending::on(const entity::DeadlinePassed&, AccountLife& life) {
  go_to<Offline>(life);
}

}  // namespace starbus::nodes::players::detail
