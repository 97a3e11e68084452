#include "nodes/login/node/gate_measure.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "bus/client/bus.hpp"
#include "nodes/gate/node/gate_info.hpp"

namespace starbus::nodes::login {
namespace {

constexpr std::chrono::milliseconds kAnswerTime{2'000};

}  // namespace

GateMeasure::GateMeasure(bus::Bus& bus, Report report, Gone gone)
    : bus_(bus),
      report_(std::move(report)),
      gone_(std::move(gone)),
      watch_(
          bus, std::string(bus::kGatePrefix),
          [this](const bus::WatchUpdate& update) { updated(update); },
          [](const bus::Error& error) {
            spdlog::error(
                "login: the watch of gate/ is refused: {}; let the role of this login "
                "watch it, or nobody is let in",
                error.to_string());
          }) {}

bus::Result<> GateMeasure::start() {
  return watch_.start();
}

void GateMeasure::updated(const bus::WatchUpdate& update) {
  for (const bus::WatchRow& row : update.changes) {
    const auto known = gates_.find(row.name);
    if (known != gates_.end() && (!row.present || known->second != row.owner)) {
      gone_(known->second);
      gates_.erase(known);
    }
    if (row.present) gates_.try_emplace(row.name, row.owner);
  }
}

void GateMeasure::ask() {
  if (waiting_ > 0) return;
  waiting_ = gates_.size();
  bus::CallOptions options;
  options.deadline = kAnswerTime;
  for (const auto& [channel, process] : gates_) {
    bus_.call(channel, bus::ByteView(gate::info_question()), options,
              [this, alive = std::weak_ptr(alive_),
               channel = channel](const bus::Result<bus::Bytes>& answer) {
                if (!alive.expired()) answered(channel, answer);
              });
  }
}

void GateMeasure::answered(const std::string& channel, const bus::Result<bus::Bytes>& answer) {
  --waiting_;
  const auto at = gates_.find(channel);
  if (at == gates_.end() || !answer) return;  // what it said before grows old
  if (const auto info = gate::decode_gate_info(bus::ByteView(*answer))) {
    report_(at->second, info->sessions, info->sessions + info->room);
  }
}

}  // namespace starbus::nodes::login
