/// Slows those who guess proofs, and locks nobody out. docs/design/login.md has the reasoning.
///
/// A delay is a wait and never a lock: each attempt waits by itself, beside the others, and is then
/// looked at. So somebody who guesses at an account cannot keep its owner out, who waits once. A
/// player at an address where he has logged in before is *known*: he is judged by his own mistakes
/// there, whatever others do at his account or from his address.
/// A plain value: one thread at a time.
#pragma once

#include <compare>
#include <string>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"
#include "nodes/login/core/recent_table.hpp"

namespace starbus::nodes::login {

/// Who tries: which account, from where.
struct Trier {
  std::string account{};  // empty: the verifier finds out
  Network from{};         // near_of() its address
  friend auto operator<=>(const Trier&, const Trier&) = default;
};

class Guesses {
 public:
  /// Whether this player has logged in from there.
  bool known(const Trier& trier) const { return pairs_.peek(trier) != nullptr; }
  /// How long its next attempt waits before its proof is looked at.
  Time delay(const Trier& trier, Time now) const;
  /// Its proof was wrong.
  void wrong(const Trier& trier, Time now);
  /// Its proof was right. Forgets nothing but the mistakes of this player there: another's account
  /// must not wash a guesser clean.
  void right(const Trier& trier);

 private:
  struct Score {
    unsigned wrong = 0;
    Time at{0};  // since when one more is forgotten each kWrongForgotten
  };
  static unsigned left(const Score* score, Time now);
  static void add(Score& score, unsigned most, Time now);

  RecentTable<Network, Score> addresses_{kAddresses};
  RecentTable<std::string, Score> accounts_{kWrongNames};
  RecentTable<Trier, Score> pairs_{kKnownPairs};
};

}  // namespace starbus::nodes::login
