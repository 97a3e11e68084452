/// Channel names: `kind/name`, 1..255 bytes of UTF-8 without control characters.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/core/error.hpp"
#include "bus/core/wire/ids.hpp"

namespace starbus::bus {

/// ok, or bad_name with what is wrong: length, missing kind or name, control character, not UTF-8.
Result<> check_channel_name(std::string_view name);
/// A prefix of channel names: like a name, but it may stop anywhere; "" matches all.
Result<> check_prefix(std::string_view prefix);
/// Host and node names: 1..100 characters of a-z A-Z 0-9 _ -, so that HOST.NODE can be split.
Result<> check_node_name(std::string_view name);

/// Whether `name` begins with one of the prefixes; "" is a prefix of everything.
bool matches_any(const std::vector<std::string>& prefixes, std::string_view name);

/// Does not check; see ids.hpp for the two forms.
ChannelId channel_id(std::string_view name);
/// "process/HOST.NODE"
std::string process_channel_name(std::string_view host, std::string_view node);

/// Prefix of the names of gates, which speak for clients.
inline constexpr std::string_view kGatePrefix = "gate/";
/// Prefix of the names by which processes of a role with trust "server" are known to others.
inline constexpr std::string_view kServerPrefix = "server/";
/// "server/HOST.NODE"
std::string server_channel_name(std::string_view host, std::string_view node);
/// Whether the name is under `process/` or `server/`: names that belong to the process that they
/// are called after.
bool is_own_name(std::string_view name);
/// Whether the name is one of the two own names of the process.
bool is_own_name_of(std::string_view name, std::string_view host, std::string_view node);
/// The channel of process HOST.NODE, for `process/`, `server/` and `gate/` followed by HOST.NODE;
/// otherwise nullopt. If that process owns the name, it does so until its end, so that a name which
/// is gone tells of a death.
std::optional<ChannelId> holder_for_life(std::string_view name);
/// HOST of "HOST.NODE".
std::string host_of_process(std::string_view process);

/// `service/...` without '#': a set of owned channels `service/...#1`, `#2` (shared name).
bool is_shared_name(std::string_view name);
/// `group/...` without '#': members are owned channels `group/...#HOST.NODE`.
bool is_group_name(std::string_view name);

/// A checked name with its id: hashing is done once, so keep it where you send often. An immutable
/// value.
class Name {
 public:
  /// bad_name, with the reason, if `text` is not a channel name.
  static Result<Name> of(std::string_view text);
  const std::string& text() const { return text_; }
  ChannelId id() const { return id_; }

 private:
  Name(std::string text, ChannelId id) : text_(std::move(text)), id_(id) {}
  std::string text_;
  ChannelId id_;
};

}  // namespace starbus::bus
