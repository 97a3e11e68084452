/// The bus of a session world as it is: the client library in each process, busds and busroot, over
/// a network that loses, delays and cuts, with restarts, stopped processes and leases that run out.
/// Everything follows from the seed. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tests/sim/adversary.hpp"
#include "tests/sim/sessions/session_process.hpp"

namespace starbus::sim {

class JoinedBus final : public sessions::SessionBus {
 public:
  struct Options {
    std::uint64_t seed = 1;
    bool deaths = false;  // leases may run out
    bool faults = true;   // of the bus: none in scripted cases
    std::FILE* trace = nullptr;
  };
  explicit JoinedBus(const Options& options);
  ~JoinedBus() override;

  void begin(sessions::BusEvents& events) override;
  Pid start(std::uint32_t host, std::uint32_t slot) override;
  void wait_until_ready() override;
  void kill(const Pid& pid) override;
  bool ready(const Pid& pid) const override;
  bool stopped(const Pid& pid) const override;
  void within(const Pid& pid, const std::function<void()>& action) override;
  void later(const Pid& pid, std::function<void()> action) override;
  bool told(const Pid& reader, const Pid& dead) const override;
  bool send(sessions::Letter letter) override;
  /// A sender may learn late of the death of an owner: what it sends meanwhile was for the dead
  /// one.
  bool leaves_open(sessions::Outcome outcome) const override {
    return outcome == sessions::Outcome::silent || outcome == sessions::Outcome::owner_lost;
  }
  bool owned(const std::string& name) const override;
  void bind(const Pid& at, const std::string& name, std::function<void()> done) override;
  bool move(const std::string& name, const Pid& from, const Pid& target) override;
  bool moving(const std::string& name) const override;
  bool has_source(const std::string& name) const override;
  void attach(const std::string& name) override;
  void abort(const std::string&) override {}
  void free_source(const std::string& name) override;
  entity::sessions::LinkTime clock() const override;
  void second() override;
  void breathe() override;
  std::size_t weight() const override;
  void pass() override;
  void heal() override;
  std::uint64_t fingerprint() const override { return world_.trace.hash(); }

  /// Its loop stands still for longer than its lease, and goes on then.
  void lose_lease(const Pid& pid);
  const Counts& counts() const { return world_.counts; }
  Time now() const { return world_.now(); }

  // --- for its processes ---
  sessions::BusEvents& events() { return *events_; }
  std::size_t below(std::size_t most) { return world_.random.below(most); }
  Time delay_of_disk() { return world_.random.micros(500, 8'000); }
  void is_now(const bus::Process& process, const Pid& pid) { pids_[process] = pid; }
  std::optional<Pid> pid_of(const bus::Process& process) const;
  bool lives(const Pid& pid) const { return find(pid) != nullptr; }
  bool holds(const sessions::Letter& letter) const { return hold && hold(letter); }
  /// What the bus carries of it.
  bus::Bytes written(const sessions::Letter& letter);
  void take_back(const bus::Bytes& body) { letters_.erase(bus::load<std::uint64_t>(body.data())); }
  void deliver(SessionProcess& at, const bus::Message& message, bus::Call* call);
  std::any read_answer(const bus::Bytes& reply);
  void frozen(const std::string& name);
  void arrived(const std::string& name);
  void move_ended(const std::string& name, bus::Errc how);
  void forget_moves_of(const Pid& source);
  /// The first violation, which the next step throws.
  void found(const std::string& violation);

 private:
  struct Move {
    Pid source;
    bool frozen = false;
    bool arrived = false;
    bool may_attach = true, may_end = true;  // a scripted case says when
  };
  SessionProcess* find(const Pid& pid) const;
  void advance(Time duration);
  bool advance_until(const std::function<bool()>& done, Time limit);
  void pause_somebody();
  void stop(SessionProcess& process, Time duration);
  void answer(const std::shared_ptr<bus::Responder>& responder, sessions::Outcome outcome,
              std::any value);
  bool is_held_back(bus::Kind kind) const;

  mutable World world_;
  const Options options_;
  sessions::BusEvents* events_ = nullptr;
  std::optional<Adversary> adversary_;
  bool peace_ = false;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<SessionProcess>> processes_;
  std::map<bus::Process, Pid> pids_;
  std::map<std::uint64_t, sessions::Letter> letters_;  // that have not been delivered
  std::map<std::uint64_t, std::any> answers_;
  std::uint64_t numbers_ = 0;
  std::map<std::tuple<Pid, std::string, sessions::Lane>, std::uint64_t> latest_;
  std::map<std::string, Move> moves_;
  std::string violation_;
};

}  // namespace starbus::sim
