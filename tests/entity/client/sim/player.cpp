// A player of the simulated world: the product's link between the policy's borders.
#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {
namespace {

Body number_body(std::uint64_t value) {
  bus::Bytes bytes(8);
  bus::store(bytes.data(), value);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

}  // namespace

Body Update::body() const {
  bus::Bytes bytes(24);
  bus::store(bytes.data(), slot);
  bus::store(bytes.data() + 8, version);
  bus::store(bytes.data() + 16, born);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

std::optional<Update> Update::read(const Body& body) {
  if (body->size() != 24) return {};
  const std::byte* const at = body->data();
  return Update{bus::load<std::uint64_t>(at), bus::load<std::uint64_t>(at + 8),
                bus::load<std::uint64_t>(at + 16)};
}

Player::Player(World& world, std::string n, const Pid& p)
    : name(std::move(n)), pid(p), link(name), world_(world) {
  if (const auto found = world.disk.find(name); found != world.disk.end()) {
    value = std::any_cast<std::uint64_t>(found->second);
  }
}

void Player::adopt(const bus::Bytes& moved) {
  auto state = decode_link(moved);
  if (!state) World::bad("a state that was packed is refused: " + state.error().to_string());
  if (state->session && !state->full_due && world_.broken("n_stays_behind")) {
    state->acked = 0;
    state->next = 2;
    state->sizes = {0};
  }
  if (world_.broken("up_done_stays_behind")) {
    state->up_done = 0;
    state->open.clear();
  }
  if (world_.broken("unsent_stays_behind") && !state->closing) state->unsent.clear();
  link = ClientLink(name, std::move(*state), world_.clock());
}

void Player::owned(std::uint64_t epoch) {
  Effects effects;
  link.owned(epoch, effects);
  apply(effects);
  const Pid gate = link.state().gate.process;
  if (world_.told(pid, gate)) gate_died(gate);
}

bus::Bytes Player::freeze() {
  bus::Bytes bytes;
  encode(link.freeze(world_.clock()), bytes);
  return bytes;
}

void Player::thaw(std::uint64_t epoch) {
  Effects effects;
  link.thaw(effects);
  owned(epoch);
}

void Player::rolled_back() {
  Effects effects;
  if (world_.broken("rollback_goes_on")) {
    link.thaw(effects);
  } else {
    link.rolled_back(world_.clock(), effects);
  }
  late.clear();
  apply(effects);
}

void Player::gate_died(const Pid& gate) {
  if (!world_.broken("gate_death_ignored")) link.gate_died(gate, world_.clock());
}

/// What the oracle looks at, and where rules are broken.
Answer Player::take(ToSubject word, const Sender& from) {
  const LinkState& state = link.state();
  if (auto* set = std::get_if<SetLink>(&word)) {
    if (world_.broken("set_link_any_bind") && set->bind <= state.top && set->bind != state.bind) {
      LinkState forgetful = state;
      forgetful.top = forgetful.bind = {};
      link = ClientLink(name, forgetful, world_.clock());
      Effects effects;
      link.owned(state.run.epoch + 1, effects);
    }
    if (world_.broken("up_not_handed_on")) set->closing.reset();
  }
  if (auto* request = std::get_if<Request>(&word)) {
    if (world_.broken("request_without_bind")) request->bind = state.bind;
  }
  bool run_is_over = false;
  if (const auto* resync = std::get_if<Resync>(&word)) {
    run_is_over = resync->bind == state.bind && resync->run != Run{} && resync->run != state.run;
  }
  const Bind before = state.top;
  const Run run = state.run;
  const auto* set = std::get_if<SetLink>(&word);
  const auto* request = std::get_if<Request>(&word);
  Effects effects;
  Answer answer = link.take(word, from, world_.clock(), effects);
  if (set != nullptr && answer.kind == AnswerKind::ok) {
    if (set->bind <= world_.top[name]) World::bad("P4 a lower bind was taken: " + name);
  }
  if ((set != nullptr || std::holds_alternative<Unlink>(word)) && answer.kind == AnswerKind::ok) {
    world_.top[name] = std::max(world_.top[name], link.state().top);
    if (link.state().top < before) World::bad("P4 a bind has gone back: " + name);
  }
  if (run_is_over && link.state().run != run) World::bad("P5 two stretches for one hole: " + name);
  if (request != nullptr && effects.begin && request->bind != world_.top[name]) {
    World::bad("P4 an older bind is obeyed: " + name);
  }
  if (effects.gone == Reason::fault) World::bad("P3 a request was passed over: " + name);
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

void Player::apply(Effects& effects) {
  if (world_.broken("subject_keeps_quiet")) effects.gates.clear();
  for (auto& each : effects.gates) {
    const End end = std::get<End>(each.word);
    world_.send(pid, each.to.channel, Lane::down, "end", [end, to = each.to](World& w, const Pid&) {
      if (Gate* gate = w.gate(to.process))
        gate->end(end.session, end.bind, end.reason, end.closing, false);
      return std::any();
    });
  }
  for (auto& each : effects.accounts) {
    const std::string to = each.channel;
    const ToAccount word = each.word;
    const auto done = [&world = world_, to, me = pid](Outcome outcome, const std::any&) {
      if (outcome == Outcome::no_owner) world.load(me, to, {});
    };
    world_.send(
        pid, to, Lane::up, "to account",
        [to, word](World& w, const Pid&) {
          Account* account = w.account(to);
          if (const auto* left = std::get_if<Left>(&word)) {
            account->left(*left);
          } else {
            account->link_lost(std::get<LinkLost>(word).subject);
          }
          return std::any();
        },
        done);
  }
  if (effects.begin) {
    const bus::Bytes& body = effects.begin->body;
    const std::uint64_t id = bus::load<std::uint64_t>(body.data());
    world_.begin(name, id);
    const std::string go(bus::as_text(bus::ByteView(body).subspan(8)));
    if (!go.empty()) {
      const SessionId session = link.state().session;
      const Bind bind = link.state().bind;
      world_.send(pid, account(), Lane::up, "choose",
                  [to = account(), session, bind, go](World& w, const Pid&) {
                    w.account(to)->choose(session, bind, go);
                    return std::any();
                  });
    }
    late.emplace_back(effects.begin->login, effects.begin->u);
    if (world_.chance(0.7)) {
      late.pop_back();
      Effects more;
      link.reply(effects.begin->login, effects.begin->u, {}, more);
      apply(more);
    }
  }
  if (effects.linked) dirty = false;
  if (effects.news && dirty && link.wants_news()) {
    dirty = false;
    Effects more;
    link.news(number_body(value), more);
    apply(more);
  }
}

void Player::act() {
  Effects effects;
  if (!late.empty() && world_.chance(0.5)) {
    const auto [login, u] = late.front();
    late.erase(late.begin());
    link.reply(login, u, {}, effects);
  } else if (world_.chance(0.6)) {
    ++value;
    if (link.wants_news()) {
      dirty = false;
      link.news(number_body(value), effects);
    } else {
      dirty = link.linked();
    }
  } else if (world_.chance(0.4)) {
    const std::uint64_t slot = world_.below(4);
    // The world's numbers go on over homes and deaths.
    const Update update{slot, world_.fresh(), static_cast<std::uint64_t>(world_.now)};
    const bool stays = slot == Update::kStays;
    const DropRule rule{stays ? kNeverOld : LinkTime(1000 * Update::kMaxAge), 0};
    static_cast<void>(link.droppable(slot, rule, update.body(), world_.clock(), effects));
  } else if (world_.chance(0.2)) {
    static_cast<void>(world_.chance(0.7) ? link.join("guild", effects)
                                         : link.leave("guild", effects));
  } else {
    static_cast<void>(link.call(number_body(world_.fresh()), effects));
  }
  apply(effects);
  flush();
}

void Player::tick() {
  // As a home looks at its gates: who told it of this one may not have heard that it is dead.
  if (const Pid gate = link.state().gate.process; world_.told(pid, gate)) gate_died(gate);
  Effects effects;
  link.tick(world_.clock(), effects);
  if (effects.gone == Reason::away && !world_.deaths) {
    World::bad("P5 a client that is there was let go: " + name);
  }
  apply(effects);
  if (!late.empty() && world_.chance(0.5)) {
    Effects more;
    link.reply(late.front().first, late.front().second, {}, more);
    late.erase(late.begin());
    apply(more);
  }
  if (dirty && link.wants_news()) {
    dirty = false;
    Effects more;
    link.news(number_body(value), more);
    apply(more);
  }
  flush();
}

/// As the home lines do it, one link a bundle; now and then the bus has no room.
void Player::flush(bool frozen) {
  if (frozen) {  // a copy that does not know that it is frozen
    LinkState copy = link.state();
    ClientLink speaker(name, copy, world_.clock());
    Effects effects;
    speaker.owned(copy.run.epoch, effects);
    static_cast<void>(speaker.call(number_body(world_.fresh()), effects));
    if (!speaker.ready()) return;
    const Section section = speaker.draft(4096, 16, {}, ++world_.handles);
    bus::Bytes bytes;
    encode_bundle({section}, bytes);
    world_.send(pid, link.state().gate.channel, Lane::down, "parts",
                [bytes, to = link.state().gate.process](World& w, const Pid& from) {
                  if (Gate* gate = w.gate(to)) gate->bundle(bytes, from);
                  return std::any();
                });
    return;
  }
  if (!world_.broken("old_updates_said")) link.expire(world_.clock());
  while (link.ready()) {
    bus::Bytes properties(8);
    bus::store(properties.data(), value);
    const bool full = link.full_due();
    Section section = link.draft(4096, 16, std::move(properties), world_.handles + 1);
    const Introduction at{link.state().session, link.state().turn, link.state().bind,
                          link.state().run, name};
    const GateId gate = link.state().gate;
    if (world_.chance(0.1)) {  // would_block
      if (world_.broken("drawn_when_refused")) link.taken(section);
      return;
    }
    if (section.introduces) ++world_.handles;
    world_.said(name, at, section);
    Section sent = section;
    if (world_.broken("run_not_bumped") && sent.introduces && at.run.counter > 1) {
      sent.introduces->run.counter = 1;
    }
    if (full && world_.broken("no_since")) {
      FullState state = *decode_full(*sent.parts[0].body);
      state.since = {};
      sent.parts[0].body = body_of(state);
    }
    bus::Bytes bytes;
    encode_bundle({sent}, bytes);
    world_.send(pid, gate.channel, Lane::down, "parts",
                [bytes, to = gate.process](World& w, const Pid& from) {
                  if (Gate* there = w.gate(to)) there->bundle(bytes, from);
                  return std::any();
                });
    link.taken(section);
    if (full) dirty = false;
  }
}

}  // namespace starbus::entity::sessions::sim
