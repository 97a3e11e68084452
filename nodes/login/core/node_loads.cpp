#include "nodes/login/core/node_loads.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::login {
namespace {

constexpr double kWhole = 1'000;  // permille
/// Seconds of which a report that counts may not know.
constexpr std::size_t kFreshSeconds = (kLoadStale + kMeasureLag) / std::chrono::seconds(1) + 2;

/// What is left of a value after this time of smoothing.
double kept_after(Time passed) {
  return std::exp(-static_cast<double>(std::max(passed, Time(0)).count()) /
                  static_cast<double>(Time(kLoadSmooth).count()));
}

double busy_of(const NodeBusy& node) {
  const bool sane = node.busy_ms_per_s >= 0;  // false also for what is not a number
  return sane ? std::min(node.busy_ms_per_s, kWhole) : kWhole;
}

}  // namespace

void RoleLoad::report(const std::vector<NodeBusy>& nodes, Time now) {
  heard_ = now;
  known_ = true;
  std::map<std::string, Row> rows;
  for (const NodeBusy& node : nodes) {
    if (rows.size() >= kLoadNodes) break;
    rows[node.process] = row_of(node, now);
  }
  fade(rows, now);
  rows_ = std::move(rows);
  counted_until_.reset();
}

void RoleLoad::fade(const std::map<std::string, Row>& rows, Time now) {
  std::size_t count = 0;
  double kept = 0;
  Time shown = now;
  for (const auto& [process, row] : rows) {
    const auto before = rows_.find(process);
    if (before == rows_.end() || !before->second.measured || now - row.at > kLoadStale) continue;
    ++count;
    kept += kept_after(row.at - before->second.at);
    shown = std::min(shown, row.at);
  }
  if (count == 0) return;
  while (!fresh_.empty() && fresh_.front().first + std::chrono::seconds(1) + kMeasureLag <= shown) {
    settle();
  }
  settled_ *= kept / static_cast<double>(count);
}

void RoleLoad::settle() {
  settled_ += static_cast<double>(fresh_.front().second);
  fresh_.pop_front();
}

RoleLoad::Row RoleLoad::row_of(const NodeBusy& node, Time now) const {
  const auto before = rows_.find(node.process);
  if (!node.age) return before != rows_.end() ? before->second : Row{kWhole, now, false};
  const Row fresh{busy_of(node), now - std::max(*node.age, Time(0)), true};
  if (before == rows_.end() || !before->second.measured) return fresh;
  const double kept = kept_after(fresh.at - before->second.at);
  return {before->second.busy * kept + fresh.busy * (1 - kept),
          std::max(fresh.at, before->second.at), true};
}

void RoleLoad::entered(Time now) {
  const Time second = std::chrono::floor<std::chrono::seconds>(now);
  if (fresh_.empty() || fresh_.back().first != second) fresh_.emplace_back(second, 0);
  ++fresh_.back().second;
  if (fresh_.size() > kFreshSeconds) settle();
}

void RoleLoad::left() {
  if (fresh_.empty()) {
    settled_ = std::max(0.0, settled_ - 1);
  } else if (--fresh_.back().second == 0) {
    fresh_.pop_back();
  }
}

void RoleLoad::count(Time now) {
  if (counted_until_ && now <= *counted_until_) return;
  nodes_ = silent_ = 0;
  sum_ = 0;
  Time until = Time::max();
  const auto changes_at = [&](Time time) { until = std::min(until, time); };
  for (const auto& [process, row] : rows_) {
    if (now - row.at > kLoadForget) continue;
    ++nodes_;
    const bool silent = now - row.at > kLoadStale;
    if (silent) ++silent_;
    sum_ += silent ? options_.none : std::min<double>(row.busy, options_.none);
    changes_at(row.at + (silent ? Time(kLoadForget) : Time(kLoadStale)));
  }
  const Time silence = now - heard_;
  if (nodes_ > 0) {
    state_ = RoleState::measured;
  } else if (!rows_.empty() || silence > kLoadForget) {
    state_ = RoleState::blind;
  } else {
    state_ = known_ && silence <= kLoadStale ? RoleState::missing : RoleState::unknown;
    changes_at(heard_ + (state_ == RoleState::missing ? Time(kLoadStale) : Time(kLoadForget)));
  }
  counted_until_ = until;
}

double RoleLoad::pending() const {
  double players = settled_;
  for (const auto& [second, count] : fresh_) players += static_cast<double>(count);
  return players;
}

double RoleLoad::load() const {
  if (nodes_ == 0) return 0;
  return (sum_ + pending() * options_.weight) / static_cast<double>(nodes_);
}

double RoleLoad::share(Time now) {
  count(now);
  if (state_ == RoleState::blind) return 1.0 / static_cast<double>(kLoadBlindShare);
  if (nodes_ == 0) return 0;
  const double load = this->load();
  if (load >= options_.none) open_ = false;
  if (load <= options_.full) open_ = true;
  if (!open_) return 0;
  return std::min(1.0, (options_.none - load) / (options_.none - options_.full));
}

std::optional<Time> RoleLoad::next(Time now) {
  count(now);
  if (*counted_until_ == Time::max()) return std::nullopt;
  return *counted_until_ + Time(1);
}

RoleView RoleLoad::view(Time now) {
  RoleView view{role_, RoleState::unknown, 0, 0, 0, 0, share(now) > 0};
  view.state = state_;
  view.nodes = nodes_;
  view.silent = silent_;
  view.load = static_cast<std::uint32_t>(std::lround(std::min(load(), 1e6)));
  view.pending = pending();
  return view;
}

const char* name_of(RoleState state) {
  constexpr const char* kNames[] = {"measured", "unknown", "missing", "blind"};
  return kNames[static_cast<std::size_t>(state)];
}

// --- all roles -----------------------------------------------------------------------------------

std::vector<RoleLoad>& NodeLoads::roles(Time now) {
  for (std::size_t i = roles_.size(); i < options_.roles.size(); ++i) {
    roles_.emplace_back(options_.roles[i], options_, now);
  }
  return roles_;
}

void NodeLoads::report(const std::string& role, const std::vector<NodeBusy>& nodes, Time now) {
  for (RoleLoad& each : roles(now)) {
    if (each.role() == role) each.report(nodes, now);
  }
}

void NodeLoads::entered(Time now) {
  for (RoleLoad& each : roles(now)) each.entered(now);
}

void NodeLoads::left() {
  for (RoleLoad& each : roles_) each.left();
}

double NodeLoads::share(Time now) {
  double share = 1;
  for (RoleLoad& each : roles(now)) share = std::min(share, each.share(now));
  return share;
}

std::optional<Time> NodeLoads::next(Time now) {
  std::optional<Time> first;
  for (RoleLoad& each : roles(now)) {
    const auto next = each.next(now);
    if (next && (!first || *next < *first)) first = next;
  }
  return first;
}

std::vector<RoleView> NodeLoads::view(Time now) {
  std::vector<RoleView> views;
  for (RoleLoad& each : roles(now)) views.push_back(each.view(now));
  return views;
}

}  // namespace starbus::nodes::login
