// Streams: the load processes of one run (role.hpp), a sender and one receiver for each channel,
// and the talk with these. The processes belong to the group. One thread uses it; failures are
// values.
#pragma once

#include <vector>

#include "bench/bus/peer.hpp"
#include "bench/restarts/options.hpp"

namespace starbus::bench::restarts {

class Streams {
 public:
  // What a plan has to say about them: every other owner is on the sender's host.
  static std::vector<PlannedProcess> planned(int channels);

  // In a cluster that was started. Returns when messages flow to all.
  static Result<Streams> start(const Plan& plan, const Peer& peer, const Options& options,
                               ProcessGroup& processes);

  // Waits until each stream has delivered what was sent from now on. How long each was silent at
  // most since this was last asked: nanoseconds, by owner.
  struct Silence {
    Address owner;
    std::int64_t ns = 0;
  };
  Result<std::vector<Silence>> silences();

  // Ends them all, and says what has become of their messages.
  struct Ledger {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t misplaced = 0;  // doubled, or later than one that was sent after them
  };
  Result<Ledger> stop();

 private:
  struct Receiver {
    Address owner;
    Process* process = nullptr;
  };
  std::vector<Receiver> receivers_;
  Process* sender_ = nullptr;
};

}  // namespace starbus::bench::restarts
