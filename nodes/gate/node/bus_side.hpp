/// The cluster as a gate's core sees it: words of homes, accounts and gates from the bus, and what
/// the core asks of them.
///
/// Parts and words are believed only from servers, words of gates only from the owner of a gate's
/// name; the bus says who they are. Belongs to the loop's thread; place and driver outlive it. A
/// refusal of the bus is an outcome for the core, never an exception.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/lasting_watch.hpp"
#include "nodes/gate/node/channel_calls.hpp"
#include "nodes/gate/node/core_driver.hpp"
#include "nodes/gate/node/gate_info.hpp"
#include "nodes/gate/node/gate_place.hpp"
#include "nodes/gate/node/ports.hpp"

namespace starbus::nodes::gate {

struct BusSideCounters {
  std::uint64_t bundles = 0;
  std::uint64_t words = 0;          // of accounts, subjects and gates
  std::uint64_t announcements = 0;  // to groups of clients
  std::uint64_t refused = 0;        // announcements that found no room
  std::uint64_t foreign = 0;        // words of processes that may not say them
  std::uint64_t malformed = 0;
};

class BusSide {
 public:
  BusSide(const GatePlace& place, CoreDriver& driver, AccountPort accounts);

  /// Sees the processes of the cluster. Errors: those of a watch.
  bus::Result<> start();
  /// For the channel of this gate, and for its place in the group of all gates.
  bus::Handlers handlers();
  bus::Handlers group_handlers();

  // --- what the core wants ---
  void tell(TellSubject effect);
  void tell(TellAccount effect);
  void load(const LoadAccount& effect);
  void tell(TellGate effect);

  /// The other gates that are there, by channel.
  std::vector<GateId> gates() const;
  /// What another gate is and holds; nullopt: it does not answer.
  void ask_info(const std::string& gate, std::function<void(std::optional<GateInfo>)> done);
  /// How this one answers.
  void answer_info(std::function<GateInfo()> info) { info_ = std::move(info); }

  const ChannelCalls& calls() const { return calls_; }
  const BusSideCounters& counters() const { return counters_; }

 private:
  void take(bus::Message& message);
  void take(bus::Call& call);
  void announced(bus::Message& message);
  using Owners = std::map<std::string, bus::Process>;  // by name
  void updated(const bus::WatchUpdate& update, Owners& owners);
  bool is_server(const bus::Process& process) const;
  std::string name_of(const bus::Process& process) const;
  void outcome(std::uint64_t question, Outcome outcome, bus::ByteView answer);

  const GatePlace place_;
  CoreDriver& driver_;
  const AccountPort accounts_;
  std::function<GateInfo()> info_;
  ChannelCalls calls_;
  bus::Bytes word_;   // scratch: the one that is being said
  Owners processes_;  // under server/: homes and accounts
  Owners gates_;      // by channel, without this one
  bus::LastingWatch watch_;
  bus::LastingWatch gate_watch_;
  BusSideCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::gate
