/// What was posted and appended, what the senders were told, and whether the disk agrees:
///   - stored at most once, under the number that the sender was told, and never after a refusal;
///   - numbers of a mailbox are 1, 2, 3...;
///   - the posts of one life of a sender stand in the order in which they were made;
///   - every post of a sender that lives has an end;
///   - readers that save their cursor with what they do handle every number once and in order,
///     and nothing is erased that was not handled.
/// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bus/core/origin/origin.hpp"

namespace starbus::sim {

class MailOracle {
 public:
  using Post = std::uint64_t;
  static constexpr bus::Token kToken = bus::Token{1} << 61;

  /// By the life of a process; `key`: it may be the same post as earlier ones with this key.
  Post issue(std::uint64_t life, const std::string& mailbox, const std::string& key);
  void retract(Post post);
  void posted(Post post, bus::Errc status, std::uint64_t number);
  void failed(Post post, bus::Errc reason, bool sent, bool leases_may_end);

  // --- readers: the database of the game, as it were ---
  /// The cursor of a mailbox, for an owner under this epoch: earlier ones are fenced from now on.
  std::uint64_t load_cursor(const std::string& mailbox, std::uint64_t epoch);
  bool fenced(const std::string& mailbox, std::uint64_t epoch) const;
  /// Handles a message and saves its number. False: this owner is fenced, and nothing happened.
  bool handle(const std::string& mailbox, std::uint64_t epoch, std::uint64_t number, Post post);
  std::uint64_t cursor(const std::string& mailbox) const;

  /// A sender's posts that have no end yet.
  std::size_t pending(std::uint64_t life) const;
  /// What the disk has of a mailbox: floor+1 to last, by number.
  struct Content {
    std::uint64_t floor = 0;
    std::uint64_t last = 0;
    std::map<std::uint64_t, Post> rows;
  };
  using Numbered = std::map<std::string, std::map<std::uint64_t, Post>>;
  /// `logs`: all that these ever had.
  void check(const std::map<std::string, Content>& stored, const Numbered& logs) const;
  std::size_t stored() const { return stored_; }

 private:
  enum class Fate { pending, stored, refused, never, unknown };
  struct Record {
    std::uint64_t life = 0;
    std::string mailbox;
    std::string key;
    Fate fate = Fate::pending;
    std::uint64_t number = 0;
  };
  struct Reading {
    std::uint64_t epoch = 0;
    std::uint64_t cursor = 0;
    std::map<std::uint64_t, Post> handled;
  };
  Numbered all_of(const std::map<std::string, Content>& stored) const;
  void check_posts(const Numbered& stored) const;

  Record& at(Post post) { return records_.at(post - 1); }
  std::string describe(Post post) const;

  std::vector<Record> records_;
  std::map<std::uint64_t, std::size_t> pending_;
  std::map<std::string, Reading> readings_;
  std::size_t stored_ = 0;
};

}  // namespace starbus::sim
