/// The bytes of a call and of its answer, as they lie in a body of the bus. docs/rpc.md has them
/// byte by byte. Numbers are little-endian; decoding trusts nothing and allocates nothing but the
/// text of an error. Pure functions; from any thread.
#pragma once

#include "entity/archive/decoder.hpp"
#include "entity/rpc/error.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

/// The first byte of each. Another form is another version.
inline constexpr std::uint8_t kCallForm = 0xa1;
inline constexpr std::uint8_t kFenceForm = 0xa2;  // alone: "what came before has been handled"
inline constexpr std::uint8_t kReplyForm = 0xa8;

struct CallHeader {
  std::uint32_t method = 0;
  std::uint32_t signature = 0;
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;  // not on the wire without behalf
};

/// Appends; the arguments follow.
void put_header(Encoder& out, const CallHeader& header);
/// bad_bytes unless it is a call of this version; `in` then stands at the arguments.
Errc get_header(Decoder& in, CallHeader& header);

enum class ReplyKind : std::uint8_t { value = 0, refused = 1, error = 2 };

/// Appends the head of an answer that goes on with a value, or with an error of the method's.
void put_reply_head(Encoder& out, ReplyKind kind);
/// Appends a whole answer that is an Error; its detail is cut to kMaxDetail.
void put_error(Encoder& out, const Error& error);
/// Reads the head; for ReplyKind::error the Error, too. False: no answer of this version.
bool get_reply_head(Decoder& in, ReplyKind& kind, Error& error);

}  // namespace starbus::entity::rpc
