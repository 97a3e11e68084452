#include "nodes/login/core/bans.hpp"

#include <ctime>

namespace starbus::nodes::login {

std::string to_text(const Ban& ban) {
  std::string text = "banned";
  if (ban.until > 0) {
    const auto seconds = static_cast<std::time_t>(ban.until / 1'000);
    std::tm parts{};
    char line[64];
    if (::gmtime_r(&seconds, &parts) &&
        std::strftime(line, sizeof line, " until %Y-%m-%d %H:%M UTC", &parts) > 0) {
      text += line;
    }
  }
  return ban.why.empty() ? text : text + ": " + ban.why;
}

template <class K>
Result<> Bans::Table<K>::add(const K& key, const Ban& ban) {
  if (ban.why.size() > kBanText) {
    return Error(Errc::too_large, "ban: the reason is longer than " + std::to_string(kBanText) +
                                      " bytes; shorten it");
  }
  if (!bans_.contains(key) && bans_.size() >= kBans) {
    return Error(Errc::too_many,
                 "bans: " + std::to_string(kBans) + " already; lift some, or ban a network");
  }
  remove(key);
  bans_.emplace(key, ban);
  if (ban.until > 0) ends_.emplace(ban.until, key);
  return {};
}

template <class K>
bool Bans::Table<K>::remove(const K& key) {
  const auto found = bans_.find(key);
  if (found == bans_.end()) return false;
  ends_.erase({found->second.until, key});
  bans_.erase(found);
  return true;
}

template <class K>
const Ban* Bans::Table<K>::find(const K& key, std::uint64_t now) const {
  const auto found = bans_.find(key);
  if (found == bans_.end()) return nullptr;
  const Ban& ban = found->second;
  return ban.until == 0 || ban.until > now ? &ban : nullptr;
}

template <class K>
template <class Each>
void Bans::Table<K>::forget(std::uint64_t now, Each each) {
  while (!ends_.empty() && ends_.begin()->first <= now) {
    const K key = ends_.begin()->second;
    remove(key);
    each(key);
  }
}

Result<> Bans::add(const std::string& account, const Ban& ban, std::uint64_t now) {
  accounts_.forget(now, [](const std::string&) {});
  return accounts_.add(account, ban);
}

Result<> Bans::add(const Network& network, const Ban& ban, std::uint64_t now) {
  networks_.forget(now, [this](const Network& over) { uncount(over); });
  const std::size_t before = networks_.size();
  auto added = networks_.add(network, ban);
  if (networks_.size() > before) ++lengths_[network.bits];
  return added;
}

void Bans::uncount(const Network& network) {
  --lengths_[network.bits];
}

bool Bans::remove(const Network& network) {
  if (!networks_.remove(network)) return false;
  uncount(network);
  return true;
}

std::optional<Ban> Bans::of(const std::string& account, std::uint64_t now) const {
  const Ban* ban = accounts_.find(account, now);
  return ban ? std::optional(*ban) : std::nullopt;
}

std::optional<Ban> Bans::of(const Address& address, std::uint64_t now) const {
  for (unsigned bits = 129; bits-- > 0;) {
    if (lengths_[bits] == 0) continue;
    if (const Ban* ban = networks_.find(network_of(address, bits), now)) return *ban;
  }
  return std::nullopt;
}

}  // namespace starbus::nodes::login
