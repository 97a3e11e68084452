#include "nodes/service/names.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "nodes/service/limits.hpp"

namespace starbus::nodes::service {
namespace {

constexpr std::string_view kPartitions = "partition/";
constexpr std::string_view kOf = "of";

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// 1..kMaxCount without a sign or leading zeros, so that each instance has one name.
std::optional<std::uint32_t> number_in(std::string_view text) {
  const auto number = parse_number<std::uint32_t>(text);
  if (!number || text.front() == '0' || *number > kMaxCount) return std::nullopt;
  return number;
}

std::optional<InstanceId> instance_in(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || !check_type(name.substr(0, slash))) return std::nullopt;
  InstanceId id;
  id.type = name.substr(0, slash);
  const std::string_view rest = name.substr(slash + 1);
  const std::size_t of = rest.find(kOf);
  const auto number = number_in(rest.substr(0, of));
  if (!number) return std::nullopt;
  id.number = *number;
  if (of != std::string_view::npos) {
    const auto partitions = number_in(rest.substr(of + kOf.size()));
    if (!partitions) return std::nullopt;
    id.partitions = *partitions;
  }
  if (!check_instance(id)) return std::nullopt;
  return id;
}

}  // namespace

Result<> check_type(std::string_view type) {
  if (type.empty() || type.size() > kMaxTypeName || !std::ranges::all_of(type, is_plain)) {
    return Error(Errc::bad_name, "'" + std::string(type.substr(0, kMaxTypeName)) +
                                     "' is not a service type: 1..48 of a-z 0-9 _");
  }
  return {};
}

Result<> check_label(std::string_view label) {
  const auto fits = [](char c) { return is_plain(c) || (c >= 'A' && c <= 'Z') || c == '-'; };
  if (label.empty() || label.size() > kMaxLabel || !std::ranges::all_of(label, fits)) {
    return Error(Errc::bad_name, "'" + std::string(label.substr(0, kMaxLabel)) +
                                     "' is not a label: 1..40 of a-z A-Z 0-9 _ -");
  }
  return {};
}

Result<> check_instance(const InstanceId& id) {
  if (auto checked = check_type(id.type); !checked) return checked;
  const std::uint64_t count = id.partitions == 0 ? kMaxCount : id.partitions;
  if (id.number == 0 || id.number > count || count > kMaxCount) {
    return Error(Errc::bad_number, to_string(id));
  }
  return {};
}

std::string to_string(const InstanceId& id) {
  std::string text = id.type + "/" + std::to_string(id.number);
  if (id.partitions != 0) text.append(kOf).append(std::to_string(id.partitions));
  return text;
}

std::string channel_name(const InstanceId& id) {
  if (id.partitions != 0) return std::string(kPartitions) + to_string(id);
  return "service/" + id.type + "#" + std::to_string(id.number);
}

std::string claim_name(const InstanceId& id) {
  return std::string(kClaims) + to_string(id);
}

std::optional<InstanceId> instance_of_claim(std::string_view name) {
  return instance_in(name, kClaims);
}

std::optional<InstanceId> instance_of_partition(std::string_view name) {
  auto id = instance_in(name, kPartitions);
  if (id && id->partitions == 0) return std::nullopt;
  return id;
}

std::string partition_prefix(std::string_view type) {
  return std::string(kPartitions).append(type).append("/");
}

std::uint64_t hash_of_key(std::string_view key) {
  std::uint64_t x = 0xcbf2'9ce4'8422'2325ULL;
  for (const char c : key) {
    x ^= static_cast<unsigned char>(c);
    x *= 0x0000'0100'0000'01b3ULL;
  }
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return x ^ (x >> 31);
}

std::uint32_t partition_of(std::string_view key, std::uint32_t partitions) {
  return static_cast<std::uint32_t>(hash_of_key(key) % partitions) + 1;
}

}  // namespace starbus::nodes::service
