#include "nodes/manager/load_reports.hpp"

#include <chrono>
#include <utility>

#include "bus/core/wire/name.hpp"
#include "bus/io/clock.hpp"
#include "nodes/manager/limits.hpp"
#include "nodes/runtime/node_limits.hpp"
#include "nodes/runtime/presence.hpp"

namespace starbus::nodes::manager {

bus::Result<> LoadReports::start() {
  table_.listen(*this);
  const auto set = node_.timers().every(timers_, kReportInterval, kReportInterval,
                                        entity::CatchUp::once, [this] { ask_all(); });
  if (!set) return bus::Error(bus::Errc::io_error, "no timer");
  return {};
}

const LoadReports::Latest* LoadReports::find(const std::string& process) const {
  const auto found = rows_.find(process);
  return found == rows_.end() ? nullptr : &found->second;
}

std::string LoadReports::words(const std::string& process) const {
  const Latest* const latest = find(process);
  if (latest == nullptr) return "is gone";
  if (!latest->answers) return "does not answer";
  return latest->report ? latest->report->status : "has not answered yet";
}

void LoadReports::on_node_added(const KnownNode& node) {
  rows_[node.process].serial = ++serials_;
  ask_soon(node.process);
}

void LoadReports::on_node_removed(const KnownNode& node) {
  const auto found = rows_.find(node.process);
  if (found->second.queued) std::erase(queue_, node.process);
  rows_.erase(found);
}

void LoadReports::ask_soon(const std::string& process) {
  const auto found = rows_.find(process);
  if (found == rows_.end() || found->second.asked || found->second.queued) return;
  found->second.queued = true;
  queue_.push_front(process);
  ask_next();
}

void LoadReports::ask_all() {
  for (auto& [process, row] : rows_) {
    if (row.asked || std::exchange(row.queued, true)) continue;
    queue_.push_back(process);
  }
  ask_next();
}

void LoadReports::ask_all_soon() {
  again_.cancel_all();
  // If there is no timer, the next round asks.
  (void)node_.timers().after(again_, kReportAgain, [this] { ask_all(); });
}

void LoadReports::ask_next() {
  while (!queue_.empty() && asking_ < kMaxQuestions) {
    const std::string process = std::move(queue_.front());
    queue_.pop_front();
    Row& row = rows_.at(process);
    row.queued = false;
    ask(process, row);
  }
}

void LoadReports::ask(const std::string& process, Row& row) {
  row.asked = true;
  ++asking_;
  entity::rpc::CallOptions options;
  options.deadline = kReportDeadline;
  entity::rpc::call<&NodeControl::report>(node_.rpc(), presence_name(process), options)(
      [this, process, serial = row.serial, weak = std::weak_ptr(alive_)](const Reply& reply) {
        if (!weak.expired()) answered(process, serial, reply);
      });
}

void LoadReports::answered(const std::string& process, std::uint64_t serial, const Reply& reply) {
  --asking_;
  const auto found = rows_.find(process);
  if (found != rows_.end() && found->second.serial == serial) {
    Row& row = found->second;
    row.asked = false;
    row.answers = reply.has_value();
    if (reply) {
      row.report = *reply;
      row.at = bus::io::boot_now();
      row.report->status.resize(std::min<std::size_t>(row.report->status.size(), kMaxStatus));
      const std::string& role = row.report->role;
      if (bus::check_node_name(role) && role.size() <= kMaxRole) table_.role_known(process, role);
    }
    // The table is there sooner than this process' own name, without which no call is made.
    if (!reply && reply.error() == bus::Errc::unreachable) ask_all_soon();
    if (on_news_) on_news_(process);
  }
  ask_next();
}

}  // namespace starbus::nodes::manager
