#include "entity/client/link.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "entity/archive/decoder.hpp"

namespace starbus::entity::sessions {
namespace {

Body text_body(const std::string& text) {
  const ByteView bytes = bus::as_bytes(text);
  return std::make_shared<const Bytes>(bytes.begin(), bytes.end());
}

}  // namespace

ClientLink::ClientLink(std::string subject, LinkState state, LinkTime now)
    : subject_(std::move(subject)), state_(std::move(state)) {
  for (const std::uint32_t size : state_.sizes) in_flight_ += size;
  for (const Part& part : state_.unsent) unsent_bytes_ += part.body->size();
  if (state_.away) away_since_ = now - *state_.away;
  state_.away.reset();
  droppables_.unpack(std::exchange(state_.droppable, {}), now);
  ask_at_ = heard_ = now;
}

// --- what the entity says ------------------------------------------------------------------------

Result<> ClientLink::may_say(const Body& body, Effects& out) {
  if (frozen_) return Error(SessionErrc::frozen, subject_ + ": packed for a move; say it later");
  if (!linked()) return SessionErrc::no_client;
  if (body->size() > kPartBytes) return SessionErrc::too_large;
  const bool bytes = in_flight_ + unsent_bytes_ + body->size() > kLinkBytes;
  if (bytes || state_.sizes.size() + state_.unsent.size() >= kLinkParts) {
    let_go(Reason::too_slow, out);
    return SessionErrc::too_slow;
  }
  return {};
}

void ClientLink::say(PartKind kind, Body body, Effects& out) {
  unsent_bytes_ += body->size();
  state_.unsent.push_back({kind, std::move(body)});
  out.send = true;
}

Result<> ClientLink::call(Body body, Effects& out) {
  if (auto may = may_say(body, out); !may) return may;
  say(PartKind::call, std::move(body), out);
  return {};
}

Result<> ClientLink::join(const std::string& group, Effects& out) {
  if (group.empty() || group.size() > kGroupName) return SessionErrc::too_large;
  if (std::ranges::find(state_.groups, group) != state_.groups.end()) return {};
  if (state_.groups.size() == kLinkGroups) return SessionErrc::too_many_groups;
  Body body = text_body(group);
  if (auto may = may_say(body, out); !may) return may;
  state_.groups.push_back(group);
  if (!state_.full_due) say(PartKind::join, std::move(body), out);
  return {};
}

Result<> ClientLink::leave(const std::string& group, Effects& out) {
  const auto found = std::ranges::find(state_.groups, group);
  if (found == state_.groups.end()) return {};
  Body body = text_body(group);
  if (auto may = may_say(body, out); !may) return may;
  state_.groups.erase(found);
  if (!state_.full_due) say(PartKind::leave, std::move(body), out);
  return {};
}

bool ClientLink::reply(std::uint64_t login, std::uint64_t u, Bytes answer, Effects& out) {
  const auto found = std::ranges::find(state_.open, u);
  if (login != state_.login || found == state_.open.end()) return false;
  Body body = body_of(Reply{u, std::move(answer)});
  if (may_say(body, out)) {
    say(PartKind::reply, std::move(body), out);
    return true;
  }
  std::erase(state_.open, u);  // answered, and the reply is gone
  return false;
}

void ClientLink::let_go(Reason reason, Effects& out) {
  if (!linked()) return;
  out.gone = reason;
  out.accounts.push_back(
      {state_.account, Left{state_.session, state_.bind, subject_, reason, closing_word()}});
  say_last(reason, out);
}

/// What has been said goes first, but to a client that takes nothing.
void ClientLink::say_last(Reason reason, Effects& out) {
  if (away()) return end_stretch();
  droppables_.clear();
  const bool deaf = reason == Reason::too_slow || reason == Reason::away;
  keep_unsent([&](const Part& part) {
    return !deaf && part.kind != PartKind::news && part.kind != PartKind::sight;
  });
  say(PartKind::over, body_of(Over{reason, closing_word()}), out);
  state_.closing = true;
}

std::uint64_t ClientLink::request_of(const Part& reply) {
  return Decoder(*reply.body).varint();
}

// --- stretches -----------------------------------------------------------------------------------

void ClientLink::new_run(Effects& out) {
  const std::uint64_t epoch = std::max(epoch_, state_.run.epoch);
  state_.run = {epoch, state_.run.epoch == epoch ? state_.run.counter + 1 : 1};
  state_.next = 1;
  state_.full_due = true;
  state_.acked = 0;
  state_.allowed = kFirstCredit;
  state_.sizes.clear();
  in_flight_ = 0;
  introduced_ = false;
  note_news(false);
  note_sight(false);
  lead_ = 0;
  // The full state has what these say.
  keep_unsent([](const Part& part) {
    return part.kind == PartKind::call || part.kind == PartKind::reply ||
           part.kind == PartKind::over;
  });
  out.send = true;
}

void ClientLink::end_stretch() {
  keep_unsent([](const Part&) { return false; });
  state_.session = {};
  state_.gate = {};
  state_.turn = 0;
  state_.seal = {};
  state_.closing = state_.full_due = false;
  state_.next = 1;
  state_.acked = state_.allowed = 0;
  state_.sizes.clear();
  state_.groups.clear();
  droppables_.clear();
  note_news(false);
  note_sight(false);
  lead_ = 0;
  in_flight_ = 0;
  introduced_ = false;
  away_since_.reset();
}

void ClientLink::say_numbers(Effects& out) {
  introduced_ = false;
  out.send = true;
  if (state_.full_due) return;
  const auto idle = [](const Part& part) { return part.kind == PartKind::idle; };
  if (std::ranges::none_of(state_.unsent, idle)) say(PartKind::idle, body_of(Idle{}), out);
}

// --- the life of its entity ----------------------------------------------------------------------

void ClientLink::owned(std::uint64_t epoch, Effects& out) {
  epoch_ = epoch;
  out.send = out.send || ready();
}

void ClientLink::arrived(const bus::Process& before) {
  introduced_ = false;
  if (!state_.session || state_.full_due) return;
  // One that could not be said names the home whose words came before it: it stays true.
  if (!state_.unsent.empty() && state_.unsent.front().kind == PartKind::idle) {
    const auto idle = decode_idle(*state_.unsent.front().body);
    if (idle && idle->before) return;
  }
  state_.unsent.push_front({PartKind::idle, body_of(Idle{before})});
  unsent_bytes_ += state_.unsent.front().body->size();
}

LinkState ClientLink::freeze(LinkTime now) {
  frozen_ = true;
  LinkState packed = state_;
  if (away_since_) packed.away = std::max(now - *away_since_, LinkTime(0));
  packed.droppable = droppables_.pack(now);
  return packed;
}

void ClientLink::rolled_back(LinkTime now, Effects& out) {
  frozen_ = false;
  end_stretch();
  state_.login = state_.up_done = 0;
  state_.since = {};
  state_.open.clear();
  state_.lost = !state_.account.empty();
  ask_at_ = now;
  tick(now, out);
}

void ClientLink::gate_died(const bus::Process& process, LinkTime now) {
  if (!state_.session || process != state_.gate.process || away()) return;
  if (state_.closing) return end_stretch();
  away_since_ = now;
}

void ClientLink::tick(LinkTime now, Effects& out) {
  if (frozen_) return;
  expire(now);
  out.news = out.news || news_due();
  if (away_since_ && now - *away_since_ >= kAwayTime) let_go(Reason::away, out);
  if (linked() && !away() && now - heard_ >= kGateSilent) {
    heard_ = now;
    say_numbers(out);
  }
  if (state_.lost && now >= ask_at_) {
    ask_at_ = now + kAskAgain;
    out.accounts.push_back({state_.account, LinkLost{subject_}});
  }
}

}  // namespace starbus::entity::sessions
