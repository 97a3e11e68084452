/// Tells the user what an operator should see: of each kind at most one text in kWarningPause, with
/// the number of cases since the last one. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/unit_guard.hpp"
#include "bus/core/lanes.hpp"
#include "bus/core/limits.hpp"

namespace starbus::bus {

class Warnings {
 public:
  enum class Kind : std::uint8_t { unknown_reply, reply_without_room };

  /// Replaces the callback, which may be null and may end the bus.
  void on_warning(std::function<void(const std::string&)> callback) {
    callback_ = std::move(callback);
  }
  /// Counts a case; `describe` makes the text when one is due.
  template <class Describe>
  void add(Kind kind, Time now, Describe&& describe) {
    State& state = states_[static_cast<std::size_t>(kind)];
    ++state.cases;
    if (state.told != Time{} && now - state.told < kWarningPause) return;
    state.told = now;
    const std::string text = describe() + " (" + std::to_string(state.cases) + " so far)";
    const auto callback = callback_;
    if (callback) guarded(UnitKind::message, "on_warning", [&] { callback(text); });
  }

 private:
  struct State {
    Time told{};
    std::uint64_t cases = 0;
  };
  std::array<State, 2> states_{};
  std::function<void(const std::string&)> callback_;
};

}  // namespace starbus::bus
