#include "tools/bots/bot.hpp"

#include <algorithm>
#include <utility>

namespace starbus::bots {
namespace {

using game::EndReason;

/// Reasons that no network, no drain and no death gives: somebody must have done something.
bool is_nobodys(EndReason reason) {
  switch (reason) {
    case EndReason::version:
    case EndReason::malformed:
    case EndReason::too_large:
    case EndReason::denied:
    case EndReason::banned:
    case EndReason::token_reused:
    case EndReason::replaced:
    case EndReason::taken_over:
      return true;
    default:
      return false;
  }
}

bool wants(const game::Bytes& reentry, const Entry& login) {
  return login.method == "reentry" && !reentry.empty();
}

}  // namespace

Bot::Bot(Ground& ground, std::uint64_t number, Nanos arrival)
    : ground_(ground),
      number_(number),
      account_(filled(ground.script.login.account, number)),
      arrival_(arrival) {
  const auto ticket = ground.tickets.find(account_);
  if (ticket != ground.tickets.end()) reentry_ = ticket->second;
}

std::unique_ptr<Player> Bot::make() {
  return std::make_unique<Player>(ground_, number_, account_, memory_);
}

void Bot::arrive(Nanos now) {
  arrived_ = true;
  ++ground_.figures.arrived;
  log_in(now);
}

void Bot::log_in(Nanos now) {
  log_in_at_ = kNever;
  const Entry& login = ground_.script.login;
  present_ = make();
  if (wants(reentry_, login) && !came_in_) {
    present_->come_back(reentry_);
  } else {
    const bool creates = login.method == "create" && !exists_;
    const std::string method = creates ? "create"
                               : login.method == "create" || login.method == "reentry"
                                   ? "password"
                                   : login.method;
    present_->log_in(method, filled(login.password, number_, {account_}));
  }
  play(*present_, now, true);
}

void Bot::play(Player& player, Nanos now, bool ready) {
  if (ready || now >= player.client_due()) player.service();
  player.act(now);
}

void Bot::turn(Nanos now, bool ready) {
  const bool plays_on = ground_.stage == Stage::playing;
  if (!arrived_ && now >= arrival_ && plays_on) arrive(now);
  if (present_) play(*present_, now, ready);
  if (next_) play(*next_, now, ready);
  if (present_ && present_->has_played() && !std::exchange(came_in_, true)) {
    exists_ = true;
    ++ground_.figures.came_in;
    ground_.figures.entry.record(now - arrival_);
    const Script& script = ground_.script;
    if (script.cut_every) cut_at_ = ground_.after(*script.cut_every);
    if (script.leave) leave_at_ = ground_.after(script.leave->every);
    if (script.takeover_every) take_over_at_ = ground_.after(*script.takeover_every);
  }
  if (plays_on && now >= cut_at_) cut(now);
  if (plays_on && now >= take_over_at_) take_over(now);
  if (plays_on && now >= leave_at_) leave();
  after_end(now);
  // Those who were away come back for the end, too.
  const bool comes = plays_on || (came_in_ && ground_.stage == Stage::settling);
  if (comes && now >= log_in_at_) log_in(now);
}

void Bot::cut(Nanos) {
  cut_at_ = ground_.after(*ground_.script.cut_every);
  const auto bytes = static_cast<std::size_t>(ground_.between(0, ground_.script.cut_bytes));
  if (present_) static_cast<void>(present_->cut(bytes));  // when it breaks it counts
}

void Bot::take_over(Nanos now) {
  take_over_at_ = ground_.after(*ground_.script.takeover_every);
  if (next_ || !present_ || !present_->has_played()) return;
  const Entry& login = ground_.script.login;
  const bool own = login.method != "create" && login.method != "reentry";
  next_ = make();
  next_->follow(*present_);
  next_->pass_queue();
  next_->log_in(own ? login.method : "password", filled(login.password, number_, {account_}));
  play(*next_, now, true);
}

void Bot::leave() {
  leave_at_ = ground_.after(ground_.script.leave->every);
  if (next_ || !present_ || !present_->plays()) return;
  ++ground_.figures.leaves;
  present_->say_goodbye();
}

void Bot::after_end(Nanos now) {
  if (next_ && next_->ended()) {
    if (is_nobodys(*next_->ended())) {
      report_end("to take the account over",
                 std::string(game::name_of(*next_->ended())) + " " + next_->ended_text());
    }
    forget(next_);
  }
  if (!present_ || !present_->ended()) return;
  const EndReason why = *present_->ended();
  if (next_) {
    ++ground_.figures.takeovers;
    if (is_nobodys(why) && why != EndReason::replaced) {
      report_end("replaced", std::string(game::name_of(why)) + " " + present_->ended_text());
    }
    forget(present_);
    present_ = std::move(next_);
    return;
  }
  const bool creating = ground_.script.login.method == "create" && !exists_;
  if (why == EndReason::denied && creating) {
    exists_ = true;
  } else if (is_nobodys(why)) {
    report_end("to play on", std::string(game::name_of(why)) + " " + present_->ended_text());
  }
  forget(present_);
  if (why == EndReason::bye) {  // it has left by itself, or the run is over
    if (ground_.script.leave) log_in_at_ = now + nanos_of(ground_.script.leave->away);
  } else {
    log_in_at_ = now + kSecond + static_cast<Nanos>(ground_.between(0, kSecond));
  }
}

void Bot::forget(std::unique_ptr<Player>& player) {
  const game::Traffic traffic = player->client().traffic();
  past_.in += traffic.in;
  past_.out += traffic.out;
  player.reset();
}

Nanos Bot::due() const {
  Nanos next = kNever;
  if (ground_.stage == Stage::playing) {
    next = std::min({log_in_at_, cut_at_, take_over_at_, leave_at_});
    if (!arrived_) next = std::min(next, arrival_);
  } else if (ground_.stage == Stage::settling && came_in_) {
    next = log_in_at_;
  }
  if (present_) next = std::min(next, present_->due());
  if (next_) next = std::min(next, next_->due());
  return next;
}

void Bot::measure(Gauges& gauges) const {
  gauges.bytes_in += past_.in;
  gauges.bytes_out += past_.out;
  bool plays = false;
  for (const Player* each : {present_.get(), next_.get()}) {
    if (each == nullptr) continue;
    plays = plays || each->plays();
    if (each->client().fd() >= 0) ++gauges.open;
    gauges.bytes_in += each->client().traffic().in;
    gauges.bytes_out += each->client().traffic().out;
    each->asker().count_open(gauges.asked);
  }
  if (plays) {
    ++gauges.playing;
    const OwnState* const state = present_ ? present_->state() : nullptr;
    if (state != nullptr) {
      ++gauges.state_bots;
      gauges.state_sums.resize(kStateFields);
      for (std::size_t i = 0; i < kStateFields; ++i) {
        gauges.state_sums[i] += state->fields[i].number;
      }
    }
  } else if (present_ && present_->waits()) {
    ++gauges.waiting;
  } else if (arrived_) {
    ++gauges.away;
  }
}

void Bot::look(std::vector<Sighting>& all) const {
  if (present_ && present_->plays()) present_->look(all);
}

void Bot::stand(std::vector<Standing>& all) const {
  if (!present_ || !present_->plays()) return;
  Standing standing{number_, memory_.stretch_at, {}};
  if (const OwnState* const state = present_->state()) standing.values = *state;
  all.push_back(std::move(standing));
}

void Bot::judge_end() const {
  if (next_ && next_->has_played() && present_ && present_->plays()) {
    report_end("replaced", "the earlier session goes on");
  }
  if (!present_ || !present_->plays()) return;
  std::vector<std::uint64_t> open;
  present_->asker().count_open(open);
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] == 0) continue;
    ground_.violations.add({(now_nanos() - ground_.started) / 1'000'000, number_, account_,
                            Broken::fate, ground_.script.says[i].name, "an outcome within settle",
                            std::to_string(open[i]) + " without one"});
  }
}

void Bot::report_end(const std::string& expected, const std::string& got) const {
  ground_.violations.add({(now_nanos() - ground_.started) / 1'000'000, number_, account_,
                          Broken::end, "session", expected, got});
}

}  // namespace starbus::bots
