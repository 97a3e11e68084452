#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mail/types.hpp"

namespace starbus::mail {

/// The shards of this store that an operator lets other hosts take, each for one host: nothing else
/// leaves the store. An offer counts for kOfferLife, and is forgotten when the store ends. A plain
/// value; its owner's thread.
class ShardOffers {
 public:
  /// Replaces earlier offers of these shards. `now_ms`: of a monotonic clock, as below.
  void offer(const std::vector<std::uint8_t>& shards, const std::string& host,
             std::uint64_t now_ms);
  void withdraw(const std::vector<std::uint8_t>& shards);
  /// Call when the shard is not here any more: it must be offered anew if it comes back.
  void given(std::uint8_t shard) { offers_[shard] = {}; }
  bool allows(std::uint8_t shard, std::string_view host, std::uint64_t now_ms) const;
  /// The shards that are offered now, by host.
  std::map<std::string, std::vector<std::uint8_t>> by_host(std::uint64_t now_ms) const;

 private:
  struct Offer {
    std::string host;  // empty: to nobody
    std::uint64_t until_ms = 0;
  };
  std::array<Offer, kShards> offers_;
};

}  // namespace starbus::mail
