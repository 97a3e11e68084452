#include "nodes/manager/shutdown_stages.hpp"

#include <algorithm>
#include <utility>

#include "nodes/manager/limits.hpp"

namespace starbus::nodes::manager {

using std::chrono::milliseconds;

// --- what happens --------------------------------------------------------------------------------

void ShutdownStages::on_node_added(const std::string& process, const std::string& role, Time now) {
  if (process == self_) return;
  Row row;
  row.role = role;
  row.stage = plan_.stage_of(role);
  rows_[process] = std::move(row);
  go_on(now);
}

void ShutdownStages::role_known(const std::string& process, const std::string& role, Time now) {
  const auto found = rows_.find(process);
  if (found == rows_.end()) return;
  found->second.role = role;
  found->second.stage = plan_.stage_of(role);
  go_on(now);
}

void ShutdownStages::on_node_removed(const std::string& process, Time now) {
  const auto found = rows_.find(process);
  if (found == rows_.end()) return;
  if (found->second.blocked) {
    for (BlockedNode& blocked : blocked_) {
      if (blocked.node.process == process) blocked.gone = true;
    }
  } else if (phase_ == ShutdownPhase::running && waits_for(found->second)) {
    ++progress_[stage_].ended;
  }
  rows_.erase(found);
  std::erase(drains_, process);
  go_on(now);
}

void ShutdownStages::status(const std::string& process, std::string text) {
  const auto found = rows_.find(process);
  if (found != rows_.end()) found->second.status = std::move(text);
}

bool ShutdownStages::begin(std::string reason, Time now) {
  if (phase_ == ShutdownPhase::running || phase_ == ShutdownPhase::done) return false;
  phase_ = ShutdownPhase::running;
  reason_ = std::move(reason);
  begun_ = now;
  stage_ = 0;
  progress_.assign(plan_.stages.size(), {});
  progress_[0] = {StageState::running, now, {}, 0};
  blocked_.clear();
  blocked_left_out_ = 0;
  for (auto& [process, row] : rows_) {
    row.told = row.blocked = false;
    row.again.reset();
  }
  go_on(now);
  return true;
}

void ShutdownStages::abandon(Time now) {
  if (phase_ != ShutdownPhase::running) return;
  phase_ = ShutdownPhase::abandoned;
  over_ = now;
  drains_.clear();
}

void ShutdownStages::not_told(const std::string& process, Time now) {
  const auto found = rows_.find(process);
  if (phase_ != ShutdownPhase::running || found == rows_.end() || !found->second.told) return;
  found->second.again = now + kDrainAgain;
}

void ShutdownStages::tick(Time now) {
  go_on(now);
}

// --- what follows from it ------------------------------------------------------------------------

void ShutdownStages::go_on(Time now) {
  while (phase_ == ShutdownPhase::running) {
    tell(now);
    const bool empty =
        std::ranges::none_of(rows_, [this](const auto& row) { return waits_for(row.second); });
    if (!empty && now < deadline()) return;
    end_stage(now);
  }
}

/// The nodes of this stage, and of earlier ones that came late.
void ShutdownStages::tell(Time now) {
  for (auto& [process, row] : rows_) {
    if (!waits_for(row)) continue;
    const bool once_more = row.again && *row.again <= now;
    if (row.told && !once_more) continue;
    row.told = true;
    row.again.reset();
    drains_.push_back(process);
  }
}

void ShutdownStages::end_stage(Time now) {
  Stage& stage = progress_[stage_];
  stage.state = StageState::done;
  stage.over = now;
  for (auto& [process, row] : rows_) {
    if (!waits_for(row)) continue;
    stage.state = StageState::late;
    note_blocked(process, row);
  }
  if (++stage_ == plan_.stages.size()) {
    phase_ = ShutdownPhase::done;
    over_ = now;
    return;
  }
  progress_[stage_].state = StageState::running;
  progress_[stage_].begun = now;
}

void ShutdownStages::note_blocked(const std::string& process, Row& row) {
  row.blocked = true;
  row.again.reset();
  if (blocked_.size() == kReportRows) {
    ++blocked_left_out_;
    return;
  }
  blocked_.push_back({{process, row.role, row.status}, plan_.stages[stage_].name, false});
}

// --- what to do, and what to tell ----------------------------------------------------------------

std::vector<std::string> ShutdownStages::take_drains() {
  return std::exchange(drains_, {});
}

std::optional<ShutdownStages::Time> ShutdownStages::next_tick() const {
  if (phase_ != ShutdownPhase::running) return std::nullopt;
  Time next = deadline();
  for (const auto& [process, row] : rows_) {
    if (row.again && waits_for(row)) next = std::min(next, *row.again);
  }
  return next;
}

std::vector<std::string> ShutdownStages::waited_for() const {
  std::vector<std::string> names;
  if (phase_ != ShutdownPhase::running) return names;
  for (const auto& [process, row] : rows_) {
    if (waits_for(row)) names.push_back(process);
  }
  return names;
}

StageReport ShutdownStages::stage_report(std::size_t index, Time now) const {
  const ShutdownStage& planned = plan_.stages[index];
  StageReport report;
  report.name = planned.name;
  report.roles = planned.roles;
  report.deadline_ms = static_cast<std::uint64_t>(planned.deadline.count());
  const bool present = phase_ == ShutdownPhase::running && index == stage_;
  if (!progress_.empty()) {
    const Stage& stage = progress_[index];
    report.state = stage.state;
    report.ended = stage.ended;
    const Time stopped = phase_ == ShutdownPhase::running ? std::max(now, stage.begun) : over_;
    const Time until = stage.state == StageState::running ? stopped : stage.over;
    if (stage.state != StageState::waiting) {
      report.elapsed_ms = static_cast<std::uint64_t>(
          std::chrono::duration_cast<milliseconds>(until - stage.begun).count());
    }
  }
  for (const auto& [process, row] : rows_) {
    // A node that came late is waited for by the present stage.
    if (row.blocked || (present ? row.stage > index : row.stage != index)) continue;
    if (phase_ == ShutdownPhase::running && index < stage_) continue;
    if (report.nodes.size() == kReportRows) {
      ++report.left_out;
    } else {
      report.nodes.push_back({process, row.role, row.status});
    }
  }
  return report;
}

ShutdownReport ShutdownStages::report(Time now) const {
  ShutdownReport report;
  report.phase = phase_;
  report.manager = self_;
  report.reason = reason_;
  if (phase_ != ShutdownPhase::idle) {
    const Time until = phase_ == ShutdownPhase::running ? std::max(now, begun_) : over_;
    report.elapsed_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<milliseconds>(until - begun_).count());
  }
  for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
    report.stages.push_back(stage_report(i, now));
  }
  report.blocked = blocked_;
  report.blocked_left_out = blocked_left_out_;
  return report;
}

}  // namespace starbus::nodes::manager
