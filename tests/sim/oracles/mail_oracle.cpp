#include "tests/sim/oracles/mail_oracle.hpp"

#include <algorithm>
#include <set>

#include "tests/sim/oracles/oracle.hpp"

namespace starbus::sim {

using bus::Errc;

MailOracle::Post MailOracle::issue(std::uint64_t life, const std::string& mailbox,
                                   const std::string& key) {
  records_.push_back({life, mailbox, key, Fate::pending, 0});
  ++pending_[life];
  return records_.size();
}

void MailOracle::retract(Post post) {
  --pending_[at(post).life];
  if (post != records_.size()) throw Violation("only the latest post can be retracted");
  records_.pop_back();
}

void MailOracle::posted(Post post, Errc status, std::uint64_t number) {
  Record& record = at(post);
  if (record.fate != Fate::pending) throw Violation(describe(post) + ": a second end");
  --pending_[record.life];
  if (status == Errc::ok) {
    if (number == 0) throw Violation(describe(post) + ": posted without a number");
    record.fate = Fate::stored;
    record.number = number;
    ++stored_;
  } else if (status == Errc::store_full || status == Errc::mailbox_full) {
    record.fate = Fate::refused;
  } else {
    throw Violation(describe(post) + ": refused as " + std::string(bus::name_of(status)));
  }
}

void MailOracle::failed(Post post, Errc reason, bool sent, bool leases_may_end) {
  Record& record = at(post);
  if (record.fate != Fate::pending) throw Violation(describe(post) + ": a second end");
  const bool fair = reason == Errc::expired || (reason == Errc::lease_lost && leases_may_end);
  if (!fair) throw Violation(describe(post) + ": failed as " + std::string(bus::name_of(reason)));
  --pending_[record.life];
  record.fate = sent ? Fate::unknown : Fate::never;
}

std::size_t MailOracle::pending(std::uint64_t life) const {
  const auto found = pending_.find(life);
  return found == pending_.end() ? 0 : found->second;
}

std::string MailOracle::describe(Post post) const {
  const Record& record = records_.at(post - 1);
  return "post " + std::to_string(post) + " of life " + std::to_string(record.life) + " to " +
         record.mailbox + (record.key.empty() ? "" : ", key " + record.key);
}

std::uint64_t MailOracle::load_cursor(const std::string& mailbox, std::uint64_t epoch) {
  Reading& reading = readings_[mailbox];
  reading.epoch = std::max(reading.epoch, epoch);
  return reading.cursor;
}

bool MailOracle::fenced(const std::string& mailbox, std::uint64_t epoch) const {
  const auto found = readings_.find(mailbox);
  return found != readings_.end() && epoch < found->second.epoch;
}

bool MailOracle::handle(const std::string& mailbox, std::uint64_t epoch, std::uint64_t number,
                        Post post) {
  if (fenced(mailbox, epoch)) return false;
  Reading& reading = readings_[mailbox];
  if (number != reading.cursor + 1) {
    throw Violation(mailbox + ": " + std::to_string(number) + " is read after " +
                    std::to_string(reading.cursor));
  }
  if (at(post).mailbox != mailbox) throw Violation(describe(post) + ": read in " + mailbox);
  reading.cursor = number;
  reading.handled[number] = post;
  return true;
}

std::uint64_t MailOracle::cursor(const std::string& mailbox) const {
  const auto found = readings_.find(mailbox);
  return found == readings_.end() ? 0 : found->second.cursor;
}

void MailOracle::check(const std::map<std::string, Content>& stored, const Numbered& logs) const {
  Numbered all = all_of(stored);
  all.insert(logs.begin(), logs.end());
  check_posts(all);
}

/// What was erased is known from its reader.
MailOracle::Numbered MailOracle::all_of(const std::map<std::string, Content>& stored) const {
  Numbered all;
  for (const auto& [mailbox, content] : stored) {
    auto& rows = all[mailbox] = content.rows;
    if (content.floor > cursor(mailbox)) throw Violation(mailbox + ": erased what was not read");
    if (content.last != cursor(mailbox)) throw Violation(mailbox + ": not all of it was read");
    if (content.last == 0) continue;
    for (const auto& [number, post] : readings_.at(mailbox).handled) {
      const auto [row, erased] = rows.emplace(number, post);
      if (row->second != post) throw Violation(describe(post) + ": another was read");
      if (erased && number > content.floor) throw Violation(describe(post) + ": read, not stored");
    }
  }
  return all;
}

void MailOracle::check_posts(const Numbered& stored) const {
  std::map<Post, std::uint64_t> numbers;
  std::set<std::string> keys;
  for (const auto& [mailbox, rows] : stored) {
    std::uint64_t expected = 1;
    std::map<std::uint64_t, Post> latest;  // by life
    for (const auto& [number, post] : rows) {
      if (number != expected++)
        throw Violation(mailbox + ": a hole before " + std::to_string(number));
      const Record& record = records_.at(post - 1);
      if (record.mailbox != mailbox) throw Violation(describe(post) + ": stored in " + mailbox);
      if (!numbers.emplace(post, number).second) throw Violation(describe(post) + ": stored twice");
      if (!record.key.empty() && !keys.insert(mailbox + " " + record.key).second) {
        throw Violation(describe(post) + ": another with this key is stored");
      }
      if (record.fate == Fate::refused)
        throw Violation(describe(post) + ": stored, though refused");
      if (record.fate == Fate::never)
        throw Violation(describe(post) + ": stored, but it never left");
      Post& before = latest[record.life];
      if (before > post) throw Violation(describe(post) + ": stored after a later one");
      before = post;
    }
  }
  for (Post post = 1; post <= records_.size(); ++post) {
    const Record& record = records_[post - 1];
    if (record.fate != Fate::stored) continue;
    const auto found = numbers.find(post);
    if (!record.key.empty()) {
      // Its number is that of the one with its key that came first.
      const auto& rows = stored.at(record.mailbox);
      const auto row = rows.find(record.number);
      if (row == rows.end() || records_[row->second - 1].key != record.key) {
        throw Violation(describe(post) + ": its number is that of another");
      }
    } else if (found == numbers.end()) {
      throw Violation(describe(post) + ": lost, though posted");
    } else if (found->second != record.number) {
      throw Violation(describe(post) + ": stored under another number");
    }
  }
}

}  // namespace starbus::sim
