/// Dead letters: messages that will not be read, with the reason (rejected by their reader, or too
/// old). Each shard has one log of them, so that the batch that erases a message keeps its letter.
/// They are read like any log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bus/core/limits.hpp"
#include "mail/types.hpp"

namespace starbus::mail {

/// The prefix of the names of these logs.
inline constexpr std::string_view kDeadLetters = "log/dead-letters/";

/// Only the store writes there, and only as logs: a mailbox of such a name would take the place of
/// the letters of its shard.
inline bool is_dead_letters(std::string_view box) {
  return box.starts_with(kDeadLetters);
}

/// "log/dead-letters/SHARD-K", with the lowest K for which that name lies in its shard.
const std::string& dead_letters_log(std::uint8_t shard);

/// u8 1 (version), u8 length and name of the mailbox, u64 number, u64 time it was stored (ms), u8
/// length and reason, then the body.
struct DeadLetter {
  std::string_view mailbox;
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;
  std::string_view reason;
  ByteView body;
};

/// Largest size of the part before the body, in bytes.
inline constexpr std::size_t kLetterHead = 1 + 1 + bus::kMaxName + 8 + 8 + 1 + bus::kMaxName;

void encode_dead_letter(const DeadLetter& letter, Bytes& out);
/// Views into `message`. bad_bytes.
Result<DeadLetter> decode_dead_letter(ByteView message);

}  // namespace starbus::mail
