/// The secrets by which a client continues its session: the one that it has confirmed, and the next
/// one, which it was told last. Hashes alone are kept.
///
/// Belongs to the loop's thread. Comparing takes the same time whichever one fits, or none.
#pragma once

#include <vector>

#include "nodes/gate/wire/frames.hpp"

namespace starbus::nodes::gate {

/// Where random keys come from: session ids, tokens, passes. Must not be guessed.
class KeySource {
 public:
  virtual Key key() = 0;

 protected:
  ~KeySource() = default;
};

enum class TokenFits { no, yes, erased };

class TokenPair {
 public:
  /// Hashes; zero: none. What a hand-over carries.
  struct State {
    Key current{};
    Key next{};
    std::vector<Key> erased{};  // the oldest first; most sessions have none
  };
  TokenPair() = default;
  explicit TokenPair(State state) : state_(std::move(state)) {}

  /// A new one for the next Welcome; one that was told before and not confirmed fits no more.
  Key issue(KeySource& keys);
  /// Whether the client may continue. `erased`: somebody has a copy of an older one.
  TokenFits fits(const Key& token) const;
  /// It has come back with this one, which fits: if that is the next one, the other is erased.
  void used(const Key& token);
  /// It has kept the next one: the other is erased.
  void confirm();

  const State& state() const { return state_; }

 private:
  State state_;
};

}  // namespace starbus::nodes::gate
