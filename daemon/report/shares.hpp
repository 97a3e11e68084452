/// Who holds how much of what a busd has for all its processes: a part of /status.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/report/fields.hpp"

namespace starbus::report {

/// Used by all users together, and the most that they may use.
struct Usage {
  std::uint64_t used = 0;
  std::uint64_t limit = 0;  // 0: the daemon does not report it

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("used", self.used);
    visit("limit", self.limit);
  }
  friend bool operator==(const Usage&, const Usage&) = default;
};

/// The sessions of one program.
struct ProgramShare {
  std::int64_t pid = 0;
  std::string program;  // as /proc/PID/comm has it; empty: it has ended, or is out of sight
  std::uint64_t processes = 0;
  std::uint64_t names = 0;
  std::uint64_t over_rate = 0;  // records refused or dropped above its rate or share
  double loop_s = 0;            // of busd's loop, of its present links

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("pid", self.pid);
    visit("program", self.program);
    visit("processes", self.processes);
    visit("names", self.names);
    visit("over_rate", self.over_rate);
    visit("loop_s", self.loop_s);
  }
  friend bool operator==(const ProgramShare&, const ProgramShare&) = default;
};

/// All sessions of one user.
struct UserShare {
  std::uint64_t uid = 0;
  std::uint64_t links = 0;
  std::uint64_t processes = 0;
  std::uint64_t names = 0;
  std::uint64_t queued_bytes = 0;
  std::uint64_t over_rate = 0;  // records and hellos
  double loop_s = 0;            // of busd's loop, while other users had links, too
  std::vector<ProgramShare> programs;

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("uid", self.uid);
    visit("links", self.links);
    visit("processes", self.processes);
    visit("names", self.names);
    visit("queued_bytes", self.queued_bytes);
    visit("over_rate", self.over_rate);
    visit("loop_s", self.loop_s);
    visit("programs", self.programs);
  }
  friend bool operator==(const UserShare&, const UserShare&) = default;
};

/// What a busd has for all, and the users that hold most of it.
struct HostShares {
  Usage processes;
  Usage names;
  Usage queued_bytes;
  std::vector<UserShare> users;  // the heaviest first

  template <class Self, class Visit>
  static void fields(Self& self, Visit& visit) {
    visit("processes", self.processes);
    visit("names", self.names);
    visit("queued_bytes", self.queued_bytes);
    visit("users", self.users);
  }
  friend bool operator==(const HostShares&, const HostShares&) = default;
};

}  // namespace starbus::report
