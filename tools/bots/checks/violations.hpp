/// What was promised and did not hold: counted by kind, the first ones told in full. Thread-safe:
/// all loops of a process have one.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::bots {

/// docs/operate/bots.md, "kind of violation".
enum class Broken : std::uint8_t {
  gap,
  twice,
  foreign,
  answer,
  count,
  fate,
  malformed,
  end,
  order,
  letter,
  state,
  differ,
  jump
};
inline constexpr std::size_t kBrokenKinds = 13;
std::string_view name_of(Broken kind);

/// One of them.
struct Violation {
  std::int64_t at_ms = 0;  // since the start of the run
  std::uint64_t bot = 0;
  std::string account{};
  Broken kind = Broken::gap;
  std::string what{};
  std::string expected{};
  std::string got{};
};

/// See above.
class Violations {
 public:
  explicit Violations(std::size_t told_most) : told_most_(told_most) {}
  void add(Violation violation);

  struct Seen {
    std::uint64_t count = 0;
    std::array<std::uint64_t, kBrokenKinds> kinds{};
    std::vector<Violation> told{};
  };
  Seen seen() const;
  std::uint64_t count() const;

 private:
  const std::size_t told_most_;
  mutable std::mutex mutex_;
  Seen seen_;
};

}  // namespace starbus::bots
