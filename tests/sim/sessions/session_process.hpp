/// A simulated process with a part of a session world: the client library of the bus on one of the
/// simulator's machines, the channel of the process, and what it sees of others. Owned by a
/// JoinedBus; one thread.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"
#include "tests/entity/client/sim/session_bus.hpp"
#include "tests/sim/clients/program_node.hpp"

namespace starbus::sim {

namespace sessions = entity::sessions::sim;
using sessions::Pid;

class JoinedBus;

class SessionProcess final : public ProgramNode {
 public:
  SessionProcess(JoinedBus& joined, World& world, HostNode& host, std::string node,
                 std::uint32_t kind, std::uint32_t slot);
  ~SessionProcess() override;

  /// Who runs here; incarnation 0: nobody yet. Another one after each start and each lost lease.
  const Pid& pid() const { return pid_; }
  /// It has its channel.
  bool ready() const { return up() && ready_; }
  bool lives_as(const Pid& pid) const { return up() && pid_ == pid; }
  Pid begin_life();
  void kill();

  /// Runs an action in its loop; or at once, within one that runs.
  void within(const std::function<void()>& action);
  /// In a later turn, in the order of the calls.
  void in_turn(std::function<void()> action);
  bool send(sessions::Letter letter);
  /// Sends the first letter that was held back and may go now. False: there is none.
  bool release_one();
  bool can_release() const;
  void bind(const std::string& name, std::function<void()> done);
  void move(const std::string& name, const SessionProcess& target);
  std::uint64_t epoch(const std::string& name) const;

  /// It knows that this process is dead.
  bool told(const Pid& dead) const;
  /// The bus has told it that this process is dead, and has not taken that back.
  bool has_heard_of_death(const bus::Process& dead) const { return buried_.contains(dead); }
  /// It has not heard yet that an earlier life of this process is over.
  bool sees_former(const Pid& now) const;
  std::uint64_t lives() const { return lives_; }
  /// Something of it is under way.
  bool busy() const;

 private:
  void begin(boost::asio::io_context& loop) override;
  void end(std::unique_ptr<boost::asio::io_context> loop) override;
  void connect();
  void watch();
  void updated(const bus::WatchUpdate& update);
  void heard_of_death(const bus::Process& dead);
  void lease_lost();
  void refused_for_good();
  bus::Handlers handlers();
  bus::ArrivalHandlers arrivals();
  bool hand_over(const sessions::Letter& letter);
  void note_end(const sessions::Letter& letter, const bus::Error& error);
  /// Of what the library calls: what a violation throws is kept for later.
  void guarded(const std::function<void()>& callback);
  std::function<void(const bus::Result<>&)> moved_end(const std::string& name);

  JoinedBus& joined_;
  Pid pid_;
  std::uint64_t lives_ = 0;
  bool ready_ = false;
  bool linked_ = true;
  bool inside_ = false;  // one of its actions runs
  bool killed_ = true;   // what ends now ends unheard
  int binding_ = 0;      // under way
  std::unique_ptr<bus::Bus> bus_;
  std::vector<bus::WatchHandle> watches_;
  std::map<std::string, bus::Process> seen_;  // by server/HOST.NODE
  std::set<bus::Process> ever_seen_, buried_;
  std::set<Pid> told_;
  using Stream = std::pair<std::string, sessions::Lane>;
  std::map<Stream, std::deque<sessions::Letter>> held_;
  std::deque<std::function<void()>> turns_;
};

}  // namespace starbus::sim
