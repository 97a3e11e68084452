#include "nodes/gate/node/gate.hpp"

#include <openssl/rand.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <stdexcept>
#include <utility>

#include "nodes/gate/node/limits.hpp"

namespace starbus::nodes::gate {

using std::chrono::milliseconds;

Gate::Gate(const GatePlace& place, GateSettings settings, AccountPort accounts, LoginPort login,
           std::uint64_t schema)
    : place_(place),
      settings_(std::move(settings)),
      login_(std::move(login)),
      clients_(place.loop, settings_.front, limited_, *this, schema, settings_.compress_above),
      cluster_(place, *this, std::move(accounts)) {
  cluster_.answer_info([this] { return info(); });
}

Key Gate::key() {
  Key key;
  // Without randomness tokens could be guessed: there is no way to go on.
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&key), sizeof key) != 1) {
    throw std::runtime_error("gate: the system gives no random bytes");
  }
  return key;
}

// --- begin ---------------------------------------------------------------------------------------

void Gate::begin() {
  clients_.hang_up_all();  // of a core before this one
  GateOptions options;
  options.self = {std::string(bus::kGatePrefix) + place_.process(), place_.bus.self()};
  options.address = settings_.address;
  options.sessions = settings_.sessions;
  options.last_question = core_ ? core_->last_question() : 0;
  options.budget = settings_.budget;
  core_.emplace(std::move(options), static_cast<KeySource&>(*this));
  static_cast<void>(core_->tick(
      std::chrono::duration_cast<GateTime>(ClientSide::Clock::now().time_since_epoch())));
  core_->linked(linked_);
}

void Gate::open(Done done) {
  begin();
  // Not before there is a core: what is seen goes there.
  if (!std::exchange(watching_, true)) {
    if (auto started = cluster_.start(); !started) return done(started);
  }
  place_.bus.bind(std::string(bus::kGatePrefix) + place_.process(), cluster_.handlers(),
                  [this, alive = std::weak_ptr(alive_),
                   done = std::move(done)](const bus::Result<bus::Bound>& bound) {
                    if (alive.expired()) return;
                    if (!bound) return done(bound.error());
                    bind(done);
                  });
}

void Gate::bind(Done done) {
  if (!std::exchange(listening_, true)) {
    if (auto started = clients_.front().start(); !started) return done(started);
    for (const net::PeerAddress& address : clients_.front().addresses()) {
      spdlog::info("gate: clients come in at {}", address.to_string());
    }
    const auto set = place_.timers.every(timers_, kGateTick, kGateTick, entity::CatchUp::once,
                                         [this] { tick(); });
    if (!set) return done(bus::Error(bus::Errc::would_block, "the node has too many timers"));
  }
  done({});
}

void Gate::lost() {
  if (!core_) return;
  core_->fence();
  settle();
  spdlog::warn(
      "gate: the lease is lost, and all clients were sent away: others may have their "
      "sessions now");
  begin();
}

void Gate::linked(bool there) {
  linked_ = there;
  if (!core_) return;
  if (there && core_->cut_off()) {
    spdlog::info("gate: the bus is there again, and clients are let in");
  }
  core_->linked(there);
}

Result<> Gate::reload(const GateSettings& fresh) {
  if (auto loaded = clients_.front().reload(fresh.front); !loaded) return loaded;
  settings_.front = fresh.front;
  settings_.drain_time = fresh.drain_time;
  settings_.budget = fresh.budget;
  if (core_) core_->set(fresh.budget);
  if (fresh.address == settings_.address && fresh.sessions == settings_.sessions &&
      fresh.compress_above == settings_.compress_above) {
    return {};
  }
  return Error(bus::Errc::bad_config, "address, sessions and compression of [gate] take a restart");
}

// --- what the core wants -------------------------------------------------------------------------

void Gate::settle() {
  if (std::exchange(settling_, true)) return;  // the one that runs goes on until nothing is left
  for (core_->take(effects_); !effects_.empty(); core_->take(effects_)) {
    for (Effect& effect : effects_) carry_out(std::move(effect));
  }
  settling_ = false;
  const std::size_t waiting = cluster_.calls().waiting();
  full_ = waiting > (full_ ? kCallsWaiting / 2 : kCallsWaiting);
  if (core_->speaking()) speak_later();
}

/// A slice in each turn of the loop, so that other clients are served in between; the first one at
/// once, and not with the next tick.
void Gate::speak_later() {
  if (std::exchange(speaks_, true)) return;
  boost::asio::post(place_.loop, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    speaks_ = false;
    core_->speak();
    settle();
  });
}

