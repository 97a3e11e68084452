#include "mail/shards/shard_offers.hpp"

#include "mail/limits.hpp"

namespace starbus::mail {

void ShardOffers::offer(const std::vector<std::uint8_t>& shards, const std::string& host,
                        std::uint64_t now_ms) {
  for (const std::uint8_t shard : shards) offers_[shard] = {host, now_ms + in_ms(kOfferLife)};
}

void ShardOffers::withdraw(const std::vector<std::uint8_t>& shards) {
  for (const std::uint8_t shard : shards) offers_[shard] = {};
}

bool ShardOffers::allows(std::uint8_t shard, std::string_view host, std::uint64_t now_ms) const {
  const Offer& offer = offers_[shard];
  return !host.empty() && offer.host == host && now_ms < offer.until_ms;
}

std::map<std::string, std::vector<std::uint8_t>> ShardOffers::by_host(std::uint64_t now_ms) const {
  std::map<std::string, std::vector<std::uint8_t>> found;
  for (unsigned number = 0; number < kShards; ++number) {
    const auto shard = static_cast<std::uint8_t>(number);
    const std::string& host = offers_[shard].host;
    if (allows(shard, host, now_ms)) found[host].push_back(shard);
  }
  return found;
}

}  // namespace starbus::mail
