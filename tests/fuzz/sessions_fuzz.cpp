/// What gates, accounts and homes say of sessions, a link that arrives, and what is stored of an
/// account: what is accepted is encoded again the same; a link and an account stay in order
/// whatever they are told.
#include <algorithm>

#include "entity/client/announcement.hpp"
#include "entity/client/home_lines.hpp"
#include "nodes/players/core/account_core.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::entity::sessions;
using bus::require;
namespace players = nodes::players;
using players::AccountEffects;
using players::TicketSeen;

template <class T>
void again(const T& word, bus::ByteView input) {
  bus::Bytes bytes;
  encode(word, bytes);
  require(std::ranges::equal(bytes, input));
}

void tell(ClientLink& link, const ToSubject& word, bool gate) {
  Effects effects;
  const Sender from{gate ? link.state().gate.process : bus::Process{}, gate};
  bus::Bytes answer;
  encode(link.take(word, from, LinkTime(5), effects), answer);
  require(decode_answer(answer).has_value());
  while (link.ready()) link.taken(link.draft(kSectionBytes, 16, {}, 7));
  bus::Bytes state;
  encode(link.freeze(LinkTime(9)), state);
  require(decode_link(state).has_value());
  link.thaw(effects);
}

/// Its row is one that it would take back; the disk and the subject do what they should.
void settle(players::AccountCore& account, AccountEffects& effects) {
  for (int steps = 0; steps < 16; ++steps) {
    const AccountEffects now = std::exchange(effects, {});
    if (now.store) {
      bus::Bytes bytes;
      encode(now.store->row, bytes);
      require(players::decode_row(bytes).value() == now.store->row);
      account.stored(now.store->number, effects);
    }
    for (const auto& each : now.subjects) {
      account.answered(each.question, players::Outcome::no_owner, {}, LinkTime(1), effects);
    }
    if (now.load) account.loaded(now.load->question, true, LinkTime(1), effects);
  }
  account.tick(LinkTime(100'000), effects);
}

/// An account that has a session, or has been loaded from this, is told this.
void tell_account(bus::ByteView input) {
  players::AccountRow row;
  row.drawn = 4;
  row.login = 3;
  row.session = {1, 2};
  row.gate = {"gate/a", {1, 2, 3}};
  row.turn = 3;
  row.subject = "player/1";
  row.bind = {5, 6};
  if (const auto stored = players::decode_row(input)) {
    bus::Bytes bytes;
    encode(*stored, bytes);
    require(std::ranges::equal(bytes, input));
    row = *stored;
  }
  players::AccountCore account({"account/a", "account/a", true});
  AccountEffects effects;
  account.owned(7, row, effects);
  settle(account, effects);
  if (const auto word = decode_ask_account(input)) {
    const Sender from{{1, 2, 3}, true};
    account.ask(1, *word, from, TicketSeen{true, {}, {}, 3}, effects);
    account.ask(2, *word, from, TicketSeen{false, {1, 2}, "gate/a", 4}, effects);
    account.ask(3, *word, {}, {}, effects);
    settle(account, effects);
  }
  if (const auto word = decode_to_account(input)) {
    account.hear(*word, {}, effects);
    settle(account, effects);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  if (const auto word = decode_to_subject(input)) {
    again(*word, input);
    ClientLink link("player/7");
    Effects effects;
    link.owned(9, effects);
    const SetLink set{{1, 2}, {"gate/a", {1, 2, 3}}, 4, {5, 6}, 7, "account/a", {8, 9}, {}};
    static_cast<void>(link.take(set, {}, LinkTime(1), effects));
    tell(link, *word, true);
    tell(link, *word, false);
  }
  if (const auto word = decode_answer(input)) again(*word, input);
  if (const auto word = decode_to_account(input)) again(*word, input);
  if (const auto word = decode_ask_account(input)) again(*word, input);
  if (const auto word = decode_account_answer(input)) again(*word, input);
  if (const auto word = decode_to_gate(input)) again(*word, input);
  if (const auto word = decode_announcement(input)) again(*word, input);
  if (const auto body = decode_full(input)) again(*body, input);
  if (const auto body = decode_reply(input)) again(*body, input);
  if (const auto body = decode_idle(input)) again(*body, input);
  if (const auto body = decode_over(input)) again(*body, input);
  if (const auto bundle = decode_bundle(input)) {
    bus::Bytes bytes;
    encode_bundle(*bundle, bytes);  // without bodies that nothing uses, in the order of their use
    require(decode_bundle(bytes).has_value());
  }
  if (auto state = decode_link(input)) {
    again(*state, input);
    ClientLink link("player/7", std::move(*state), LinkTime(1'000'000));
    Effects effects;
    link.arrived({1, 2, 3});
    link.owned(10, effects);
    while (link.ready()) link.taken(link.draft(kSectionBytes, 16, {}, 7));
    link.tick(LinkTime(2'000'000), effects);
  }
  tell_account(input);
  return 0;
}
