#pragma once

#include <optional>

#include "entity/archive/archive.hpp"
#include "entity/rpc/wire.hpp"

namespace starbus::entity::rpc {

/// Decodes the bytes of an answer into the caller's result; bad_bytes if they are malformed.
template <class T, class E>
Reply<T, E> decode_answer(ByteView bytes) {
  Decoder in(bytes);
  ReplyKind kind{};
  Error error;
  if (!get_reply_head(in, kind, error)) return Failure<E>(Errc::bad_bytes);
  if (kind == ReplyKind::error) return Failure<E>(error);
  if (kind == ReplyKind::refused) {
    E refusal{};
    get_value(in, refusal);
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return Failure<E>::of_method(std::move(refusal));
  }
  if constexpr (std::is_void_v<T>) {
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return {};
  } else {
    T value{};
    get_value(in, value);
    if (in.finish() != DataErrc::ok) return Failure<E>(Errc::bad_bytes);
    return {in_place_value, std::move(value)};
  }
}

}  // namespace starbus::entity::rpc
