/// Whether the numbers of one kind of call come once and in order, apart from the protocol's own
/// numbers: they are in the payload, and the game draws them. A plain value of one session.
///
/// Within a stretch each is the one before + 1. With a new full state, or after the game's object
/// was loaded again (another life), it may be higher: what was passed over is counted. In a group
/// numbers may be missing, as it is told to who is there; none comes twice.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "tools/bots/checks/violations.hpp"

namespace starbus::bots {

/// See above.
class NumberCheck {
 public:
  enum class Of : std::uint8_t { subject, group };
  explicit NumberCheck(Of of) : of_(of) {}

  /// What one number shows.
  struct Shown {
    bool good = true;
    Broken broken = Broken::gap;    // if it is not good
    std::uint64_t expected = 0;     // likewise
    std::uint64_t passed_over = 0;  // by a new full state
    std::int64_t missing = 0;       // in a group; -1: one that was missing has come late
  };
  Shown heard(std::string_view origin, std::uint64_t life, std::uint64_t number);
  /// A full state has come, or another session goes on: numbers may be passed over once.
  void renewed();

 private:
  struct Stream {
    std::uint64_t life = 0;
    std::uint64_t last = 0;      // the highest that has come
    std::uint64_t before = 0;    // bit n: last - 1 - n has come (groups)
    std::uint64_t heard_at = 0;  // in order of hearing
    bool fresh = false;
  };
  Shown of_subject(Stream& stream, std::uint64_t life, std::uint64_t number);
  Shown of_group(Stream& stream, std::uint64_t life, std::uint64_t number);
  void forget_one();

  Of of_;
  std::uint64_t heard_ = 0;
  std::map<std::string, Stream, std::less<>> streams_;
};

}  // namespace starbus::bots
