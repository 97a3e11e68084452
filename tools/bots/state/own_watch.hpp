/// The properties of what a bot plays: reads them, and checks that no version is missing, that sums
/// hold in each, and that what grows does, but for what a new stretch takes back. Belongs to one
/// session, in its thread.
#pragma once

#include <optional>
#include <string>

#include "clients/cpp/view.hpp"
#include "tools/bots/ground.hpp"
#include "tools/bots/state/memory.hpp"
#include "tools/bots/state/state_rows.hpp"

namespace starbus::bots {

/// See above. `which`: the place of the [[state]] with `own`.
class OwnWatch {
 public:
  OwnWatch(Ground& ground, std::uint64_t bot, const std::string& account, Memory& memory);

  /// Of a full state of what it plays.
  void full(game::ByteView properties, Nanos now);
  void news(game::ByteView changes, Nanos now);
  void learn(const game::ServerNames& names, Nanos now);
  /// It plays something else, or nothing.
  void forget();

  /// Null: not known.
  const OwnState* state() const { return view_ ? view_->state() : nullptr; }
  /// When it changed last.
  Nanos changed_at() const { return changed_at_; }

 private:
  void take(game::Taken taken, Nanos now);
  void check_sums(const OwnState& state);
  void check_growth(std::size_t which, std::int64_t value, Nanos now);
  void report(const std::string& what, const std::string& expected, const std::string& got);

  Ground& ground_;
  const std::uint64_t bot_;
  const std::string account_;
  Memory& memory_;
  const StateTable* const table_;  // null: the script has none
  OwnState::Watch watch_;
  std::optional<game::View<OwnState>> view_;
  bool fresh_ = false;  // nothing of this stretch was judged
  Nanos changed_at_ = 0;
};

/// How long before `over` a field that grows had a value so low for the last time; nullopt: before
/// all that is known.
std::optional<Nanos> age_of(const Past& past, std::int64_t value, Nanos over);
/// It has another value from `now` on.
void grow(Past& past, std::int64_t value, Nanos now);

}  // namespace starbus::bots
