#include "tests/sim/oracles/log_oracle.hpp"

#include "tests/sim/oracles/oracle.hpp"

namespace starbus::sim {
namespace {

std::string describe(const LogOracle::Bounds& bounds) {
  return "(" + std::to_string(bounds.floor) + ", " + std::to_string(bounds.last) + "]";
}

}  // namespace

std::uint64_t LogOracle::Log::bytes_from(std::uint64_t number) const {
  std::uint64_t bytes = 0;
  for (; number <= entries.size(); ++number) bytes += at(number).bytes;
  return bytes;
}

// --- what becomes durable ------------------------------------------------------------------------

void LogOracle::durable(const std::string& name, const Bounds& before, const Bounds& now,
                        const std::vector<Entry>& added, const Quota& quota, std::uint64_t now_ms) {
  Log& log = logs_[name];
  if (before != log.bounds()) {
    throw Violation(name + ": a store has " + describe(before) + " of " + describe(log.bounds()));
  }
  log.entries.insert(log.entries.end(), added.begin(), added.end());
  if (now.last != log.entries.size()) {
    throw Violation(name + ": from " + describe(before) + " to " + describe(now) + " with " +
                    std::to_string(added.size()) + " messages");
  }
  if (now.floor != log.floor) check_trim(name, log, before, now.floor, quota, now_ms);
  log.floor = now.floor;
}

void LogOracle::check_trim(const std::string& name, const Log& log, const Bounds& before,
                           std::uint64_t floor, const Quota& quota, std::uint64_t now_ms) const {
  const auto fail = [&](const std::string& what) {
    throw Violation(name + ": trimmed from " + describe(before) + " to " +
                    describe({floor, log.entries.size()}) + ": " + what);
  };
  if (floor < before.floor) fail("back");
  if (floor > before.last) fail("what was not on the disk");
  if (quota.age_ms != 0 && now_ms > log.at(floor).time_ms + quota.age_ms) return;
  const std::uint64_t left = log.entries.size() - floor;
  if (left == 0) fail("the newest");
  const bool too_many = quota.messages != 0 && left >= quota.messages;
  const bool too_much = quota.bytes != 0 && log.bytes_from(floor) > quota.bytes;
  if (!too_many && !too_much) fail("within all bounds");
}

std::uint64_t LogOracle::last(const std::string& log) const {
  const auto found = logs_.find(log);
  return found == logs_.end() ? 0 : found->second.entries.size();
}

// --- followers -----------------------------------------------------------------------------------

std::uint64_t LogOracle::cursor(const std::string& follower, const std::string& log) const {
  const auto found = cursors_.find({follower, log});
  return found == cursors_.end() ? 0 : found->second;
}

void LogOracle::join(const std::string& follower, const std::string& log, std::uint64_t since,
                     std::uint64_t position) {
  if (position < since || position > last(log)) {
    throw Violation(follower + " joins " + log + " at " + std::to_string(position) +
                    ", asked behind " + std::to_string(since) + " of " + std::to_string(last(log)));
  }
  cursors_[{follower, log}] = position;
}

std::uint64_t LogOracle::read(const std::string& follower, const std::string& name,
                              std::uint64_t number, Post post) {
  const Log& log = logs_[name];
  std::uint64_t& cursor = cursors_[{follower, name}];
  const auto fail = [&](const std::string& what) {
    throw Violation(follower + " reads " + std::to_string(number) + " of " + name + " after " +
                    std::to_string(cursor) + ": " + what);
  };
  if (number <= cursor) fail("again");
  if (number > log.entries.size()) fail("it is on no disk");
  if (log.at(number).post != post) fail("another message");
  const std::uint64_t missed = number - cursor - 1;
  if (missed != 0 && number - 1 > log.floor)
    fail("it is erased up to " + std::to_string(log.floor));
  cursor = number;
  return missed;
}

// --- the end -------------------------------------------------------------------------------------

bool LogOracle::overdue(const std::string& name, const Quota& quota, std::uint64_t now_ms,
                        std::uint64_t grace_ms) const {
  const auto found = logs_.find(name);
  if (found == logs_.end() || quota.age_ms == 0) return false;
  const Log& log = found->second;
  if (log.floor == log.entries.size()) return false;
  return now_ms > log.at(log.floor + 1).time_ms + quota.age_ms + grace_ms;
}

void LogOracle::check(const std::string& name, const MailOracle::Content& content,
                      const Quota& quota) const {
  const Log& log = logs_.at(name);
  const Bounds stored{content.floor, content.last};
  if (stored != log.bounds()) {
    throw Violation(name + ": " + describe(stored) + " is left of " + describe(log.bounds()));
  }
  for (const auto& [number, post] : content.rows) {
    if (log.at(number).post != post) {
      throw Violation(name + ": another message " + std::to_string(number));
    }
  }
  const std::uint64_t count = stored.last - stored.floor;
  if (quota.messages != 0 && count > quota.messages) {
    throw Violation(name + ": keeps " + std::to_string(count) + " messages");
  }
  const std::uint64_t bytes = log.bytes_from(stored.floor + 1);
  // See Mail::trim_log: an eighth more than allowed.
  if (quota.bytes != 0 && count > 1 && bytes > quota.bytes + quota.bytes / 8) {
    throw Violation(name + ": keeps " + std::to_string(bytes) + " bytes");
  }
}

MailOracle::Numbered LogOracle::histories() const {
  MailOracle::Numbered all;
  for (const auto& [name, log] : logs_) {
    auto& rows = all[name];
    for (std::uint64_t number = 1; number <= log.entries.size(); ++number) {
      rows.emplace_hint(rows.end(), number, log.at(number).post);
    }
  }
  return all;
}

}  // namespace starbus::sim
