/// Accounts and networks that may not log in: until when, and why. A plain value: one thread at a
/// time. A look costs at most one search for each length of a network, of which there are 129.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "nodes/login/core/address.hpp"
#include "nodes/login/core/limits.hpp"

namespace starbus::nodes::login {

struct Ban {
  std::uint64_t until = 0;  // milliseconds since 1970; 0: for ever
  std::string why{};        // for the player
  friend bool operator==(const Ban&, const Ban&) = default;
};
/// "banned until 2027-01-15 08:00 UTC: why", for the player.
std::string to_text(const Ban& ban);

class Bans {
 public:
  /// Replaces an earlier one. Those that are over make room first. Errors: too_many (kBans),
  /// too_large (kBanText).
  Result<> add(const std::string& account, const Ban& ban, std::uint64_t now);
  Result<> add(const Network& network, const Ban& ban, std::uint64_t now);
  /// False: there was none.
  bool remove(const std::string& account) { return accounts_.remove(account); }
  bool remove(const Network& network);
  /// The ban that holds at `now`; of networks the narrowest.
  std::optional<Ban> of(const std::string& account, std::uint64_t now) const;
  std::optional<Ban> of(const Address& address, std::uint64_t now) const;
  std::size_t size() const { return accounts_.size() + networks_.size(); }

 private:
  template <class K>
  class Table {
   public:
    Result<> add(const K& key, const Ban& ban);
    bool remove(const K& key);
    const Ban* find(const K& key, std::uint64_t now) const;
    std::size_t size() const { return bans_.size(); }
    template <class Each>
    void forget(std::uint64_t now, Each each);

   private:
    std::map<K, Ban> bans_;
    std::set<std::pair<std::uint64_t, K>> ends_;
  };
  void uncount(const Network& network);

  Table<std::string> accounts_;
  Table<Network> networks_;
  std::array<std::size_t, 129> lengths_{};  // how many networks have so many bits
};

}  // namespace starbus::nodes::login
