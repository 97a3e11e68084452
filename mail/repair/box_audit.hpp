#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mail/repair/box_walk.hpp"
#include "mail/repair/finding.hpp"

namespace starbus::mail {

/// Checks one mailbox row by row. Call message() for all messages in order, then finish(). Pure.
class BoxAudit {
 public:
  using Sink = std::function<void(Finding)>;

  BoxAudit(std::uint8_t shard, const BoxWalk::Box& box, const Sink& sink);

  /// The rows of the mailbox in the order of a BoxWalk; `finish` after the last.
  void message(const ScannedRow& row);
  void post_key(const ScannedRow& row);
  void finish();

  std::uint64_t messages() const { return messages_; }  // that can be read
  std::uint64_t bytes() const { return bytes_; }        // of their bodies

 private:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::string detail;
  };
  void check_row();
  void add(Problem problem, std::uint64_t first, std::uint64_t last, std::string detail);
  void extend(Problem problem, std::optional<Run>& run, std::uint64_t first, std::uint64_t last,
              const std::string& detail);
  void lose_up_to(std::uint64_t end, const std::string& detail);
  void in_place(std::uint64_t number, const MessageRow& row);

  const std::uint8_t shard_;
  const BoxWalk::Box& box_;
  const Sink& sink_;
  std::uint64_t expected_ = 1;  // the number that must come next
  std::uint64_t total_ = 0;
  bool total_is_known_ = true;  // all up to here was there
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::optional<Run> lost_;
  std::optional<Run> stray_;
  std::optional<Run> lost_before_;
  std::uint64_t lowest_ = 0;  // of all rows
  std::uint64_t highest_ = 0;
};

}  // namespace starbus::mail
