/// The body of a message that an entity handles: which method, its arguments' types, how long it
/// counts; then the arguments. Written by post() and announce(), read by the host of the entity.
///
///   u8 form (1) | text method | varint signature | varint valid_until | u8 flags | arguments
///
/// Pure functions; a decoder trusts nothing. `method` of a decoded head views the bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "entity/archive/decoder.hpp"
#include "entity/archive/encoder.hpp"

namespace starbus::nodes::entities {

/// What stands before the arguments in a message.
struct MailHead {
  std::string_view method{};      // "gift"; of a component "postbox.deliver"
  std::uint64_t signature = 0;    // of the types of its arguments
  std::uint64_t valid_until = 0;  // milliseconds since 1970; 0: for ever
  bool only_present = false;      // a notice for those who are there when it is stored
};

/// Appends it; an error is kept in the encoder: too_large.
void put_mail_head(entity::Encoder& out, const MailHead& head);
/// An error is kept in the decoder: malformed, truncated.
MailHead get_mail_head(entity::Decoder& in);

}  // namespace starbus::nodes::entities
