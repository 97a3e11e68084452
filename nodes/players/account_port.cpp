// How an account carries out what its core wants: over the bus, and to the database.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bus/client/bus.hpp"
#include "nodes/players/account.hpp"

namespace starbus::nodes::players {

using sessions::AccountAnswer;

namespace {

template <class Word>
std::string text_of(const Word& word) {
  bus::Bytes bytes;
  sessions::encode(word, bytes);
  return std::string(bus::as_text(bytes));
}

Outcome outcome_of(const rpc::Reply<std::string>& reply) {
  if (reply) return Outcome::answered;
  if (rpc::is_absent(reply.error())) return Outcome::no_owner;
  return reply.error() == bus::Errc::owner_lost ? Outcome::owner_lost : Outcome::silent;
}

}  // namespace

LinkTime Account::now() const {
  return std::chrono::duration_cast<LinkTime>(world().timers().present());
}

rpc::Task<std::string> Account::ask(rpc::Caller& from, std::string word) {
  const auto read = sessions::decode_ask_account(bus::as_bytes(word));
  AccountAnswer answer;
  answer.kind = sessions::AccountAnswerKind::refused;
  if (!read) co_return text_of(answer);
  std::optional<TicketSeen> ticket;
  const auto* const bind = std::get_if<sessions::BindSession>(&*read);
  if (bind != nullptr && around().ticket) ticket = around().ticket(channel(), bind->ticket);
  const sessions::Sender sender{from.process, from.from == rpc::From::gate};
  const std::uint64_t number = ++asks_;
  const auto begin = [this, number, &read, &sender, &ticket](bus::Done<AccountAnswer> done) {
    waiting_.emplace(number, std::move(done));
    AccountEffects effects;
    core_->ask(number, *read, sender, ticket, effects);
    carry_out(std::move(effects));
  };
  auto waits = bus::initiate_early<AccountAnswer>(bus::Awaited(), begin);
  auto asked = co_await std::move(waits);
  if (asked) answer = std::move(*asked);
  co_return text_of(answer);
}

void Account::on_player_word(const sessions::ToAccount& word) {
  AccountEffects effects;
  core_->hear(word, {}, effects);
  carry_out(std::move(effects));
}

/// Answers and words go out before the next store; what the game hears comes last.
void Account::carry_out(AccountEffects effects) {
  for (auto& each : effects.answers) {
    auto waiting = waiting_.extract(each.ask);
    if (!waiting.empty()) waiting.mapped()(std::move(each.answer));
  }
  for (const auto& each : effects.gates) tell(each);
  for (const auto& each : effects.subjects) tell(each);
  if (effects.load) load(*effects.load);
  if (effects.store) store(*effects.store);
  wake();
  if (effects.opened) {
    static_cast<void>(life_.handle(detail::SessionOpened{}));
    on_opened();
  }
  if (effects.playing) {
    static_cast<void>(life_.handle(detail::SessionPlays{core_->row().subject == channel()}));
  }
  if (effects.closed) {
    static_cast<void>(life_.handle(detail::SessionClosed{}));
    on_closed(*effects.closed);
  }
}

/// On the lane of all that is said to clients; a gate that does not get it asks.
void Account::tell(const AccountEffects::ForGate& word) {
  bus::Bytes bytes;
  sessions::encode(word.word, bytes);
  bus::SendOptions options;
  options.lane = bus::Lane::sync;
  static_cast<void>(world().rpc().bus().send(word.to.channel, bytes, options));
}

void Account::tell(const AccountEffects::ForSubject& word) {
  const rpc::CallOptions options{.deadline = kSubjectAnswer};
  call<&entity::Entity::session>(word.subject, options, text_of(word.word))(
      [this, question = word.question](const rpc::Reply<std::string>& reply) {
        std::optional<sessions::Answer> answer;
        Outcome outcome = outcome_of(reply);
        if (reply) {
          if (auto read = sessions::decode_answer(bus::as_bytes(*reply))) {
            answer = std::move(*read);
          } else {
            outcome = Outcome::silent;
          }
        }
        AccountEffects effects;
        core_->answered(question, outcome, answer, now(), effects);
        carry_out(std::move(effects));
      });
}

void Account::load(const AccountEffects::Load& load) {
  const auto loaded = [this, question = load.question, weak = std::weak_ptr(alive_)](bool there) {
    if (weak.expired()) return;
    AccountEffects effects;
    core_->loaded(question, there, now(), effects);
    carry_out(std::move(effects));
  };
  if (!around().load) {
    spdlog::error("accounts: {} is not loaded: set AccountWorld::load", load.subject);
    return loaded(false);
  }
  around().load(load.subject, loaded);
}

/// A later owner of the account has written: this one is over.
void Account::store(const AccountEffects::Store& store) {
  bus::Bytes bytes;
  encode(store.row, bytes);
  saved().sessions = std::string(bus::as_text(bytes));
  world().get<entities::EntityHost>().save_now(
      *this,
      [this, number = store.number, weak = std::weak_ptr(alive_)](const bus::Result<>& done) {
        if (weak.expired()) return;
        if (!done && done.error() == bus::Errc::superseded)
          return destroy(entity::EndReason::fenced);
        AccountEffects effects;
        if (done) {
          core_->stored(number, effects);
        } else {
          spdlog::warn("accounts: {} is not stored yet: {}", channel(), done.error().to_string());
          core_->store_failed(number, now(), effects);
        }
        carry_out(std::move(effects));
      });
}

void Account::wake() {
  cancel(std::exchange(wakes_, {}));
  const auto due = core_->wakes();
  if (!due) return;
  const auto timer = after(std::max(*due - now(), LinkTime(0)), [this](const entity::TimerFiring&) {
    AccountEffects effects;
    core_->tick(now(), effects);
    carry_out(std::move(effects));
  });
  if (timer) wakes_ = *timer;
}

}  // namespace starbus::nodes::players
