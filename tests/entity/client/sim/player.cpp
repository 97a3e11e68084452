#include "tests/entity/client/sim/player.hpp"

#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {
namespace {

Body number_body(std::uint64_t value) {
  bus::Bytes bytes(8);
  bus::store(bytes.data(), value);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

void put(bus::Bytes& out, std::uint64_t value) {
  out.resize(out.size() + 8);
  bus::store(out.data() + out.size() - 8, value);
}
std::uint64_t take_number(bus::ByteView& in) {
  const auto value = bus::load<std::uint64_t>(in.data());
  in = in.subspan(8);
  return value;
}

}  // namespace

Player::Player(World& world, std::string n, const Pid& p)
    : name(std::move(n)), pid(p), link(name), world_(world) {
  if (const auto found = world.oracle.disk.find(name); found != world.oracle.disk.end()) {
    value = std::any_cast<std::uint64_t>(found->second);
  }
}

// --- moves ---------------------------------------------------------------------------------------

bus::Bytes Player::freeze() {
  bus::Bytes bytes;
  const auto packed_at = static_cast<std::uint64_t>(world_.clock().count());
  for (const std::uint64_t number : {packed_at, std::uint64_t{pid.host}, std::uint64_t{pid.slot},
                                     pid.incarnation, value, std::uint64_t{dirty}, late.size()}) {
    put(bytes, number);
  }
  for (const auto& [login, u] : late) {
    put(bytes, login);
    put(bytes, u);
  }
  encode(link.freeze(world_.clock()), bytes);
  return bytes;
}

void Player::adopt(const bus::Bytes& moved) {
  bus::ByteView in(moved);
  const LinkTime packed_at(static_cast<LinkTime::rep>(take_number(in)));
  world_.oracle.was_on_the_way(name, packed_at, world_.clock());
  Pid before;
  before.host = static_cast<std::uint32_t>(take_number(in));
  before.slot = static_cast<std::uint32_t>(take_number(in));
  before.incarnation = take_number(in);
  value = take_number(in);
  dirty = take_number(in) != 0;
  for (std::uint64_t left = take_number(in); left > 0; --left) {
    const std::uint64_t login = take_number(in);
    late.emplace_back(login, take_number(in));
  }
  auto state = decode_link(in);
  if (!state) {
    Oracle::bad("a state that was packed is refused: " + state.error().to_string());
  }
  if (state->session && !state->full_due && world_.broken("n_stays_behind")) {
    state->acked = 0;
    state->next = 2;
    state->sizes.clear();
    state->sizes.push_back(0);
  }
  if (world_.broken("up_done_stays_behind")) {
    state->up_done = 0;
    state->open.clear();
  }
  if (world_.broken("unsent_stays_behind") && !state->closing) state->unsent.clear();
  link = ClientLink(name, std::move(*state), world_.clock());
  if (!world_.broken("arrival_unsaid")) link.arrived(before);
}

void Player::owned(std::uint64_t epoch) {
  Effects effects;
  link.owned(epoch, effects);
  apply(effects);
  const Pid gate = link.state().gate.process;
  if (world_.bus().told(pid, gate)) gate_died(gate);
}

void Player::thaw(std::uint64_t epoch) {
  Effects effects;
  link.thaw(effects);
  owned(epoch);
}

void Player::rolled_back(std::uint64_t epoch) {
  late.clear();
  Effects effects;
  if (world_.broken("rollback_goes_on")) {
    link.thaw(effects);
  } else {
    link.rolled_back(world_.clock(), effects);
  }
  link.owned(epoch, effects);
  apply(effects);
}

// --- what it is told -----------------------------------------------------------------------------

void Player::gate_died(const Pid& gate) {
  if (!world_.broken("gate_death_ignored")) link.gate_died(gate, world_.clock());
}

/// What the oracle looks at, and where rules are broken.
Answer Player::take(ToSubject word, const Sender& from) {
  const LinkState before = link.state();
  if (auto* set = std::get_if<SetLink>(&word)) {
    if (world_.broken("set_link_any_bind") && set->bind <= before.top && set->bind != before.bind) {
      LinkState forgetful = before;
      forgetful.top = forgetful.bind = {};
      link = ClientLink(name, forgetful, world_.clock());
      Effects effects;
      link.owned(before.run.epoch + 1, effects);
    }
    if (world_.broken("up_not_handed_on")) set->closing.reset();
  }
  if (auto* request = std::get_if<Request>(&word)) {
    if (world_.broken("request_without_bind")) request->bind = before.bind;
  }
  Effects effects;
  Answer answer = link.take(word, from, world_.clock(), effects);
  check_taken(word, answer, before, effects);
  if (world_.broken("unknown_bind_silent") && answer.kind == AnswerKind::not_linked) {
    answer.kind = AnswerKind::dropped;
  }
  if (world_.broken("higher_bind_refused") && answer.kind == AnswerKind::not_linked &&
      link.linked()) {
    answer.kind = AnswerKind::replaced;
  }
  if (world_.broken("closing_stays") && answer.closing) answer.closing.reset();
  apply(effects);
  return answer;
}

void Player::check_taken(const ToSubject& word, const Answer& answer, const LinkState& before,
                         const Effects& effects) {
  Bind& top = world_.oracle.top[name];
  const auto* set = std::get_if<SetLink>(&word);
  const auto* request = std::get_if<Request>(&word);
  const auto* resync = std::get_if<Resync>(&word);
  if (set != nullptr && answer.kind == AnswerKind::ok && set->bind <= top) {
    Oracle::bad("P4 a lower bind was taken: " + name);
  }
  if ((set != nullptr || std::holds_alternative<Unlink>(word)) && answer.kind == AnswerKind::ok) {
    top = std::max(top, link.state().top);
    if (link.state().top < before.top) Oracle::bad("P4 a bind has gone back: " + name);
  }
  if (resync != nullptr && resync->bind == before.bind && resync->run != Run{} &&
      resync->run != before.run && link.state().run != before.run) {
    Oracle::bad("P5 two stretches for one hole: " + name);
  }
  if (request != nullptr && effects.begin && request->bind != top) {
    Oracle::bad("P4 an older bind is obeyed: " + name);
  }
  if (effects.gone == Reason::fault) Oracle::bad("P3 a request was passed over: " + name);
}

// --- what it says --------------------------------------------------------------------------------

void Player::apply(Effects& effects) {
  if (world_.broken("subject_keeps_quiet")) effects.gates.clear();
  for (auto& each : effects.gates) {
    const End end = std::get<End>(each.word);
    world_.send(
        {pid, each.to.channel, Lane::down, "end", [end, &w = world_](const Pid&, const Pid& at) {
           if (Gate* gate = w.gate(at)) {
             gate->end(end.session, end.bind, end.reason, end.closing);
           }
           return std::any();
         }});
  }
  for (const auto& each : effects.accounts) tell(each);
  if (effects.begin) begin(*effects.begin);
  if (effects.linked) dirty = false;
  if (effects.news) {
    Effects more;
    tell_news(more);
    apply(more);
  }
}

void Player::tell(const Effects::ForAccount& each) {
  const std::string to = each.channel;
  Letter letter{pid, to, Lane::up, "to account",
                [to, word = each.word, &w = world_](const Pid&, const Pid& at) {
                  Account* account = w.account_at(to, at);
                  if (account == nullptr) return std::any();
                  if (const auto* left = std::get_if<Left>(&word)) {
                    account->left(*left);
                  } else {
                    account->link_lost(std::get<LinkLost>(word).subject);
                  }
                  return std::any();
                }};
  letter.done = [&w = world_, to, me = pid](Outcome outcome, const std::any&) {
    if (outcome == Outcome::no_owner) w.load(me, to, {});
  };
  world_.send(std::move(letter));
}

void Player::begin(const Effects::Begin& request) {
  const bus::Bytes& body = request.body;
  world_.oracle.begin(name, bus::load<std::uint64_t>(body.data()));
  const std::string go(bus::as_text(bus::ByteView(body).subspan(8)));
  if (!go.empty()) {
    const SessionId session = link.state().session;
    const Bind bind = link.state().bind;
    world_.send({pid, account(), Lane::up, "choose",
                 [to = account(), session, bind, go, &w = world_](const Pid&, const Pid& at) {
                   if (Account* account = w.account_at(to, at)) account->choose(session, bind, go);
                   return std::any();
                 }});
  }
  late.emplace_back(request.login, request.u);
  if (!replies_late && world_.chance.likely(0.7)) {
    late.pop_back();
    Effects more;
    link.reply(request.login, request.u, {}, more);
    apply(more);
  }
}

void Player::reply_late(Effects& out) {
  const auto [login, u] = late.front();
  late.erase(late.begin());
  link.reply(login, u, {}, out);
}

void Player::reply() {
  Effects effects;
  reply_late(effects);
  apply(effects);
  flush();
}

void Player::tell_news(Effects& out) {
  if (!dirty || !link.wants_news()) return;
  dirty = false;
  link.news(number_body(value), out);
}

void Player::update(Effects& out) {
  const std::uint64_t slot = world_.chance.below(4);
  const LinkTime now = world_.clock();
  // The world's numbers go on over homes and deaths.
  const Update update{slot, world_.fresh(), static_cast<std::uint64_t>(now.count())};
  const DropRule rule{slot == Update::kStays ? kNeverOld : Update::kMaxAge, 0};
  static_cast<void>(link.droppable(slot, rule, update.body(), now, out));
}

void Player::act() {
  Effects effects;
  if (!replies_late && !late.empty() && world_.chance.likely(0.5)) {
    reply_late(effects);
  } else if (world_.chance.likely(0.6)) {
    ++value;
    dirty = link.linked();
    tell_news(effects);
  } else if (world_.chance.likely(0.4)) {
    update(effects);
  } else if (world_.chance.likely(0.2)) {
    static_cast<void>(world_.chance.likely(0.7) ? link.join("guild", effects)
                                                : link.leave("guild", effects));
  } else {
    static_cast<void>(link.call(number_body(world_.fresh()), effects));
  }
  apply(effects);
  flush();
}

void Player::tick() {
  // As a home looks at its gates: who told it of this one may not have heard that it is dead.
  if (const Pid gate = link.state().gate.process; world_.bus().told(pid, gate)) gate_died(gate);
  Effects effects;
  link.tick(world_.clock(), effects);
  if (effects.gone == Reason::away && !world_.deaths) {
    Oracle::bad("P5 a client that is there was let go: " + name);
  }
  apply(effects);
  Effects more;
  if (!replies_late && !late.empty() && world_.chance.likely(0.5)) reply_late(more);
  tell_news(more);
  apply(more);
  flush();
}

/// As the home lines do it, one link a bundle; now and then the bus has no room.
void Player::flush() {
  if (!world_.broken("old_updates_said")) link.expire(world_.clock());
  while (link.ready()) {
    bus::Bytes properties(8);
    bus::store(properties.data(), value);
    const bool full = link.full_due();
    const Section section = link.draft(4096, 16, std::move(properties), world_.handles + 1);
    const Introduction at{link.state().session, link.state().turn, link.state().bind,
                          link.state().run, name};
    if (world_.chance.likely(0.1)) {  // would_block
      if (world_.broken("drawn_when_refused")) link.taken(section);
      return;
    }
    Section sent = section;
    if (world_.broken("run_not_bumped") && sent.introduces && at.run.counter > 1) {
      sent.introduces->run.counter = 1;
    }
    if (full && world_.broken("no_since")) {
      FullState state = *decode_full(*sent.parts[0].body);
      state.since = {};
      sent.parts[0].body = body_of(state);
    }
    if (!say(link.state().gate, sent)) return;
    if (section.introduces) ++world_.handles;
    world_.oracle.said(name, at, section, world_.clock());
    link.taken(section);
    if (full) dirty = false;
  }
}

bool Player::say(const GateId& gate, const Section& section) {
  bus::Bytes bytes;
  encode_bundle({section}, bytes);
  Letter letter{pid, gate.channel, Lane::down, "parts",
                [bytes, &w = world_](const Pid& from, const Pid& at) {
                  if (Gate* there = w.gate(at)) there->bundle(bytes, from);
                  return std::any();
                }};
  letter.bytes = bytes.size();
  return world_.send(std::move(letter));
}

void Player::speak_frozen() {
  const LinkState copy = link.state();
  ClientLink speaker(name, copy, world_.clock());
  Effects effects;
  speaker.owned(copy.run.epoch, effects);
  static_cast<void>(speaker.call(number_body(world_.fresh()), effects));
  if (speaker.ready()) say(copy.gate, speaker.draft(4096, 16, {}, ++world_.handles));
}

}  // namespace starbus::entity::sessions::sim
