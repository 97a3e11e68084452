#include "tests/sim/sessions/session_process.hpp"

#include <algorithm>

#include "tests/sim/sessions/joined_bus.hpp"

namespace starbus::sim {

using sessions::Lane;
using sessions::Letter;
using sessions::Outcome;

namespace {

bus::Lane lane_of(Lane lane) {
  return lane == Lane::down ? bus::Lane::sync : bus::Lane::call;
}

Outcome outcome_of(const bus::Error& error) {
  if (error == bus::Errc::no_owner) return Outcome::no_owner;
  if (error == bus::Errc::owner_lost) return Outcome::owner_lost;
  for (const bus::Errc code :
       {bus::Errc::denied, bus::Errc::bad_name, bus::Errc::too_large, bus::Errc::would_block}) {
    if (error == code) return Outcome::refused;
  }
  return Outcome::silent;
}

}  // namespace

SessionProcess::SessionProcess(JoinedBus& joined, World& world, HostNode& host, std::string node,
                               std::uint32_t kind, std::uint32_t slot)
    : ProgramNode(world, host, std::move(node)), joined_(joined), pid_{kind, slot, 0} {}

SessionProcess::~SessionProcess() {
  killed_ = true;
  if (up()) on_crash();
}

// --- life ----------------------------------------------------------------------------------------

Pid SessionProcess::begin_life() {
  pid_.incarnation = ++lives_;
  start();
  return pid_;
}

/// What it had handed to its library has left, or not.
void SessionProcess::kill() {
  for (auto& [stream, letters] : held_) {
    for (std::size_t left = joined_.below(letters.size() + 1); left > 0; --left) {
      hand_over(letters.front());
      letters.pop_front();
    }
  }
  killed_ = true;
  crash();
  pid_.incarnation = 0;
}

void SessionProcess::begin(boost::asio::io_context& loop) {
  killed_ = ready_ = false;
  linked_ = true;
  binding_ = 0;
  seen_.clear();
  ever_seen_.clear();
  buried_.clear();
  told_.clear();
  held_.clear();
  turns_.clear();
  bus::Options options;
  options.node = node();
  options.endpoint = "simulated";
  bus_ = std::make_unique<bus::Bus>(loop, std::move(options));
  bus_->on_lease_lost([this] { guarded([this] { lease_lost(); }); });
  bus_->on_link([this](bus::LinkState state, const bus::Error&) {
    linked_ = state == bus::LinkState::connected;
    if (linked_) joined_.is_now(bus_->self(), pid_);  // before it has said anything
    if (!killed_) guarded([this] { joined_.events().linked(pid_, linked_); });
  });
  bus_->on_ended([this](const bus::Error&) { refused_for_good(); });
  bus_->on_arrival("player/", arrivals());
  connect();
}

void SessionProcess::end(std::unique_ptr<boost::asio::io_context> loop) {
  watches_.clear();
  bus_.reset();
  loop.reset();
}

void SessionProcess::connect() {
  bus_->connect([this](const bus::Result<>& connected) {
    if (killed_ || !connected) return;
    watch();
    bus_->bind(sessions::channel_of(pid_), handlers(),
               [this](const bus::Result<bus::Bound>& bound) {
                 if (killed_) return;
                 if (bound) {
                   ready_ = true;
                 } else if (bound.error() == bus::Errc::already_bound) {
                   later(bus::from_ms(200), [this] { connect(); });  // of the life before
                 }
               });
  });
}

/// Another process has its name still: it is started again.
void SessionProcess::refused_for_good() {
  if (killed_) return;
  world_.timeline.after(bus::from_ms(200), [this, life = pid_] {
    if (!lives_as(life)) return;
    killed_ = true;
    crash();
    start();
  });
}

void SessionProcess::lease_lost() {
  if (killed_) return;
  const Pid before = pid_;
  pid_.incarnation = ++lives_;
  ready_ = false;
  held_.clear();
  turns_.clear();
  joined_.forget_moves_of(before);
  joined_.events().fenced(before, pid_);
  joined_.events().linked(pid_, linked_);
  connect();
}

// --- what it sees --------------------------------------------------------------------------------

void SessionProcess::watch() {
  if (!watches_.empty()) return;
  auto handle =
      bus_->watch(std::string(bus::kServerPrefix), [this](const bus::WatchUpdate& update) {
        if (!killed_) guarded([&] { updated(update); });
      });
  if (handle) watches_.push_back(std::move(*handle));
}

void SessionProcess::updated(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto known = seen_.find(row.name);
    if (known != seen_.end() && (!row.present || known->second != row.owner)) {
      const bus::Process dead = known->second;
      seen_.erase(known);
      heard_of_death(dead);
    }
    if (!row.present || row.owner == bus_->self()) continue;
    seen_[row.name] = row.owner;
    ever_seen_.insert(row.owner);
    buried_.erase(row.owner);
  }
}

