#include "nodes/gate/core/downlink.hpp"

#include <algorithm>
#include <utility>

#include "entity/archive/decoder.hpp"
#include "nodes/gate/core/egress.hpp"
#include "nodes/gate/core/hand_overs.hpp"
#include "nodes/gate/core/subjects.hpp"

namespace starbus::nodes::gate {

using sessions::PartKind;
using sessions::Section;

void Downlink::bundle(const bus::Process& home, bus::ByteView bytes) {
  const auto sections = sessions::decode_bundle(bytes);
  if (!sections) {
    ++desk_.counters.malformed_words;
    return;
  }
  for (const Section& each : *sections) section(home, each);
}

void Downlink::section(const bus::Process& home, const Section& said) {
  const Introduction* known =
      said.introduces ? &*said.introduces : desk_.homes.find(home, said.handle);
  Session* const session = known == nullptr ? nullptr : desk_.table.find(known->session);
  if (session == nullptr || session->stage == Stage::ended) {
    desk_.counters.parts_unknown += said.parts.size();
    if (known != nullptr) {
      desk_.effects.push_back(
          TellSubject{0, known->subject, sessions::Unknown{known->session, known->turn}});
    }
    return;
  }
  const Introduction at = *known;
  if (said.introduces) desk_.homes.introduce(home, said.handle, at);
  if (session->given_away()) {
    return desk_.hand_overs->forward(*session, ForwardedParts{at, home, said.first, said.parts});
  }
  for (std::size_t i = 0; i < said.parts.size(); ++i) {
    part(*session, at, home, said.first + i, said.parts[i]);
    if (session->stage != Stage::live && session->stage != Stage::fresh) return;
  }
}

void Downlink::forwarded(Session& session, const ForwardedParts& parts) {
  desk_.homes.watch(parts.home, session.id);
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    part(session, parts.at, parts.home, parts.first + i, parts.parts[i]);
    if (session.stage != Stage::live) return;
  }
}

void Downlink::part(Session& session, const Introduction& at, const bus::Process& home,
                    std::uint64_t n, const sessions::Part& said) {
  if (session.stage == Stage::live) session.heard = desk_.now;
  const Bind bind = session.order.bind();
  if (at.turn < session.hand.turn) desk_.hand_overs->relink_subject(session);
  if (at.bind == bind && at.subject != session.subject) {
    ++desk_.counters.parts_foreign;
    return;
  }
  // An idle part may say more of a hole: see below.
  if (session.stage == Stage::live && said.kind != PartKind::idle &&
      session.order.pass(at, home, n)) {
    if (pass_on(session, at, n, said)) pass_all(session, true);
    return;
  }
  if (at.bind > bind && session.stage == Stage::live) desk_.subjects->locate(session);
  const Run run = session.order.run();
  std::optional<bus::Process> before;
  if (said.kind == PartKind::idle && at.bind == bind) {
    const auto idle = sessions::decode_idle(*said.body);
    if (idle) before = idle->before;
  }
  switch (session.order.put({at, home, n, said})) {
    case PartOrder::Put::late:
      ++desk_.counters.parts_late;
      return;
    case PartOrder::Put::early:
      return;
    case PartOrder::Put::full:
      ++desk_.counters.parts_full;
      if (session.stage == Stage::live && !session.resyncing) resync(session);
      return;
    case PartOrder::Put::taken:
      break;
  }
  if (session.order.run() != run) session.hole.reset();
  pass_all(session, false);
  // The words of the home before came before these: if it is dead, they may never come.
  if (session.stage == Stage::live && session.hole && before && desk_.homes.dead(*before)) {
    resync(session);
  }
}

void Downlink::pass_all(Session& session, bool moved) {
  while (session.stage == Stage::live) {
    const std::optional<HeldPart> next = session.order.take();
    if (!next) break;
    moved = true;
    if (!pass_on(session, next->at, next->n, next->part)) return;
  }
  if (session.stage == Stage::live) note_hole(session, moved);
}

void Downlink::note_hole(Session& session, bool moved) {
  if (moved) session.back_off = {};
  if (!session.order.hole()) {
    session.hole.reset();
  } else if (!session.hole || moved) {
    suspect(session);
  }
}

void Downlink::suspect(Session& session) {
  session.hole = desk_.now;
  session.patience = desk_.options.times.hole;
  desk_.table.wake(session, desk_.now + session.patience);
}

