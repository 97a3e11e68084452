/// What has happened in the run since the operator's view began: programs that went down and came
/// up, heroes who went from one space to another. A plain value; no input or output.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace arena::view {

/// Since some fixed moment.
using Moment = std::chrono::milliseconds;

struct Event {
  /// killed and started: by order of an operator. down and up: found so.
  enum class What : std::uint8_t { travel, down, up, killed, started };
  std::uint64_t number = 0;  // from 1
  Moment at{};
  What what = What::travel;
  std::string who = {};                // a hero, or a program
  std::string from = {}, to = {};      // spaces, of a travel
  std::string leaves = {}, goes = {};  // programs that run them
};

/// Whom one space had in a round.
struct Crowd {
  std::string space;
  std::string program;
  std::vector<std::string> heroes;  // persistent ids
};

class History {
 public:
  /// Events that are kept: more than happen between two questions of a page.
  static constexpr std::size_t kKept = 512;
  /// Heroes that are followed: of more, travels are not told.
  static constexpr std::size_t kMostHeroes = 10'000;
  /// A hero that was seen nowhere for so long is forgotten.
  static constexpr Moment kForget = std::chrono::minutes(1);

  /// A program is up, or not. Nothing happens at the first word about one.
  void program(const std::string& name, bool up, Moment now);
  void ordered(Event::What what, const std::string& program, Moment now);
  /// One round: spaces in the order in which they were asked. A hero who is in two of them has gone
  /// from the one to the other meanwhile, so the last one counts.
  void round(const std::vector<Crowd>& crowds, Moment now);

  /// Those after that number, at most `most`, the latest.
  std::vector<Event> after(std::uint64_t number, std::size_t most) const;
  /// Of the latest; 0: nothing has happened.
  std::uint64_t last() const { return last_; }
  std::uint64_t travels() const { return travels_; }
  std::size_t heroes() const { return heroes_.size(); }

 private:
  struct Place {
    std::string space;
    std::string program;
    Moment seen{};
  };
  void add(Event event);

  std::deque<Event> events_;
  std::uint64_t last_ = 0;
  std::uint64_t travels_ = 0;
  std::map<std::string, bool> programs_;
  std::map<std::string, Place> heroes_;
};

/// "travel"
const char* name_of(Event::What what);

}  // namespace arena::view
