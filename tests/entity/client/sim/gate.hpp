/// The product's gate core in the simulated world, between the borders where rules are broken. One
/// thread.
#pragma once

#include <any>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/entity/client/sim/client.hpp"

namespace starbus::entity::sessions::sim {

class Gate final : private gates::KeySource {
 public:
  /// `last_question`: of the core before, which has lost its lease.
  Gate(World& world, const Pid& at, std::uint64_t last_question = 0);
  /// nullptr: it has no record.
  const gates::Session* find(const SessionId& session) { return core.find(session); }
  std::vector<SessionId> sessions();
  void give(const SessionId& session, const Pid& to);
  void bundle(const bus::Bytes& bytes, const Pid& home);
  void bound(const SessionId& session, const Bind& bind, const std::string& subject);
  void end(const SessionId& session, const Bind& bind, Reason reason,
           const std::optional<Closing>& closing);
  void death(const Pid& dead);
  void tick();
  void frame(const std::shared_ptr<Wire>& wire, gates::FromClient frame);
  void closed(gates::ConnectionId connection);
  void opened(const std::shared_ptr<Wire>& wire);
  void drain(const std::vector<Pid>& to);
  void announced(const Pid& origin, std::uint64_t number, const std::string& group);
  std::any word(const Pid& from, const bus::Bytes& bytes);
  void outcome(std::uint64_t question, Outcome outcome, const std::any& value);
  /// Its lease is lost.
  void fence();
  void linked(bool there);
  /// It goes on as if it were this process: a broken rule.
  void become(const Pid& another) { pid = another; }

  gates::GateCore core;

 private:
  Key key() override;
  /// Does what the core wants done.
  void pump();
  void act(gates::SendFrame& effect);
  void act(gates::SendPacket& effect);
  void act(gates::HangUp& effect);
  void act(gates::TellSubject& effect);
  void act(gates::TellAccount& effect);
  void act(gates::LoadAccount& effect);
  void act(gates::TellLogin& effect);
  void act(gates::ForgetLogin&) {}
  void act(gates::TellGate& effect);
  Done done(std::uint64_t question);
  void spoil(gates::Take& take);

  World& world_;
  Pid pid;
  std::map<gates::ConnectionId, std::shared_ptr<Wire>> wires_;
  std::map<std::pair<Pid, std::uint32_t>, Introduction> handles_;  // for rules that are broken
};

}  // namespace starbus::entity::sessions::sim
