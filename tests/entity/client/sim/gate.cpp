#include "tests/entity/client/sim/gate.hpp"

#include <algorithm>

#include "tests/entity/client/sim/world.hpp"

namespace starbus::entity::sessions::sim {
namespace {

// Of nodes/gate/node: how long a gate waits for an answer.
constexpr LinkTime kSubjectAnswer{30'000}, kAccountAnswer{10'000}, kGateAnswer{10'000};

gates::GateOptions options_of(const World& world, const Pid& at, std::uint64_t last_question) {
  gates::GateOptions options;
  options.self = world.gate_id(at);
  options.address = options.self.channel;
  options.last_question = last_question;
  using gates::GateTime;
  const auto seconds = [](int count) { return GateTime(1000LL * count); };
  options.times = {seconds(world.away),  seconds(6), seconds(world.stub), seconds(world.stub),
                   seconds(world.pulse), seconds(4), seconds(20),         seconds(1),
                   seconds(5),           seconds(3)};
  return options;
}

template <class T>
bus::Bytes bytes_of(const T& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return bytes;
}

SessionId session_of(const ToSubject& word) {
  if (const auto* pulse = std::get_if<Pulse>(&word)) return pulse->session;
  if (const auto* resync = std::get_if<Resync>(&word)) return resync->session;
  return {};
}

const char* name_of_word(const ToSubject& word) {
  static constexpr const char* kNames[] = {"set_link", "unlink",      "relink",  "resync", "pulse",
                                           "credit",   "client_gone", "unknown", "request"};
  return kNames[word.index()];
}

/// As nodes/gate/node/bus_side.cpp has it: who does not answer in time counts as lost.
gates::Outcome gate_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return gates::Outcome::ok;
    case Outcome::no_owner:
      return gates::Outcome::no_owner;
    case Outcome::refused:
      return gates::Outcome::refused;
    default:
      return gates::Outcome::owner_lost;
  }
}

}  // namespace

Gate::Gate(World& world, const Pid& at, std::uint64_t last_question)
    : core(options_of(world, at, last_question), *this), world_(world), pid(at) {}

std::vector<SessionId> Gate::sessions() {
  std::vector<SessionId> found;
  for (const auto* each = core.after({}); each != nullptr; each = core.after(each->id)) {
    found.push_back(each->id);
  }
  return found;
}

Key Gate::key() {
  return world_.key();
}

// --- in ------------------------------------------------------------------------------------------

void Gate::opened(const std::shared_ptr<Wire>& wire) {
  wires_[wire->number] = wire;
  core.opened(wire->number, "here");
}

void Gate::frame(const std::shared_ptr<Wire>& wire, gates::FromClient frame) {
  if (!wires_.contains(wire->number)) return;
  if (auto* again = std::get_if<gates::Resume>(&frame)) {
    const gates::Session* record = core.find(again->session);
    if (record != nullptr && world_.broken("last_c_ignored")) {
      again->position.c = record->window.state().acked;
    }
  }
  core.frame(wire->number, frame);
  pump();
}

void Gate::closed(gates::ConnectionId connection) {
  if (wires_.erase(connection) == 0) return;
  core.closed(connection);
  pump();
}

void Gate::bundle(const bus::Bytes& bytes, const Pid& home) {
  if (!world_.broken("no_order_by_n")) {
    core.bundle(home, bytes);
    return pump();
  }
  // As they come: each part has the number that is expected.
  auto sections = decode_bundle(bytes);
  for (Section& section : *sections) {
    Introduction& at = handles_[{home, section.handle}];
    if (section.introduces) at = *section.introduces;
    const gates::Session* record = core.find(at.session);
    if (record != nullptr && record->order.run() == at.run && section.first > 1) {
      section.first = record->order.next();
    }
  }
  bus::Bytes changed;
  encode_bundle(*sections, changed);
  core.bundle(home, changed);
  pump();
}

void Gate::bound(const SessionId& session, const Bind& bind, const std::string& subject) {
  core.told(Bound{session, bind, subject});
  pump();
}

void Gate::end(const SessionId& session, const Bind& bind, Reason reason,
               const std::optional<Closing>& closing) {
  core.told(End{session, bind, reason, closing});
  pump();
}

void Gate::death(const Pid& dead) {
  core.died(dead);
  core.tick(world_.clock());
  pump();
}