/// False: the session is not live any more.
bool Downlink::pass_on(Session& session, const Introduction& at, std::uint64_t n,
                       const sessions::Part& said) {
  if (at.turn == session.hand.turn) {
    session.hand.direct = at.bind;
    desk_.hand_overs->settle(session);
  }
  const Mark mark{at.bind, at.run, n};
  session.over.reset();
  if ((n == 1) != (said.kind == PartKind::full)) {
    ++desk_.counters.malformed_words;
    desk_.subjects->end(session, CloseReason::fault, {});
    return false;
  }
  const std::string group(said.kind == PartKind::join || said.kind == PartKind::leave
                              ? bus::as_text(*said.body)
                              : std::string_view());
  PacketKind kind = static_cast<PacketKind>(said.kind);
  switch (said.kind) {
    case PartKind::full:
      return full_state(session, at, n, said);
    case PartKind::join:
      if (session.groups.size() < sessions::kLinkGroups && group.size() <= sessions::kGroupName) {
        session.groups.insert(group);
        desk_.groups.join(group, session.id);
      }
      session.window.silent(mark);
      return true;
    case PartKind::leave:
      session.groups.erase(group);
      desk_.groups.leave(group, session.id);
      session.window.silent(mark);
      return true;
    case PartKind::idle:
      session.window.silent(mark);
      return true;
    case PartKind::reply:
      session.requests.replied(entity::Decoder(*said.body).varint());
      kind = PacketKind::reply;
      break;
    case PartKind::over:
      session.over = desk_.now;
      desk_.table.wake(session, desk_.now + desk_.options.times.pulse);
      break;
    case PartKind::call:
    case PartKind::news:
    case PartKind::sight:
      break;
  }
  packet(session, kind, said.body, mark);
  return session.stage == Stage::live;
}

bool Downlink::full_state(Session& session, const Introduction& at, std::uint64_t n,
                          const sessions::Part& said) {
  const auto full = sessions::decode_full(*said.body);
  if (!full) {
    ++desk_.counters.malformed_words;
    desk_.subjects->end(session, CloseReason::fault, {});
    return false;
  }
  session.requests.full(at.bind, full->up_done, full->open);
  session.lost.reset();
  leave_groups(session);
  for (const std::string& group : full->groups) {
    session.groups.insert(group);
    desk_.groups.join(group, session.id);
  }
  packet(session, PacketKind::full, said.body, {at.bind, at.run, n});
  return session.stage == Stage::live;
}

void Downlink::packet(Session& session, PacketKind kind, Body body, const Mark& mark) {
  if (session.window.full()) return desk_.subjects->leave(session, CloseReason::too_slow);
  const std::size_t size = body == nullptr ? 0 : body->size();
  session.traffic.of(kind).add(size);
  desk_.counters.traffic.of(kind).add(size);
  session.window.add(kind, std::move(body), mark, session.requests.seen());
  desk_.egress->more(session);
}

void Downlink::begin(Session& session, const Bind& bind) {
  leave_groups(session);          // they are of the bind
  session.request_waits = false;  // likewise: its full state says what has become of them
  session.over.reset();
  session.heard = desk_.now;
  std::vector<HeldPart> early = session.order.begin(bind);
  suspect(session);
  for (const HeldPart& each : early) {
    if (session.stage != Stage::live) return;
    part(session, each.at, each.home, each.n, each.part);
  }
}

// --- what is said to groups ----------------------------------------------------------------------

bool Downlink::announce(ForwardedSpoken word) {
  if (spoken_.size() == kSpokenWaiting) {
    keep(word, {Reach::State::refused});
    return false;
  }
  spoken_.push_back({std::move(word), {}, {}});
  return true;
}

void Downlink::keep(const ForwardedSpoken& word, const Reach& reach) {
  if (said_.size() == kSpokenKept) said_.pop_front();
  said_.push_back({word.origin, word.number, reach});
}

std::optional<Reach> Downlink::reach(const bus::Process& origin, std::uint64_t number) const {
  const auto is_it = [&](const auto& word) {
    return word.number == number && word.origin == origin;
  };
  const auto said = std::find_if(said_.rbegin(), said_.rend(), is_it);
  if (said != said_.rend()) return said->reach;
  const auto speaking = std::ranges::find_if(spoken_, is_it, &Speaking::word);
  if (speaking != spoken_.end()) return speaking->reach;
  return {};
}

