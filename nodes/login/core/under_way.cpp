#include "nodes/login/core/under_way.hpp"

namespace starbus::nodes::login {
namespace {

template <class K>
std::size_t count_of(const std::map<K, std::size_t>& counts, const K& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : found->second;
}
template <class K>
void one_less(std::map<K, std::size_t>& counts, const K& key) {
  const auto found = counts.find(key);
  if (--found->second == 0) counts.erase(found);
}

}  // namespace

bool UnderWay::begin(const Trier& trier, bool known) {
  if (all_ >= kAttempts) return false;
  if (known) {
    if (count_of(pairs_, trier) >= kPairUnderWay) return false;
    ++pairs_[trier];
  } else {
    if (others_ >= kAttempts - kKnownReserve ||
        count_of(addresses_, trier.from) >= kAddressUnderWay ||
        count_of(accounts_, trier.account) >= kAccountUnderWay) {
      return false;
    }
    ++others_;
    ++addresses_[trier.from];
    if (!trier.account.empty()) ++accounts_[trier.account];
  }
  ++all_;
  return true;
}

void UnderWay::end(const Trier& trier, bool known) {
  --all_;
  if (known) {
    one_less(pairs_, trier);
    return;
  }
  --others_;
  one_less(addresses_, trier.from);
  if (!trier.account.empty()) one_less(accounts_, trier.account);
}

}  // namespace starbus::nodes::login