void Gate::tick() {
  const bool was_cut_off = core.cut_off();
  while (core.tick(world_.clock())) pump();
  if (core.cut_off() && !was_cut_off) ++world_.oracle.count["cut off"];
  // In calm runs and scripted cases nothing is late: it is held back.
  if (world_.hole < 1'000) core.input_drained();
  pump();
}

void Gate::announced(const Pid& origin, std::uint64_t number, const std::string& group) {
  const std::string text = group + ":" + std::to_string(number);
  const bus::ByteView bytes = bus::as_bytes(text);
  core.announce(origin, number, group,
                std::make_shared<const bus::Bytes>(bytes.begin(), bytes.end()));
}

std::any Gate::word(const Pid& from, const bus::Bytes& bytes) {
  auto word = gates::decode_gate_word(bytes);
  if (!word) Oracle::bad("a word of a gate is malformed: " + word.error().to_string());
  std::any answer;
  if (const auto taken = core.told(from, *word)) answer = bytes_of(*taken);
  const auto* take = std::get_if<gates::Take>(&*word);
  if (take != nullptr && world_.broken("stub_freed_early")) {
    gates::TellGate early{0, take->giver.channel,
                          gates::StubDone{take->session, take->hand.turn + 1}};
    act(early);
  }
  pump();
  return answer;
}

void Gate::give(const SessionId& session, const Pid& to) {
  const gates::Session* record = core.find(session);
  if (record == nullptr || record->stage != gates::Stage::live || world_.bus().told(pid, to))
    return;
  if (!core.give(session, world_.gate_id(to), channel_of(to))) return;
  ++world_.oracle.count["hand-overs"];
  pump();
}

void Gate::drain(const std::vector<Pid>& to) {
  std::vector<gates::DrainTarget> targets;
  for (const Pid& each : to) targets.push_back({world_.gate_id(each), channel_of(each)});
  core.drain(std::move(targets));
  tick();
}

// --- out -----------------------------------------------------------------------------------------

void Gate::pump() {
  for (auto effects = core.take(); !effects.empty(); effects = core.take()) {
    for (gates::Effect& effect : effects) {
      std::visit([this](auto& each) { act(each); }, effect);
    }
  }
}

void Gate::act(gates::SendFrame& effect) {
  const auto found = wires_.find(effect.to);
  if (found == wires_.end() || found->second->broken) return;
  found->second->down.emplace_back(effect.frame);
}

void Gate::act(gates::SendPacket& effect) {
  const auto found = wires_.find(effect.to);
  if (found == wires_.end() || found->second->broken) return;
  if (world_.broken("window_dropped") && effect.packet.mark.n != 0) {
    const gates::Session* record = nullptr;
    for (record = core.after({}); record != nullptr && record->connection != effect.to;) {
      record = core.after(record->id);
    }
    if (record != nullptr && effect.packet.mark.run < record->order.run()) return;
  }
  found->second->down.emplace_back(effect.packet);
}

void Gate::act(gates::HangUp& effect) {
  const auto found = wires_.find(effect.connection);
  if (found == wires_.end()) return;
  const std::shared_ptr<Wire> wire = found->second;
  wires_.erase(found);
  if (wire->broken) return;
  wire->broken = true;
  wire->up.clear();
  wire->down.emplace_back(Wire::Eof{});
}

/// To the core that this process has then: it may have lost its lease meanwhile.
Done Gate::done(std::uint64_t question) {
  if (question == 0) return {};
  return [&world = world_, me = pid, question](Outcome outcome, const std::any& value) {
    if (Gate* gate = world.gate(world.heir(me))) gate->outcome(question, outcome, value);
  };
}

void Gate::outcome(std::uint64_t question, Outcome outcome, const std::any& value) {
  const auto* bytes = std::any_cast<bus::Bytes>(&value);
  if (outcome == Outcome::silent && world_.broken("silence_is_a_refusal")) {
    outcome = Outcome::refused;
  }
  core.outcome(question, gate_outcome(outcome),
               bytes == nullptr ? bus::ByteView() : bus::ByteView(*bytes));
  pump();
}

void Gate::fence() {
  core.fence();
  pump();
}

void Gate::linked(bool there) {
  core.linked(there);
}

void Gate::act(gates::TellSubject& effect) {
  ToSubject& word = effect.word;
  const std::string what = name_of_word(word);
  if (world_.broken(what + "_never_said")) {
    if (effect.question == 0) return;
    const bus::Bytes dropped = bytes_of(Answer{AnswerKind::dropped, {}, {}, 0, 0, {}, {}});
    return core.outcome(effect.question, gates::Outcome::ok, dropped);
  }
  if (auto* request = std::get_if<Request>(&word); request != nullptr) {
    if (world_.broken("requests_of_the_turn_before") && request->turn > 1) --request->turn;
  }
  if (what == "resync") ++world_.oracle.count["resyncs"];
  Letter letter{pid, effect.subject, Lane::up, what,
                [to = effect.subject, word, &w = world_](const Pid& from, const Pid& at) {
                  Player* const player = w.player_at(to, at);
                  if (player == nullptr) return std::any();
                  const Answer answer = player->take(word, {from, true});
                  if (answer.kind == AnswerKind::replaced && w.broken("replaced_believed")) {
                    w.gate(from)->end(session_of(word), {~0ULL, ~0ULL}, Reason::replaced, {});
                  }
                  return std::any(bytes_of(answer));
                }};
  letter.done = done(effect.question);
  letter.deadline = kSubjectAnswer;
  world_.send(std::move(letter));
}

void Gate::act(gates::TellAccount& effect) {
  const AskAccount word = effect.word;
  const char* what = std::holds_alternative<BindSession>(word) ? "bind"
                     : std::holds_alternative<Where>(word)     ? "where"
                                                               : "relink";
  if (world_.broken("where_never_asked") && std::holds_alternative<Where>(word)) {
    return core.outcome(effect.question, gates::Outcome::owner_lost, {});
  }
  if (const auto* where = std::get_if<Where>(&word); where != nullptr && where->bind == Bind{}) {
    ++world_.oracle.count["sought"];
    if (world_.broken("session_not_sought")) {
      return core.outcome(effect.question, gates::Outcome::ok,
                          bytes_of(AccountAnswer{AccountAnswerKind::ended, {}, {}, 0, 0, {}}));
    }
  }
  Letter letter{pid, effect.account, Lane::up, what,
                [to = effect.account, word, &w = world_](const Pid& from, const Pid& at) {
                  Account* const account = w.account_at(to, at);
                  if (account == nullptr) return std::any();
                  return std::any(account->ask(word, {from, true}));
                }};
  letter.done = done(effect.question);
  letter.deadline = kAccountAnswer;
  world_.send(std::move(letter));
}

void Gate::act(gates::LoadAccount& effect) {
  world_.load(pid, effect.account, {});
}

/// The login believes everybody; the signed part is (login, account).
void Gate::act(gates::TellLogin& effect) {
  gates::LoginAdmitted in;
  in.account = effect.ask.account;
  in.ticket = bus::Bytes(8);
  if (effect.ask.method == gates::kReentryMethod) {
    const bus::ByteView proof = effect.ask.proof;
    std::copy_n(proof.begin(), 8, in.ticket.begin());
    in.login = bus::load<std::uint64_t>(in.ticket.data());
    in.account = std::string(bus::as_text(proof.subspan(8)));
  }
  core.login_said(effect.question, in);
}

/// What a hand-over leaves behind.
void Gate::spoil(gates::Take& take) {
  if (world_.broken("requests_stay_behind")) take.requests.pending.clear();
  if (world_.broken("window_stays_behind")) {
    take.window.packets.clear();
    take.window.acked = take.window.next - 1;
  }
  if (world_.broken("spoken_stays_behind")) take.spoken.clear();
  if (world_.broken("up_seen_stays_behind")) {
    take.requests.seen = 0;
    take.requests.pending.clear();
    take.requests.open.clear();
  }
  if (world_.broken("n_of_record_stays_behind")) {
    take.order.next = 1;
    take.order.held.clear();
  }
  if (world_.broken("erased_stay_behind")) take.tokens.erased.clear();
  if (world_.broken("pass_stays_behind")) take.hand.secret = {5, 5};
}

void Gate::act(gates::TellGate& effect) {
  if (world_.broken("stub_drops") && std::holds_alternative<gates::Forwarded>(effect.word)) return;
  if (auto* take = std::get_if<gates::Take>(&effect.word)) spoil(*take);
  bus::Bytes bytes;
  if (!gates::encode(effect.word, bytes)) Oracle::bad("a word of a gate is too large");
  static constexpr const char* kNames[] = {"give", "nogive", "take", "forwarded", "stub_done"};
  Letter letter{pid, effect.gate, Lane::down, kNames[effect.word.index()],
                [bytes, &w = world_](const Pid& from, const Pid& at) {
                  Gate* const there = w.gate(at);
                  return there == nullptr ? std::any() : there->word(from, bytes);
                }};
  letter.done = done(effect.question);
  if (std::holds_alternative<gates::Take>(effect.word)) letter.deadline = kGateAnswer;
  letter.bytes = bytes.size();
  world_.send(std::move(letter));
}

}  // namespace starbus::entity::sessions::sim
