#include "tests/sim/sessions/joined_bus.hpp"

#include <algorithm>

namespace starbus::sim {

using sessions::Later;
using sessions::Letter;
using sessions::Outcome;

namespace {

constexpr Time kPatience = from_ms(180'000);

}  // namespace

JoinedBus::JoinedBus(const Options& options)
    : world_(options.seed, WorldOptions{.processes_per_host = 0, .movers = {}}), options_(options) {
  world_.trace.print_to(options.trace);
  world_.leases_may_end = options.deaths;
}

JoinedBus::~JoinedBus() = default;

void JoinedBus::begin(sessions::BusEvents& events) {
  events_ = &events;
  world_.begin();
  static constexpr const char* kNodes[] = {"", "gate", "home", "desk"};
  for (const std::uint32_t kind : {sessions::kGates, sessions::kHomes, sessions::kDesks}) {
    for (std::uint32_t slot = 1; slot <= sessions::slots_of(kind); ++slot) {
      processes_[{kind, slot}] =
          std::make_unique<SessionProcess>(*this, world_, world_.host((kind + slot) % 3),
                                           kNodes[kind] + std::to_string(slot), kind, slot);
    }
  }
  if (options_.faults) {
    Profile profile = *find_profile(options_.deaths ? "deaths" : "base");
    profile.extended = true;
    adversary_.emplace(world_, profile);
  }
  if (!options_.faults) {
    world_.network.set_loss(
        [this](const Node&, bus::Kind kind, bus::ByteView) { return is_held_back(kind); });
  }
}

// --- processes -----------------------------------------------------------------------------------

SessionProcess* JoinedBus::find(const Pid& pid) const {
  const auto found = processes_.find({pid.host, pid.slot});
  const bool here = found != processes_.end() && found->second->lives_as(pid);
  return here ? found->second.get() : nullptr;
}

std::optional<Pid> JoinedBus::pid_of(const bus::Process& process) const {
  const auto found = pids_.find(process);
  return found == pids_.end() ? std::nullopt : std::optional(found->second);
}

Pid JoinedBus::start(std::uint32_t host, std::uint32_t slot) {
  return processes_.at({host, slot})->begin_life();
}

void JoinedBus::wait_until_ready() {
  const bool all = advance_until(
      [this] {
        return std::ranges::all_of(processes_, [](const auto& each) {
          return !each.second->up() || each.second->ready();
        });
      },
      kPatience);
  if (!all) throw sessions::Violation("a process does not get its channel");
}

void JoinedBus::kill(const Pid& pid) {
  SessionProcess* const process = find(pid);
  if (process == nullptr) return;
  forget_moves_of(pid);
  ++world_.counts[Event::process_deaths];
  process->kill();
}

bool JoinedBus::ready(const Pid& pid) const {
  const SessionProcess* const process = find(pid);
  return process != nullptr && process->ready();
}

bool JoinedBus::stopped(const Pid& pid) const {
  const SessionProcess* const process = find(pid);
  return process != nullptr && process->paused();
}

void JoinedBus::within(const Pid& pid, const std::function<void()>& action) {
  if (SessionProcess* const process = find(pid)) process->within(action);
}

void JoinedBus::later(const Pid& pid, std::function<void()> action) {
  if (SessionProcess* const process = find(pid)) process->in_turn(std::move(action));
}

bool JoinedBus::told(const Pid& reader, const Pid& dead) const {
  const SessionProcess* const process = find(reader);
  return process != nullptr && process->told(dead);
}

// --- messages ------------------------------------------------------------------------------------

bool JoinedBus::send(Letter letter) {
  SessionProcess* const process = find(letter.from);
  return process == nullptr || process->send(std::move(letter));
}

bus::Bytes JoinedBus::written(const Letter& letter) {
  bus::Bytes body(std::max<std::size_t>(letter.bytes, sizeof(std::uint64_t)));
  bus::store(body.data(), ++numbers_);
  letters_.emplace(numbers_, letter);
  return body;
}

/// The bus' own promises come first: once, in order, from whom it says, and nothing of a process
/// whose death was told.
void JoinedBus::deliver(SessionProcess& at, const bus::Message& message, bus::Call* call) {
  const auto number = bus::load<std::uint64_t>(message.body().data());
  auto node = letters_.extract(number);
  if (node.empty()) return found("the bus has handed on a letter twice");
  const Letter& letter = node.mapped();
  const std::string what = letter.what + " to " + letter.to;
  std::uint64_t& latest = latest_[{letter.from, letter.to, letter.lane}];
  if (number < latest) return found("the bus has handed on out of order: " + what);
  latest = number;
  const Pid from = pid_of(message.origin()).value_or(Pid{});
  if (from != letter.from) return found("of another process: " + what);
  const auto moving = moves_.find(letter.to);
  if (moving != moves_.end() && moving->second.frozen && moving->second.source == at.pid()) {
    return found("handed to one that is packed: " + what);
  }
  if (at.has_heard_of_death(message.origin())) return found("a word of the dead: " + what);
  world_.trace.mix(number);
  world_.note(at.name(),
              [&] { return "takes " + what + " of " + sessions::channel_of(letter.from); });
  std::any value = letter.handler(from, at.pid());
  if (call == nullptr) return;
  const auto responder = std::make_shared<bus::Responder>(call->responder());
  const auto* later = std::any_cast<std::shared_ptr<Later>>(&value);
  if (later == nullptr) return answer(responder, Outcome::ok, std::move(value));
  (*later)->on_end([this, &at, life = at.pid(), responder](Outcome outcome, std::any end) {
    if (at.lives_as(life)) at.within([&] { answer(responder, outcome, std::move(end)); });
  });
}

void JoinedBus::answer(const std::shared_ptr<bus::Responder>& responder, Outcome outcome,
                       std::any value) {
  if (outcome != Outcome::ok) {
    static_cast<void>(responder->fail({bus::Errc::handler_failed, "no answer"}));
    return;
  }
  bus::Bytes body(sizeof(std::uint64_t));
  bus::store(body.data(), ++numbers_);
  answers_.emplace(numbers_, std::move(value));
  static_cast<void>(responder->reply(bus::ByteView(body)));
}

std::any JoinedBus::read_answer(const bus::Bytes& reply) {
  auto node = answers_.extract(bus::load<std::uint64_t>(reply.data()));
  if (node.empty()) {
    found("the bus has handed on an answer twice");
    return {};
  }
  return std::move(node.mapped());
}

void JoinedBus::found(const std::string& violation) {
  if (violation_.empty()) violation_ = violation;
}

// --- names ---------------------------------------------------------------------------------------

bool JoinedBus::owned(const std::string& name) const {
  return std::ranges::any_of(processes_,
                             [&](const auto& each) { return each.second->epoch(name) != 0; });
}

void JoinedBus::bind(const Pid& at, const std::string& name, std::function<void()> done) {
  if (SessionProcess* const process = find(at)) process->bind(name, std::move(done));
}

bool JoinedBus::move(const std::string& name, const Pid& from, const Pid& target) {
  SessionProcess* const source = find(from);
  SessionProcess* const there = find(target);
  if (source == nullptr || there == nullptr || source == there || moves_.contains(name) ||
      source->paused()) {
    return false;
  }
  moves_[name] = Move{from, false, false, !scripted, !scripted};
  source->move(name, *there);
  if (!scripted) return true;
  return advance_until([&] { return !moves_.contains(name) || moves_[name].frozen; }, kPatience);
}

bool JoinedBus::moving(const std::string& name) const {
  const auto found = moves_.find(name);
  return found != moves_.end() && !found->second.arrived;
}

bool JoinedBus::has_source(const std::string& name) const {
  const auto found = moves_.find(name);
  return found != moves_.end() && found->second.arrived;
}

void JoinedBus::attach(const std::string& name) {
  const auto found = moves_.find(name);
  if (found == moves_.end() || found->second.may_attach) return;
  found->second.may_attach = true;
  if (!advance_until([&] { return !moving(name); }, kPatience)) {
    throw sessions::Violation("a move does not go on: " + name);
  }
}

void JoinedBus::free_source(const std::string& name) {
  const auto found = moves_.find(name);
  if (found == moves_.end() || found->second.may_end) return;
  // Of all moves: what is held back does not say of which it is.
  for (auto& [other, move] : moves_) move.may_end = move.may_end || move.arrived;
  found->second.may_attach = found->second.may_end = true;
  if (!advance_until([&] { return !moves_.contains(name); }, kPatience)) {
    throw sessions::Violation("a move does not end: " + name);
  }
}

/// Of a move that a case has stopped: what is repeated until it is answered.
bool JoinedBus::is_held_back(bus::Kind kind) const {
  if (!scripted) return false;
  return std::ranges::any_of(moves_, [&](const auto& each) {
    const Move& move = each.second;
    return (kind == bus::Kind::attach && !move.may_attach) ||
           (kind == bus::Kind::moved && !move.may_end);
  });
}

void JoinedBus::frozen(const std::string& name) {
  if (const auto found = moves_.find(name); found != moves_.end()) found->second.frozen = true;
}

void JoinedBus::arrived(const std::string& name) {
  ++world_.counts[Event::moved];
  if (const auto found = moves_.find(name); found != moves_.end()) found->second.arrived = true;
}

void JoinedBus::move_ended(const std::string& name, bus::Errc how) {
  if (how == bus::Errc::rolled_back) ++world_.counts[Event::rolled_back];
  moves_.erase(name);
}

void JoinedBus::forget_moves_of(const Pid& source) {
  std::erase_if(moves_, [&](const auto& each) { return each.second.source == source; });
}

// --- time ----------------------------------------------------------------------------------------

entity::sessions::LinkTime JoinedBus::clock() const {
  return std::chrono::duration_cast<entity::sessions::LinkTime>(world_.now());
}

void JoinedBus::advance(Time duration) {
  for (const Time end = world_.now() + duration; world_.now() < end;) {
    world_.timeline.run_until(std::min(end, world_.now() + from_ms(5)));
    if (!violation_.empty()) throw sessions::Violation(violation_);
  }
}

bool JoinedBus::advance_until(const std::function<bool()>& done, Time limit) {
  for (const Time end = world_.now() + limit; !done();) {
    if (world_.now() >= end) return false;
    advance(from_ms(1));
  }
  return true;
}

void JoinedBus::second() {
  for (int slice = 0; slice < 10; ++slice) {
    breathe();
    advance(from_ms(100));
  }
  world_.check_step();
}

void JoinedBus::breathe() {
  if (peace_ || !adversary_) return;
  adversary_->step();
  if (world_.random.chance(0.003)) pause_somebody();
}

/// For the length of its lease, now and then.
void JoinedBus::pause_somebody() {
  auto at = processes_.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(world_.random.below(processes_.size())));
  SessionProcess& process = *at->second;
  if (!process.up() || process.paused()) return;
  ++world_.counts[Event::pauses];
  process.pause();
  const bool fatal = options_.deaths && world_.random.chance(0.3);
  stop(process, fatal ? world_.random.millis(30'000, 50'000) : world_.random.millis(1, 2'000));
}

void JoinedBus::stop(SessionProcess& process, Time duration) {
  process.pause();
  world_.timeline.after(duration, [&process] { process.resume(); });
}

void JoinedBus::lose_lease(const Pid& pid) {
  if (SessionProcess* const process = find(pid)) stop(*process, from_ms(40'000));
}

std::size_t JoinedBus::weight() const {
  if (!violation_.empty()) return 6;
  const bool moves = std::ranges::any_of(moves_, [](const auto& each) {
    return each.second.may_attach && (each.second.may_end || !each.second.arrived);
  });
  if (moves) return 6;
  for (const auto& [place, process] : processes_) {
    if (process->busy()) return 6;
    if (!process->ready() || process->paused()) continue;
    for (const auto& [other_place, other] : processes_) {  // deaths that it is to see
      Pid before = other->pid();
      if (before.incarnation == 0) before.incarnation = other->lives() + 1;
      if (process->sees_former(before)) return 6;
    }
  }
  return 0;
}

void JoinedBus::pass() {
  for (const auto& [place, process] : processes_) {
    if (process->up() && !process->paused() && process->release_one()) return;
  }
  advance(world_.random.micros(200, 8'000));
}

void JoinedBus::heal() {
  peace_ = true;
  if (adversary_) adversary_->stop();
  world_.network.heal();
  world_.network.release();
  world_.root().start();
  world_.root().resume();
  for (auto& host : world_.hosts()) {
    host->start();
    host->resume();
  }
  for (const auto& [place, process] : processes_) process->resume();
}

}  // namespace starbus::sim