void SessionProcess::heard_of_death(const bus::Process& dead) {
  buried_.insert(dead);
  const auto pid = joined_.pid_of(dead);  // none: it had no channel, and has said nothing
  if (!pid || *pid == pid_) return;
  told_.insert(*pid);
  joined_.events().died(pid_, *pid);
}

bool SessionProcess::sees_former(const Pid& now) const {
  return std::ranges::any_of(seen_, [&](const auto& each) {
    const auto seen = joined_.pid_of(each.second);
    return seen && seen->host == now.host && seen->slot == now.slot &&
           seen->incarnation < now.incarnation;
  });
}

bool SessionProcess::told(const Pid& dead) const {
  if (told_.contains(dead)) return true;
  const bool seen = std::ranges::any_of(
      ever_seen_, [&](const auto& each) { return joined_.pid_of(each) == dead; });
  return !seen && dead != Pid{} && !joined_.lives(dead);
}

// --- its loop ------------------------------------------------------------------------------------

void SessionProcess::guarded(const std::function<void()>& callback) {
  const bool before = std::exchange(inside_, true);
  try {
    callback();
  } catch (const std::exception& violation) {
    joined_.found(violation.what());
  }
  inside_ = before;
}

void SessionProcess::within(const std::function<void()>& action) {
  if (!up()) return;
  if (inside_) {
    const Scope scope(*this);
    return action();
  }
  run([&] { guarded(action); });
}

void SessionProcess::in_turn(std::function<void()> action) {
  turns_.push_back(std::move(action));
  later(joined_.delay_of_disk(), [this] {
    if (turns_.empty()) return;
    const auto next = std::move(turns_.front());
    turns_.pop_front();
    guarded(next);
  });
}

bool SessionProcess::busy() const {
  if (!up() || paused()) return false;
  const bus::BusCounters all = bus_->counters();
  return all.unacknowledged_bytes != 0 || all.replies_kept != 0 || !turns_.empty() ||
         binding_ != 0 || can_release();
}

// --- messages ------------------------------------------------------------------------------------

bool SessionProcess::send(Letter letter) {
  auto& held = held_[{letter.to, letter.lane}];
  if (held.empty() && !joined_.holds(letter)) return hand_over(letter);
  held.push_back(std::move(letter));
  return true;
}

bool SessionProcess::can_release() const {
  return std::ranges::any_of(held_, [this](const auto& each) {
    return !each.second.empty() && !joined_.holds(each.second.front());
  });
}

bool SessionProcess::release_one() {
  for (auto& [stream, letters] : held_) {
    if (letters.empty() || joined_.holds(letters.front())) continue;
    const Letter letter = std::move(letters.front());
    letters.pop_front();
    hand_over(letter);
    return true;
  }
  return false;
}

