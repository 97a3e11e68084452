#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/client/bus.hpp"

namespace starbus::cluster_test {

/// How a mailbox, or a log, is posted to.
struct PostPlan {
  std::string name{};
  std::size_t count = 0;
  std::size_t window = 8;
  std::size_t size = 0;   // of a body, at least
  std::size_t large = 0;  // of the fourth
  bool log = false;
  bool keyed = false;                // two after another have one key
  bool may_be_full = false;          // some may be refused as mailbox_full
  std::chrono::milliseconds ttl{0};  // some may be expired
};

/// What one poster and one reader know of a mailbox or a log: what was posted and how that ended,
/// and what was read. The reader's part is what a program would save in one commit: its cursor, and
/// what the messages did. Violations of docs/guide/mail.md are failures of the test as soon as they
/// show.
class MailAccount {
 public:
  explicit MailAccount(PostPlan plan) : plan_(std::move(plan)) {}

  const PostPlan& plan() const { return plan_; }
  const std::string& name() const { return plan_.name; }

  // --- the poster ---
  bool may_post() const {
    return posts_.size() < plan_.count && posts_.size() - ended_ < plan_.window;
  }
  bool ended() const { return ended_ == plan_.count; }
  /// `count` more, none of which may expire.
  void go_on(std::size_t count) {
    plan_.count += count;
    lasting_ = true;
  }
  std::chrono::milliseconds ttl() const { return lasting_ ? decltype(plan_.ttl){} : plan_.ttl; }
  struct Next {
    std::size_t post = 0;
    std::string body{};
    std::string key{};
  };
  Next next();
  void end(std::size_t post, const bus::Result<std::uint64_t>& result);
  /// The latest number that a post was told.
  std::uint64_t last() const { return told_.empty() ? 0 : told_.rbegin()->first; }

  // --- the reader ---
  std::uint64_t cursor() const { return cursor_; }
  /// What comes next must be behind the cursor: the next number of a mailbox, a later one of a log.
  void save(const bus::Mail& mail);
  /// Its messages up to this number were erased by an operator.
  void purged(std::uint64_t upto) { cursor_ = upto; }
  /// The same message as was read before, if it was.
  void expect_as_told(const bus::Mail& mail) const;

  /// For whoever looks into a failure.
  std::string state() const;
  /// At the end, with everything read that is there.
  void verify() const;

 private:
  struct Post {
    std::string body;
    std::string key;
    std::optional<bus::Result<std::uint64_t>> result{};
  };
  std::size_t first_with_key_of(std::size_t post) const;

  PostPlan plan_;
  std::vector<Post> posts_;
  bool lasting_ = false;
  std::size_t ended_ = 0;
  std::map<std::uint64_t, std::size_t> told_;  // number, of which post
  std::uint64_t cursor_ = 0;
  std::map<std::uint64_t, std::string> read_;
};

}  // namespace starbus::cluster_test
