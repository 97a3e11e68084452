/// Log lines about the processes of a host, at most kUserLines a second of one user: a program that
/// opens and ends sessions in a loop, under ever new names, neither fills the log nor hides what is
/// said about other users. What was left out is counted, and told once in kUserLogReport. Sans-IO;
/// used by the router's thread; owns an entry for each user with lines in that time.
#pragma once

#include <cstdint>
#include <string>

#include "base/line_limit.hpp"
#include "bus/core/routers/limits.hpp"
#include "bus/core/routers/links.hpp"

namespace starbus::bus {

class UserLog {
 public:
  explicit UserLog(Links& links) : links_(links) {}

  /// A line about a process of this user, or about a link of his that has none yet.
  void line(std::uint32_t uid, RouterShell::Level level, const std::string& text);
  /// Tells what was left out, and forgets users without lines.
  void tick();

 private:
  void report(std::uint32_t uid, std::uint64_t left_out);

  Links& links_;
  LineLimit<std::uint32_t, Time> lines_{kUserLines, std::chrono::seconds(1), kUserLogReport};
};

}  // namespace starbus::bus