bool SessionProcess::hand_over(const Letter& letter) {
  const bus::Bytes body = joined_.written(letter);
  bool taken = true;
  within([&] {
    if (letter.deadline.count() != 0) {
      bus::CallOptions options;
      options.lane = lane_of(letter.lane);
      options.deadline = letter.deadline;
      return bus_->call(letter.to, bus::ByteView(body), options,
                        [this, letter](const bus::Result<bus::Bytes>& reply) {
                          if (killed_) return;
                          if (!reply) note_end(letter, reply.error());
                          if (!letter.done) return;
                          guarded([&] {
                            reply ? letter.done(Outcome::ok, joined_.read_answer(*reply))
                                  : letter.done(outcome_of(reply.error()), {});
                          });
                        });
    }
    bus::SendOptions options;
    options.lane = lane_of(letter.lane);
    if (!letter.done) {
      const auto sent = bus_->send(letter.to, bus::ByteView(body), options);
      taken = sent || sent.error() != bus::Errc::would_block;
      if (!sent) joined_.take_back(body);
      return;
    }
    bus_->send_acknowledged(
        letter.to, body, options, [this, done = letter.done](const bus::Result<>& handled) {
          if (killed_) return;
          guarded([&] { done(handled ? Outcome::ok : outcome_of(handled.error()), {}); });
        });
  });
  return taken;
}

void SessionProcess::note_end(const Letter& letter, const bus::Error& error) {
  world_.note(name(), [&] {
    return "is told of " + letter.what + " to " + letter.to + ": " + error.to_string();
  });
}

bus::Handlers SessionProcess::handlers() {
  bus::Handlers handlers;
  handlers.on_message = [this](bus::Message& message) {
    if (!killed_) guarded([&] { joined_.deliver(*this, message, nullptr); });
  };
  handlers.on_call = [this](bus::Call& call) {
    if (!killed_) guarded([&] { joined_.deliver(*this, call, &call); });
  };
  return handlers;
}

// --- names ---------------------------------------------------------------------------------------

std::uint64_t SessionProcess::epoch(const std::string& name) const {
  return up() ? bus_->epoch(name).value : 0;
}

void SessionProcess::bind(const std::string& name, std::function<void()> done) {
  ++binding_;
  within([&] {
    bus_->bind(name, handlers(), [this, name, done](const bus::Result<bus::Bound>& bound) {
      if (killed_) return;
      --binding_;
      guarded([&] {
        if (bound) joined_.events().bound(pid_, name, bound->epoch.value);
        done();
      });
    });
  });
}

void SessionProcess::move(const std::string& name, const SessionProcess& target) {
  const auto freeze = [this, name, before = pid_] {
    bus::Bytes state;
    if (!killed_ && pid_ == before) {
      guarded([&] {
        state = joined_.events().freeze(pid_, name);
        joined_.frozen(name);
      });
    }
    return state;
  };
  within([&] { bus_->move(name, target.name(), freeze, moved_end(name)); });
}

std::function<void(const bus::Result<>&)> SessionProcess::moved_end(const std::string& name) {
  return [this, name, before = pid_](const bus::Result<>& moved) {
    if (killed_ || pid_ != before) return;
    guarded([&] {
      joined_.move_ended(name, moved ? bus::Errc::ok : bus::errc_of(moved.error()));
      if (moved) return joined_.events().moved(pid_, name);
      if (epoch(name) == 0) return;
      joined_.events().goes_on(pid_, name, epoch(name), moved.error() == bus::Errc::rolled_back);
    });
  };
}

bus::ArrivalHandlers SessionProcess::arrivals() {
  bus::ArrivalHandlers handlers;
  handlers.arrived = [this](bus::Arrival& arrival) {
    if (killed_) return bus::Handlers();
    guarded([&] {
      joined_.arrived(arrival.name);
      joined_.events().arrived(pid_, arrival.name, arrival.epoch.value, arrival.state);
    });
    return this->handlers();
  };
  return handlers;
}

}  // namespace starbus::sim
