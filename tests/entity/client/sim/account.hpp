/// The product's account core in the simulated world, on a disk that takes its time and fails now
/// and then, between the borders where rules are broken. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/entity/client/sim/oracle.hpp"

namespace starbus::entity::sessions::sim {

class World;

class Account {
 public:
  Account(World& world, std::string name, const Pid& pid, std::uint64_t epoch);
  /// Those who wait for an answer hear that its process has died.
  ~Account();
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;
  void start();
  /// The world ends: nobody waits any more.
  void forget_questions() { later_.clear(); }
  /// The answer: bytes of an AccountAnswer.
  std::shared_ptr<Later> ask(const AskAccount& word, const Sender& from);
  void choose(const SessionId& session, const Bind& bind, const std::string& who);
  void left(const Left& word);
  void link_lost(const std::string& who);
  void tick();
  const nodes::players::AccountRow& row() const { return core_.row(); }

  const std::string name;
  const Pid pid;

 private:
  using Ended = std::function<void(const AccountAnswer&)>;
  using Ticket = std::optional<nodes::players::TicketSeen>;
  void bind(const BindSession& word, const Sender& from, const std::shared_ptr<Later>& later);
  void ask(const AskAccount& word, const Sender& from, const Ticket& ticket,
           const std::shared_ptr<Later>& later, std::uint64_t login);
  void answered(const AccountAnswer& answer, const std::shared_ptr<Later>& later,
                std::uint64_t login);
  void put(const AskAccount& word, const Sender& from, const Ticket& ticket, Ended done);
  void apply(nodes::players::AccountEffects& effects);
  void tell(const nodes::players::AccountEffects::ForGate& word);
  void tell(const nodes::players::AccountEffects::ForSubject& word);
  void load(const nodes::players::AccountEffects::Load& load);
  void store(const nodes::players::AccountEffects::Store& store);
  bool write(const nodes::players::AccountRow& row);
  /// The oracle: what is told was stored before.
  void check_stored(const Bind& bind) const;
  /// It is still this one that has the name here.
  std::function<bool()> still() const;

  World& world_;
  std::uint64_t epoch_;
  nodes::players::AccountCore core_;
  std::uint64_t asks_ = 0;
  std::map<std::uint64_t, Ended> asked_;
  std::set<std::shared_ptr<Later>> later_;
  std::vector<std::function<void()>> again_;  // with the next tick
  std::optional<Closing> handed_on_;
};

}  // namespace starbus::entity::sessions::sim
