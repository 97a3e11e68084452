#include "nodes/login/core/guesses.hpp"

#include <algorithm>

namespace starbus::nodes::login {
namespace {

/// Doubled for each wrong proof beyond those that are free.
Time delay_of(unsigned wrong, unsigned free, Time longest) {
  if (wrong < free) return Time(0);
  const unsigned doublings = std::min(wrong - free, 16U);
  return std::min<Time>(kFirstDelay * (1 << doublings), longest);
}
/// From which count on a delay does not grow: more is not counted, so it is forgotten in minutes.
unsigned most_wrong(unsigned free, Time longest) {
  unsigned wrong = free;
  while (delay_of(wrong, free, longest) < longest) ++wrong;
  return wrong;
}

}  // namespace

unsigned Guesses::left(const Score* score, Time now) {
  if (!score) return 0;
  const auto forgotten = (now - score->at) / kWrongForgotten;
  return forgotten >= score->wrong ? 0 : score->wrong - static_cast<unsigned>(forgotten);
}

void Guesses::add(Score& score, unsigned most, Time now) {
  const unsigned wrong = left(&score, now);
  // What has passed of the present step is kept.
  score.at = wrong == 0 ? now : score.at + kWrongForgotten * (score.wrong - wrong);
  score.wrong = std::min(wrong + 1, most);
}

Time Guesses::delay(const Trier& trier, Time now) const {
  if (const Score* pair = pairs_.peek(trier)) {
    return delay_of(left(pair, now), kKnownWrong, kKnownDelay);
  }
  const Time of_address =
      delay_of(left(addresses_.peek(trier.from), now), kAddressWrong, kAddressDelay);
  const Time of_account =
      delay_of(left(accounts_.peek(trier.account), now), kAccountWrong, kAccountDelay);
  return std::max(of_address, of_account);
}

void Guesses::wrong(const Trier& trier, Time now) {
  if (Score* pair = pairs_.find(trier)) {
    add(*pair, most_wrong(kKnownWrong, kKnownDelay), now);
    return;
  }
  add(addresses_.at(trier.from), most_wrong(kAddressWrong, kAddressDelay), now);
  if (!trier.account.empty()) {
    add(accounts_.at(trier.account), most_wrong(kAccountWrong, kAccountDelay), now);
  }
}

void Guesses::right(const Trier& trier) {
  // Whose account a token is for shows later: an address alone is no player.
  if (!trier.account.empty()) pairs_.at(trier) = {};
}

}  // namespace starbus::nodes::login
