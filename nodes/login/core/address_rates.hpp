/// How often one address, and the network of one customer, may log in: a burst, and then a rate.
///
/// Looks at who asks only, before anything is done for them. A plain value: one thread at a time.
#pragma once

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"
#include "nodes/login/core/recent_table.hpp"

namespace starbus::nodes::login {

struct RateOptions {
  unsigned burst = kAddressBurst;
  unsigned per_minute = kAddressPerMinute;
  unsigned wide_factor = kWideFactor;
};

class AddressRates {
 public:
  explicit AddressRates(const RateOptions& options = {}) : options_(options) {}

  /// 0: it may. Else it may not, and nothing is counted; it may after so long.
  Time take(const Address& address, Time now);
  std::size_t size() const { return buckets_.size(); }

 private:
  struct Bucket {
    double used = 0;
    Time at{0};
  };
  Time missing(Bucket& bucket, unsigned factor, Time now) const;

  const RateOptions options_;
  RecentTable<Network, Bucket> buckets_{kAddresses};
};

}  // namespace starbus::nodes::login
