/// What the database has of accounts, and what gates and entities say to one: what is accepted is
/// encoded again the same; an account stays in order whatever it is told.
#include <algorithm>

#include "nodes/players/core/account_core.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::entity::sessions;
using namespace starbus::nodes::players;
using bus::require;
using nodes::players::Outcome;

/// Its row is one that it would take back; the disk and the subject do what they should.
void settle(AccountCore& account, AccountEffects& effects) {
  for (int steps = 0; steps < 16; ++steps) {
    const AccountEffects now = std::exchange(effects, {});
    if (now.store) {
      bus::Bytes bytes;
      encode(now.store->row, bytes);
      require(decode_row(bytes).value() == now.store->row);
      account.stored(now.store->number, effects);
    }
    for (const auto& each : now.subjects) {
      account.answered(each.question, Outcome::no_owner, {}, LinkTime(1), effects);
    }
    if (now.load) account.loaded(now.load->question, true, LinkTime(1), effects);
  }
  account.tick(LinkTime(100'000), effects);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  AccountRow row;
  row.drawn = 4;
  row.login = 3;
  row.session = {1, 2};
  row.gate = {"gate/a", {1, 2, 3}};
  row.turn = 3;
  row.subject = "player/1";
  row.bind = {5, 6};
  if (const auto stored = decode_row(input)) {
    bus::Bytes bytes;
    encode(*stored, bytes);
    require(std::ranges::equal(bytes, input));
    row = *stored;
  }
  AccountCore account({"account/a", "account/a", true});
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
  return 0;
}