std::size_t Downlink::speak(std::size_t most) {
  std::size_t done = 0;
  while (done < most && !spoken_.empty()) {
    Speaking& now = spoken_.front();
    Session* session = nullptr;
    if (now.word.group.empty()) {
      session = desk_.table.after(now.at);
    } else if (const auto next = desk_.groups.after(now.word.group, now.at)) {
      session = desk_.table.find(*next);
    }
    if (session == nullptr) {
      now.reach.state = Reach::State::done;
      keep(now.word, now.reach);
      spoken_.pop_front();
      continue;
    }
    ++done;
    now.at = session->id;
    if (spoken(*session, now.word)) {
      ++(session->connection != 0 ? now.reach.handed : now.reach.kept);
    }
  }
  return done;
}

bool Downlink::spoken(Session& session, const ForwardedSpoken& word) {
  if (session.given_away()) {
    desk_.hand_overs->forward(session, word);
    return false;
  }
  if (!session.listens()) return false;
  if (!word.group.empty() && !session.groups.contains(word.group)) return false;
  if (!session.spoken.first(word.origin, word.number)) {
    ++desk_.counters.spoken_twice;
    return false;
  }
  ++desk_.counters.spoken;
  packet(session, PacketKind::spoken, word.body, {});
  return session.stage == Stage::live;
}

void Downlink::leave_groups(Session& session) {
  for (const std::string& group : session.groups) desk_.groups.leave(group, session.id);
  session.groups.clear();
}

// --- questions to the subject --------------------------------------------------------------------

void Downlink::resync(Session& session) {
  if (session.stage != Stage::live || session.subject.empty()) return;
  const GateTimes& times = desk_.options.times;
  session.heard = session.hole.emplace(desk_.now);
  session.back_off = session.back_off == GateTime{}
                         ? times.pulse
                         : std::min(2 * session.back_off, times.resync_most);
  session.patience = session.back_off;
  desk_.table.wake(session, desk_.now + session.patience);
  session.resyncing = true;
  ++desk_.counters.resyncs;
  const PartOrder& order = session.order;
  desk_.effects.push_back(TellSubject{
      desk_.ask({Question::Kind::resync, session.id, 0, {}}), session.subject,
      sessions::Resync{session.id, session.hand.turn, order.bind(), order.run(), order.next()}});
}

void Downlink::pulse(Session& session) {
  session.heard = desk_.now;
  if (session.subject.empty() || session.pulsing) return;
  session.pulsing = true;
  ++desk_.counters.pulses;
  const PartOrder& order = session.order;
  desk_.effects.push_back(TellSubject{
      desk_.ask({Question::Kind::pulse, session.id, 0, {}}), session.subject,
      sessions::Pulse{session.id, session.hand.turn, order.bind(), order.run(), order.next()}});
}

/// Said again under the same number when the subject was allowed nothing, and may be again.
void Downlink::credit(Session& session) {
  const std::size_t allowed = session.credit.allowed(desk_.now);
  const std::size_t room = session.window.bytes() < allowed ? allowed : 0;
  std::optional<Mark> mark = session.window.take_credit();
  if (!mark && session.credited == 0 && room > 0) mark = session.window.state().credited;
  if (!mark || mark->n == 0 || mark->bind != session.order.bind() ||
      mark->run != session.order.run()) {
    return;
  }
  session.credited = room;
  desk_.effects.push_back(TellSubject{
      0, session.subject, sessions::Credit{session.id, mark->bind, mark->run, mark->n, room}});
}

void Downlink::due_hole(Session& session) {
  if (std::exchange(session.hole_due, true)) return;
  due_holes_.push_back(session.id);
}

void Downlink::input_drained() {
  for (std::size_t left = std::min<std::size_t>(due_holes_.size(), kTickSlice); left > 0; --left) {
    Session* const session = desk_.table.find(due_holes_.front());
    due_holes_.pop_front();
    if (session == nullptr) continue;
    session->hole_due = false;
    if (session->stage != Stage::live || !session->hole) continue;
    if (desk_.now - *session->hole >= session->patience) resync(*session);
  }
}

}  // namespace starbus::nodes::gate
