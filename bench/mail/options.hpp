// What can be chosen: sizes, so that a run is as long as one likes, and where the disk is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starbus::bench::mail {

struct Options {
  std::string folder;                                          // on the disk that is measured
  double seconds = 5;                                          // measured time of one run
  std::size_t bytes = 256;                                     // of a message
  std::vector<std::uint64_t> mailboxes = {1, 1'000, 100'000};  // of the posts per second
  std::vector<int> posters = {1, 4};                           // processes of those
  std::uint64_t outstanding = 0;  // posts of a process that have no end yet; 0: what suits the peer
  double rate = 2'000;            // posts per second where latency at a rate is measured
  std::uint64_t drain = 1'000'000;       // messages in the mailbox that is read or erased
  std::uint64_t window = 1024 * 1024;    // of starbus' reader, bytes
  std::uint64_t population = 1'000'000;  // mailboxes with one message each
  std::uint64_t opened = 1'000;          // of those, chosen at random
  bool keep = false;                     // the folders
};

}  // namespace starbus::bench::mail
