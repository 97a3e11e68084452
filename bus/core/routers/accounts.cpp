#include "bus/core/routers/accounts.hpp"

#include <algorithm>
#include <cassert>

namespace starbus::bus {

AccountId Accounts::join(const std::string& key) {
  assert(!key.empty());
  const auto [entry, fresh] = by_key_.try_emplace(key, 0);
  if (fresh && unused_.empty()) {
    entry->second = static_cast<AccountId>(accounts_.size());
    accounts_.emplace_back();
  } else if (fresh) {
    entry->second = unused_.back();
    unused_.pop_back();
  }
  Account& account = accounts_[entry->second];
  if (fresh) account.key = key;
  ++account.links;
  return entry->second;
}

void Accounts::leave(AccountId account) {
  assert(account != 0 && accounts_[account].links > 0);
  --accounts_[account].links;
  free_if_unused(account);
}

void Accounts::count(AccountId account, std::ptrdiff_t bytes) {
  accounts_[account].queued += static_cast<std::size_t>(bytes);
  queued_ += static_cast<std::size_t>(bytes);
  if (bytes < 0) free_if_unused(account);
}

void Accounts::free_if_unused(AccountId account) {
  Account& unused = accounts_[account];
  const bool known = !unused.key.empty();  // not the daemon's own, nor one that is free already
  if (!known || unused.links != 0 || unused.queued != 0) return;
  by_key_.erase(unused.key);
  unused = {};
  unused_.push_back(account);
}

bool Accounts::ask(AccountId account, std::size_t bytes, std::size_t room) {
  if (several_ask()) {
    room = std::min(room, kRequestsOfTick - std::min(std::size_t{kRequestsOfTick}, asked_));
  }
  std::size_t& asked = accounts_[account].asked;
  if (!within_share(asked, bytes, asked_, asked_ + room)) return false;
  asked += bytes;
  asked_ += bytes;
  return true;
}

void Accounts::next_tick() {
  if (asked_ == 0) return;
  asked_ = 0;
  for (Account& account : accounts_) account.asked = 0;
}

}  // namespace starbus::bus
