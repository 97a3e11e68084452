#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "bus/client/lasting_watch.hpp"

namespace starbus::nodes::login {

/// How many sessions each gate has, and how many it may have: asks them, now and then. Belongs to
/// the loop's thread; the bus outlives it.
class GateMeasure {
 public:
  using Report =
      std::function<void(const bus::Process& gate, std::uint64_t sessions, std::uint64_t most)>;
  using Gone = std::function<void(const bus::Process& gate)>;

  /// `report` is called with each answer; `gone` when a gate's process has lost its name.
  GateMeasure(bus::Bus& bus, Report report, Gone gone);
  /// Errors: those of a watch.
  bus::Result<> start();
  /// Begins a round, unless one is under way.
  void ask();

 private:
  void updated(const bus::WatchUpdate& update);
  void answered(const std::string& channel, const bus::Result<bus::Bytes>& answer);

  bus::Bus& bus_;
  const Report report_;
  const Gone gone_;
  std::map<std::string, bus::Process> gates_;
  std::size_t waiting_ = 0;  // answers of this round
  bus::LastingWatch watch_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace starbus::nodes::login
