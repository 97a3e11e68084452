#include "tests/sim/spaces/gate_node.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "nodes/gate/node/call_outcome.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/gate/node/packet_frame.hpp"

namespace starbus::sim {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kBeat{5'000};
constexpr std::uint32_t kFrameBytes = 64 * 1024;
constexpr Time kProveAgain = from_ms(300);   // the account is being loaded
constexpr Time kProveLost = from_ms(3'000);  // the desk has died: longer than it waits

gates::GateTime gate_time(Time now) {
  return std::chrono::duration_cast<gates::GateTime>(now);
}

}  // namespace

GateNode::Program::Program(GateNode& node, boost::asio::io_context& loop)
    : GameProgram(node, loop),
      accounts(endpoint),
      cluster({loop, bus, endpoint, wheel, [&node] { return node.process(); }}, node,
              node.accounts()) {
  bus.on_link([this](bus::LinkState state, const bus::Error&) {
    if (core) core->linked(state == bus::LinkState::connected);
  });
}

gates::AccountPort GateNode::accounts() {
  return {[this](const std::string& account, const entity::sessions::AskAccount& word,
                 gates::AccountPort::Done done) {
            mine().accounts.ask(account, word, gates::kAccountAnswer,
                                [done = std::move(done)](const rpc::Result<std::string>& reply) {
                                  if (reply) return done(gates::Outcome::ok, bus::as_bytes(*reply));
                                  done(gates::outcome_of(reply.error()), {});
                                });
          },
          [this](const std::string& account) { mine().accounts.load(account); }};
}

GateNode::~GateNode() {
  if (up()) on_crash();
}

std::unique_ptr<GameProgram> GateNode::make(boost::asio::io_context& loop) {
  draining_ = false;
  return std::make_unique<Program>(*this, loop);
}

// --- begin and end -------------------------------------------------------------------------------

gates::GateId GateNode::self() {
  return {std::string(bus::kGatePrefix) + process(), mine().bus.self()};
}

void GateNode::begin_core() {
  gates::GateOptions options;
  options.self = self();
  options.address = address();
  options.last_question = mine().core ? mine().core->last_question() : 0;
  mine().core.emplace(std::move(options), static_cast<gates::KeySource&>(*this));
  static_cast<void>(mine().core->tick(gate_time(machine_time())));
}

void GateNode::open(Opened opened) {
  begin_core();
  if (!std::exchange(mine().watching, true)) {
    if (auto started = mine().cluster.start(); !started) return opened(started);
    static_cast<void>(wheel().every(mine().timers, gates::kGateTick, gates::kGateTick,
                                    entity::CatchUp::once, [this] { tick(); }));
  }
  mine().bus.bind(self().channel, mine().cluster.handlers(),
                  still([opened](const bus::Result<bus::Bound>& bound) {
                    opened(bound ? bus::Result<>() : bus::Result<>(bound.error()));
                  }));
}

void GateNode::lose() {
  if (!mine().core) return;
  mine().core->fence();
  settle();
  begin_core();
  for (const auto& [number, wire] : std::exchange(wires_, {})) {
    deliver(wire, [](Device& device) { device.cut_off(); });
  }
}

void GateNode::ends() {
  for (const auto& [number, wire] : std::exchange(wires_, {})) {
    deliver(wire, [](Device& device) { device.cut_off(); });
  }
}

bool GateNode::lets_in() {
  const auto gone = [](const auto& each) { return !each.second->open; };
  return (up() && !mine().logins.empty()) || std::ranges::any_of(wires_, gone);
}

void GateNode::drain(const GateNode& to, Time pause) {
  if (!ready() || !to.ready()) return;
  run([&] {
    for (const gates::GateId& each : mine().cluster.gates()) {
      if (each.channel != std::string(bus::kGatePrefix) + to.process()) continue;
      world_.note(name(), "drains");
      draining_ = true;
      core().drain({{each, to.address()}});
      settle();
      after(from_ms(10'000), [this, pause] {
        core().end_drain();
        settle();
        after(from_ms(500), [this, pause] {
          crash();
          world_.timeline.after(pause, [this] { start(); });
        });
      });
    }
  });
}

void GateNode::tick() {
  static_cast<void>(core().tick(gate_time(machine_time())));
  settle();
  boost::asio::post(mine().endpoint.loop(), [this] {
    core().input_drained();
    settle();
  });
}

// --- clients -------------------------------------------------------------------------------------

std::shared_ptr<Wire> GateNode::connect(Device& device) {
  if (!ready() || paused()) return nullptr;
  auto wire = std::make_shared<Wire>();
  wire->device = &device;
  wire->gate = this;
  wire->number = ++connections_;
  wires_[wire->number] = wire;
  run([&] {
    core().opened(wire->number, "here");
    settle();
  });
  return wire;
}

void GateNode::send(const std::shared_ptr<Wire>& wire, bus::Bytes frame) {
  const Time now = world_.now();
  wire->up = std::max(wire->up, now + world_.random.micros(500, 30'000));
  after(wire->up - now, [this, number = wire->number, frame = std::move(frame)] {
    run([&] { take(number, frame); });
  });
}

void GateNode::cut(const std::shared_ptr<Wire>& wire) {
  wire->open = false;
  after(world_.random.millis(0, 3'000), [this, number = wire->number] {
    if (wires_.erase(number) == 0) return;
    run([&] {
      core().closed(number);
      settle();
    });
  });
}

/// What the shell of a gate answers itself.
void GateNode::take(gates::ConnectionId connection, bus::ByteView bytes) {
  if (!wires_.contains(connection)) return;
  const auto frame = gates::decode_from_client(bytes);
  scene_.oracle.demand(frame.has_value(), "a frame of a client does not decode");
  if (!frame) return;
  if (std::holds_alternative<gates::Hello>(*frame)) {
    gates::Greeting greeting;
    greeting.heartbeat_ms = static_cast<std::uint32_t>(kBeat.count());
    greeting.frame_bytes = kFrameBytes;
    return put(connection, greeting);
  }
  if (const auto* ping = std::get_if<gates::Ping>(&*frame)) {
    return put(
        connection,
        gates::Pong{ping->time, static_cast<std::uint64_t>(gate_time(machine_time()).count())});
  }
  if (std::holds_alternative<gates::Pong>(*frame)) return;
  core().frame(connection, *frame);
  settle();
}

void GateNode::deliver(const std::shared_ptr<Wire>& wire, std::function<void(Device&)> what) {
  const Time now = world_.now();
  wire->down = std::max(wire->down, now + world_.random.micros(500, 30'000));
  world_.timeline.at(wire->down, [wire, what = std::move(what)] {
    if (wire->open) what(*wire->device);
  });
}

void GateNode::put(gates::ConnectionId connection, const gates::ToClient& frame) {
  const auto found = wires_.find(connection);
  if (found == wires_.end()) return;
  bus::Bytes bytes;
  gates::encode(frame, bytes);
  deliver(found->second, [bytes = std::move(bytes)](Device& device) { device.received(bytes); });
}

void GateNode::hang_up(gates::ConnectionId connection) {
  const auto wire = wires_.extract(connection);
  if (!wire.empty()) deliver(wire.mapped(), [](Device& device) { device.cut_off(); });
}

// --- what the core wants -------------------------------------------------------------------------

void GateNode::settle() {
  if (!mine().core || std::exchange(settling_, true)) return;
  for (auto effects = core().take(); !effects.empty(); effects = core().take()) {
    for (gates::Effect& effect : effects) carry_out(effect);
  }
  settling_ = false;
}

void GateNode::carry_out(gates::Effect& effect) {
  gates::BusSide& cluster = mine().cluster;
  if (auto* frame = std::get_if<gates::SendFrame>(&effect)) return put(frame->to, frame->frame);
  if (auto* packet = std::get_if<gates::SendPacket>(&effect)) {
    const auto found = wires_.find(packet->to);
    if (found == wires_.end()) return;
    const gates::PacketFrame made = gates::packet_frame(packet->packet);
    bus::Bytes bytes = made.head;
    bytes.insert(bytes.end(), made.body->begin(), made.body->end());
    return deliver(found->second,
                   [bytes = std::move(bytes)](Device& device) { device.received(bytes); });
  }
  if (auto* end = std::get_if<gates::HangUp>(&effect)) return hang_up(end->connection);
  if (auto* subject = std::get_if<gates::TellSubject>(&effect)) {
    return cluster.tell(std::move(*subject));
  }
  if (auto* account = std::get_if<gates::TellAccount>(&effect)) {
    return cluster.tell(std::move(*account));
  }
  if (auto* load = std::get_if<gates::LoadAccount>(&effect)) return cluster.load(*load);
  if (auto* gate = std::get_if<gates::TellGate>(&effect)) return cluster.tell(std::move(*gate));
  if (auto* forget = std::get_if<gates::ForgetLogin>(&effect)) {
    mine().logins.erase(forget->question);
    return;
  }
  const auto& login = std::get<gates::TellLogin>(effect);
  mine().logins[login.question] = 1;
  world_.note(name(), [&] { return "has a login of " + login.ask.account; });
  ask_login(login.question, login.ask);
}

/// Proves once for each question, unless the account gives no number.
void GateNode::ask_login(std::uint64_t question, const gates::LoginAsk& ask) {
  if (!mine().logins.contains(question)) return;
  const auto say = [this, question](const gates::LoginAdmitted& in) {
    if (mine().logins.erase(question) == 0) return;
    core().login_said(question, in);
    settle();
  };
  if (ask.method == gates::kReentryMethod) {
    const auto seen = read_ticket(ask.proof);
    const std::string text(bus::as_text(ask.proof));
    const std::string account = text.substr(text.rfind(' ') + 1);
    later(Time{}, still([say, account, seen, proof = ask.proof] {
            say(gates::LoginAdmitted{account, seen->login, proof, proof});
          }));
    return;
  }
  const std::string account = "account/" + ask.account;
  const auto told = std::make_shared<bool>(false);
  later(kProveLost, still([this, question, ask, told] {
          if (!*told) ask_login(question, ask);
        }));
  const auto drawn = [this, account, ask, say, question, told,
                      life = std::weak_ptr(mine().lease)](std::uint64_t login) {
    if (life.expired() || !up()) return;
    *told = true;
    if (login == 0) {
      return later(kProveAgain, still([this, question, ask] { ask_login(question, ask); }));
    }
    later(
        Time{}, still([this, account, ask, say, login] {
          say(gates::LoginAdmitted{account, login, write_ticket(login, ask.session, self().channel),
                                   write_ticket(login, {}, account)});
        }));
  };
  after(world_.random.micros(500, 5'000), [this, account, drawn] { desk_.prove(account, drawn); });
}

}  // namespace starbus::sim
