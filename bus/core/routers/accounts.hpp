/// Shares: who holds how much of what a daemon has for all.
///
/// An account is a user of the host at busd, and a host at busroot: the party that a daemon can
/// tell apart from others, however many sessions it opens. What is bounded in total (names, bytes
/// in queues, sessions) is given by one rule: an account may hold kShare times what is left. An
/// account alone gets nearly all of it; the more one holds, the sooner it is the one that is
/// refused; and what it leaves is there for the next.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "bus/core/lanes.hpp"
#include "bus/core/routers/limits.hpp"

namespace starbus::bus {

/// Whether an account that holds `held` of `used` may have `more`, where all may have `limit`.
constexpr bool within_share(std::size_t held, std::size_t more, std::size_t used,
                            std::size_t limit) {
  return used <= limit && more <= limit - used && held + more <= kShare * (limit - used);
}

/// The accounts of one daemon, and what each holds in its queues. An account lives as long as it
/// has a link or a queued byte; its index is used again afterwards. One thread; owns no links.
/// Nothing here fails.
class Accounts {
 public:
  Accounts() { accounts_.emplace_back(); }

  /// A link of the party `key` begins: the index of its account, never 0. Each needs a leave().
  AccountId join(const std::string& key);
  void leave(AccountId account);
  /// Who it is, for people: the key; empty for 0.
  const std::string& key(AccountId account) const { return accounts_[account].key; }

  /// Whether the account may queue so many bytes more: kQueuesTotal by shares.
  bool admits(AccountId account, std::size_t bytes) const {
    return within_share(accounts_[account].queued, bytes, queued_, kQueuesTotal);
  }
  /// Bytes that were queued, or have left (negative).
  void count(AccountId account, std::ptrdiff_t bytes);
  /// Bytes of all accounts in queues.
  std::size_t queued() const { return queued_; }
  std::size_t queued(AccountId account) const { return accounts_[account].queued; }

  /// Whether the account may ask so much more of busroot in this tick, when there is room for
  /// `room` bytes of requests of all; counts it if so. Where several accounts have links, all may
  /// ask no more than kRequestsOfTick.
  bool ask(AccountId account, std::size_t bytes, std::size_t room);
  /// A tick begins.
  void next_tick();

 private:
  struct Account {
    std::string key;
    std::size_t links = 0;
    std::size_t queued = 0;
    std::size_t asked = 0;
  };
  /// Whether accounts share what is asked of busroot: of two or more users. The link to busroot has
  /// an account, too.
  bool several_ask() const { return by_key_.size() > kAccountsOfBusroot + 1; }
  void free_if_unused(AccountId account);

  static constexpr std::size_t kAccountsOfBusroot = 1;

  std::vector<Account> accounts_;
  std::vector<AccountId> unused_;
  std::unordered_map<std::string, AccountId> by_key_;
  std::size_t queued_ = 0;
  std::size_t asked_ = 0;
};

}  // namespace starbus::bus
