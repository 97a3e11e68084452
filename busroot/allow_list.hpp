#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/error.hpp"

namespace starbus::busroot {

/// Which hosts may join, and with which CURVE keys. A plain value; no thread of its own.
///
/// With CURVE only listed hosts may join, each with one of its keys (two while a key changes).
/// Without CURVE hosts have no identity: an empty list allows every name, any other list only its
/// names.
class AllowList {
 public:
  static constexpr std::size_t kMaxKeys = 2;  // the present one and its successor
  using Hosts = std::map<std::string, std::vector<std::string>>;  // name -> Z85 public keys

  AllowList() = default;
  AllowList(bool curve, Hosts hosts);

  /// Whether any host has this key: checked before the host sends its name.
  bool knows_key(std::string_view key) const { return owners_.contains(key); }
  /// unauthorized with the reason.
  Result<> check(const std::string& key, const std::string& host) const;

 private:
  bool curve_ = false;
  Hosts hosts_;
  std::map<std::string, std::string, std::less<>> owners_;  // key -> host
};

}  // namespace starbus::busroot
