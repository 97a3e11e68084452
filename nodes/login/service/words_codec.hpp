/// The bytes of what gates ask a login (desk/words.hpp), and of its answers. Decoding treats bytes
/// as hostile: they carry what clients say. Pure functions; any thread.
#pragma once

#include "entity/archive/error.hpp"
#include "nodes/login/desk/words.hpp"

namespace starbus::nodes::login {

/// Each appends.
void encode(const Ask& word, bus::Bytes& out);
void encode(const Answer& word, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<Ask> decode_ask(bus::ByteView bytes);
/// As decode_ask().
entity::DataResult<Answer> decode_answer(bus::ByteView bytes);

}  // namespace starbus::nodes::login
