/// What a session hears of its game: finds the [[hear]] of each call, reads it, and checks account
/// and numbers. Belongs to one session, in its thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/bots/checks/number_check.hpp"
#include "tools/bots/ground.hpp"
#include "tools/bots/state/memory.hpp"

namespace starbus::bots {

/// See above.
class Listener {
 public:
  Listener(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory);
  /// Another session of the same bot begins where the one before is: its numbers may not come
  /// again.
  void follow(const Listener& before);

  void on_full();
  /// `group`: it was said to one; else nullptr.
  void on_call(const game::Call& call, const std::string* group);
  void on_malformed_spoken(const std::string& group);

 private:
  struct Heard {
    std::string_view account{}, origin{}, letter{};
    std::uint64_t life = 0, number = 0, time = 0;
  };
  void heard(std::size_t which, const game::Call& call);
  void judge(std::size_t which, const Heard& heard);
  void report(Broken kind, const std::string& what, const std::string& expected,
              const std::string& got);

  Ground& ground_;
  const std::uint64_t bot_;
  const std::string account_;
  Memory& memory_;
  std::vector<NumberCheck> numbers_;  // of each [[hear]]
};

}  // namespace starbus::bots