void Gate::carry_out(Effect effect) {
  if (auto* frame = std::get_if<SendFrame>(&effect)) return clients_.send(*frame);
  if (auto* packet = std::get_if<SendPacket>(&effect)) return clients_.send(*packet);
  if (auto* end = std::get_if<HangUp>(&effect)) return clients_.hang_up(end->connection);
  if (auto* subject = std::get_if<TellSubject>(&effect)) return cluster_.tell(std::move(*subject));
  if (auto* account = std::get_if<TellAccount>(&effect)) return cluster_.tell(std::move(*account));
  if (auto* load = std::get_if<LoadAccount>(&effect)) return cluster_.load(*load);
  if (auto* gate = std::get_if<TellGate>(&effect)) return cluster_.tell(std::move(*gate));
  if (auto* forget = std::get_if<ForgetLogin>(&effect)) return login_.forget(forget->question);
  const auto& login = std::get<TellLogin>(effect);
  login_.ask(
      login.question, login.ask,
      [this, alive = std::weak_ptr(alive_), question = login.question](const LoginAnswer& answer) {
        if (alive.expired()) return;
        core_->login_said(question, answer);
        settle();
      });
}

// --- time ----------------------------------------------------------------------------------------

void Gate::tick() {
  const auto now = ClientSide::Clock::now();
  const bool was_cut_off = core_->cut_off();
  const bool more_sessions =
      core_->tick(std::chrono::duration_cast<GateTime>(now.time_since_epoch()));
  if (core_->cut_off() && !was_cut_off) {
    spdlog::warn("gate: no link to busd for {} s: clients are sent to other gates; start busd",
                 std::chrono::duration_cast<std::chrono::seconds>(kSuspect).count());
  }
  settle();
  const bool more_clients = clients_.tick(now);
  limited_.sweep(now);
  if (drained_) check_drained();
  // What the bus has for this turn comes first: then a hole is a hole.
  boost::asio::post(place_.loop, [this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    core_->input_drained();
    settle();
  });
  if ((more_sessions || more_clients) && !std::exchange(ticks_again_, true)) {
    boost::asio::post(place_.loop, [this, alive = std::weak_ptr(alive_)] {
      if (alive.expired()) return;
      ticks_again_ = false;
      tick();
    });
  }
}

GateInfo Gate::info() const {
  GateInfo info;
  info.address = settings_.address;
  info.sessions = sessions();
  if (!drained_ && info.sessions < settings_.sessions) {
    info.room = settings_.sessions - info.sessions;
  }
  return info;
}

// --- drain ---------------------------------------------------------------------------------------

void Gate::drain(Done done) {
  if (!core_ || !listening_) return done({});
  drained_ = std::move(done);
  drain_until_ = ClientSide::Clock::now() + settings_.drain_time;
  clients_.front().stop_accepting();
  const std::vector<GateId> others = cluster_.gates();
  asked_ = others.size();
  if (others.empty()) return no_targets();
  for (const GateId& gate : others) {
    cluster_.ask_info(gate.channel, [this, alive = std::weak_ptr(alive_),
                                     gate](const std::optional<GateInfo>& info) {
      if (alive.expired()) return;
      if (info && info->room > 0) targets_.push_back({gate, info->address});
      if (--asked_ > 0) return;
      if (targets_.empty()) return no_targets();
      spdlog::info("gate: hands {} sessions to {} gates", sessions(), targets_.size());
      core_->drain(std::exchange(targets_, {}));
      settle();
    });
  }
}

void Gate::no_targets() {
  spdlog::warn("gate: no other gate has room: clients come back with their tokens, later");
  drain_until_ = ClientSide::Clock::now();
}

void Gate::check_drained() {
  if (closing_) return;
  const bool late = ClientSide::Clock::now() >= drain_until_;
  if (!late && !core_->drained()) return;
  closing_ = true;
  if (late && sessions() > 0) {
    spdlog::warn("gate: {} sessions were not handed over, or had no time to be forgotten",
                 sessions());
  }
  core_->end_drain();
  settle();
  clients_.front().stop({CloseReason::leaving, 0, "the gate stops"},
                        [this, alive = std::weak_ptr(alive_)] {
                          if (!alive.expired() && drained_) std::exchange(drained_, nullptr)({});
                        });
}

}  // namespace starbus::nodes::gate
