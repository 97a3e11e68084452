// The load processes. Each prints "ready", waits for a line, does its work, prints one line of JSON
// ({"error": ...} if it failed), and stays until its input closes.
//
//   prepare  makes the system ready: returns when it has taken a first post
//   post     posts: as fast as `outstanding` allows, or at a rate (open loop: a post is timed from
//            when it was due); for some seconds, or a number of them
//   follow   posts as `post` does, to one mailbox, and reads it: a message is timed until it was
//   read drain    reads mailbox 0 to its end and acknowledges read     reads it to its end erase
//   erases mailbox 0 in one request open     opens mailboxes at random
#pragma once

#include <string>

#include "bench/mail/client.hpp"

namespace starbus::bench::mail {

struct RoleOptions {
  std::string role;
  std::string system;
  ClientOptions client;
  std::uint64_t first = 0;      // mailboxes: from this one on,
  std::uint64_t mailboxes = 1;  // so many
  std::uint64_t count = 0;      // posts, mailbox by mailbox; 0: at random ones, for `seconds`
  double seconds = 1;
  double rate = 0;  // posts per second; 0: as fast as possible
  bool read = false;
};

int run_role(const RoleOptions& options);

}  // namespace starbus::bench::mail
