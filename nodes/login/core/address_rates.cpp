#include "nodes/login/core/address_rates.hpp"

#include <algorithm>
#include <cmath>

namespace starbus::nodes::login {

Time AddressRates::missing(Bucket& bucket, unsigned factor, Time now) const {
  const double per_ms = options_.per_minute * static_cast<double>(factor) / 60'000;
  const auto passed = static_cast<double>((now - bucket.at).count());
  bucket.used = std::max(0.0, bucket.used - passed * per_ms);
  bucket.at = now;
  const double over = bucket.used + 1 - options_.burst * static_cast<double>(factor);
  return over <= 0 ? Time(0) : Time(static_cast<std::int64_t>(std::ceil(over / per_ms)));
}

Time AddressRates::take(const Address& address, Time now) {
  // The second row may take the place of the first: only if the table had one row.
  Bucket& wide = buckets_.at(wide_of(address));
  const Time wide_missing = missing(wide, options_.wide_factor, now);
  Bucket& near = buckets_.at(near_of(address));
  const Time wait = std::max(wide_missing, missing(near, 1, now));
  if (wait == Time(0)) {
    wide.used += 1;
    near.used += 1;
  }
  return wait;
}

}  // namespace starbus::nodes::login
