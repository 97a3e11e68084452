/// Names of service instances, and the partition of a key. Pure functions.
///
///   service/chat#2           instance 2 of a type without state of its own: one of a shared name
///   partition/rank/3of16     partition 3 of 16: callers go by key, and never by a shared name
///   instance/chat/2          the claim to run that instance, held from before start() until after
///   instance/rank/3of16      stop(): two processes never run an instance at the same time
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nodes/service/error.hpp"

namespace starbus::nodes::service {

/// One instance of a type.
struct InstanceId {
  std::string type;
  std::uint32_t number = 1;      // 1..
  std::uint32_t partitions = 0;  // of a partitioned type: how many there are; else 0

  auto operator<=>(const InstanceId&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(type, number, partitions);
  }
};

/// bad_name: not 1..kMaxTypeName of a-z 0-9 _.
Result<> check_type(std::string_view type);
/// bad_name: not 1..kMaxLabel of a-z 0-9 _ -.
Result<> check_label(std::string_view label);
/// bad_name, bad_number.
Result<> check_instance(const InstanceId& id);

/// "chat/2", "rank/3of16": for people.
std::string to_string(const InstanceId& id);
/// The channel of the instance.
std::string channel_name(const InstanceId& id);
/// The claim, which its host holds as long as the instance exists.
std::string claim_name(const InstanceId& id);
inline constexpr std::string_view kClaims = "instance/";
/// Parses the name of a claim. nullopt if it is malformed or above a limit.
std::optional<InstanceId> instance_of_claim(std::string_view name);
/// Parses "partition/TYPE/3of16"; nullopt if malformed.
std::optional<InstanceId> instance_of_partition(std::string_view name);

/// "partition/rank/": to watch, or for Node::require with the number of partitions as its count.
std::string partition_prefix(std::string_view type);
/// The group that hosts are members of while they are ready.
inline constexpr std::string_view kHosts = "group/service_hosts";

/// 64 bits of FNV-1a (Fowler, Noll, Vo) of the key, through the finaliser of SplitMix64 (Steele et
/// al.): the same in every build, for ever, since state is divided by it.
std::uint64_t hash_of_key(std::string_view key);
/// 1 + hash_of_key(key) modulo `partitions`, which is not 0.
std::uint32_t partition_of(std::string_view key, std::uint32_t partitions);

}  // namespace starbus::nodes::service
