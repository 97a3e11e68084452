/// Where a client connects next, and when: the addresses of the settings in turn, what a gate has
/// named, and a pause that grows. sans-IO; owned by one session, in its thread.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "clients/cpp/limits.hpp"
#include "clients/cpp/server_clock.hpp"

namespace starbus::game {

/// See above.
class Route {
 public:
  /// Begins at the address with this place, or by chance, so that clients spread over the gates.
  Route(std::vector<std::string> addresses, std::uint64_t seed,
        std::optional<std::size_t> first = {});

  /// At once, as the program wants it.
  void start(Time now);
  /// Again after the pause, and not before `at_least`. A connection that was good is made again to
  /// the same address; after any other, the next one is tried. `broke`: the client had been let in
  /// over it, and nobody has ended it: the pause is at most kRetryBroken.
  void lost(Time now, milliseconds at_least, bool broke);
  /// As lost(), but not to the address of before.
  void elsewhere(Time now, milliseconds at_least, bool broke = false);
  /// To an address of a gate; one that is no `host:port` is ignored.
  void go_to(std::string address, Time now);
  /// The connection is good: the pause begins anew.
  void good() { attempts_ = 0; }
  /// No more connections, until start().
  void stop() { due_ = Time::max(); }

  Time due() const { return due_; }
  /// Where to connect now; nullopt before it is due, or if there is no address.
  std::optional<std::string> take(Time now);

 private:
  milliseconds pause(milliseconds longest = kRetryMost);
  milliseconds below(milliseconds bound);

  std::vector<std::string> addresses_;
  std::mt19937_64 random_;
  std::size_t at_ = 0;
  std::string named_;  // by a gate; empty: none
  unsigned attempts_ = 0;
  Time due_ = Time::max();
};

}  // namespace starbus::game
