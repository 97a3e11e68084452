#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mail/types.hpp"

namespace starbus::mail {

/// First bytes of keys, see rows.hpp. Later versions may add others.
inline constexpr char kPlaceRows = 'P';
inline constexpr char kShardRows = 'S';
inline constexpr char kMessageRows = 'b';
inline constexpr char kStreamRows = 'f';
inline constexpr char kPostKeyRows = 'k';
inline constexpr char kBoxRows = 'm';
inline constexpr char kResultsRows = 'r';
inline constexpr std::string_view kRowKinds = "PSbfkmr";  // in the order of their keys

/// The fields of a key of one mailbox (kinds m, b and k).
struct MailKey {
  char kind = kBoxRows;
  std::uint8_t shard = 0;
  ChannelId id;
  std::uint64_t number = 0;  // of a message
};

/// nullopt if the key is of another kind or malformed. The shard may not be that of the id.
std::optional<MailKey> read_mail_key(std::string_view key);

/// For people: "message 7 of 2577db...", "senders to store/84". Accepts any bytes.
std::string describe_key(std::string_view key);

}  // namespace starbus::mail
