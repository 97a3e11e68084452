/// What a node keeps that may host the service of spaces, whether or not it runs there now: the
/// types of its files, and what it has counted. Plain values of the loop's thread; the program owns
/// it, and it outlives the service.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "nodes/space/types/space_type.hpp"

namespace starbus::nodes::space {

class SpaceService;

/// Since the process began.
struct SpaceCounters {
  std::uint64_t orders = 0;                      // sent to nodes
  std::uint64_t undelivered = 0;                 // of these, that were not handled
  std::uint64_t uncertain = 0;                   // of these, that may have been
  std::uint64_t stale = 0;                       // refused, as of an earlier service
  std::uint64_t bad_news = 0;                    // announcements that cannot be true
  std::map<std::string, std::uint64_t> answers;  // to requests to enter: "granted", or the error
};

struct SpaceDesk {
  SpaceTypes types;
  SpaceCounters counters;
  SpaceService* service = nullptr;  // that runs here now
};

}  // namespace starbus::nodes::space
