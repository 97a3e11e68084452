/// The bytes of a call and of its answer, as they lie in a body of the bus. docs/guide/rpc.md has
/// them byte by byte. Numbers are little-endian; decoding trusts nothing and allocates nothing but
/// the text of an error. Pure functions; from any thread.
#pragma once

#include "entity/archive/decoder.hpp"
#include "entity/rpc/error.hpp"
#include "entity/rpc/permission.hpp"

namespace starbus::entity::rpc {

/// The first byte of each. Another form is another version.
inline constexpr std::uint8_t kCallForm = 0xa1;
inline constexpr std::uint8_t kFenceForm = 0xa2;  // alone: all earlier messages have been handled
inline constexpr std::uint8_t kQuestionForm = 0xa3;  // a call whose answer goes to a channel
inline constexpr std::uint8_t kReplyForm = 0xa8;
inline constexpr std::uint8_t kAnswerForm = 0xa9;  // that answer: a message of its own

/// Which question of an entity an answer is for: a FlowId.
struct AnswerId {
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
};

/// The head of a call.
struct CallHeader {
  std::uint32_t method = 0;
  std::uint32_t signature = 0;
  Behalf behalf = Behalf::none;
  std::uint64_t client = 0;  // not on the wire without behalf
  /// Not empty: a question. The channel that its answer goes to, and which one it is.
  std::string_view answer_to{};
  AnswerId question{};
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
/// Appends the head of a message that goes on with an answer.
void put_answer_head(Encoder& out, const AnswerId& question);
/// False if it is not an answer; on success `in` stands at the answer.
bool get_answer_head(Decoder& in, AnswerId& question);
/// Reads the head; for ReplyKind::error the Error, too. False if it is not an answer of this
/// version.
bool get_reply_head(Decoder& in, ReplyKind& kind, Error& error);

}  // namespace starbus::entity::rpc
