/// The bytes of a request and of its answer (docs/guide/rpc.md, section "Bytes"). The arguments and
/// values within are those of the RPC: the program writes and reads them. Pure functions; any
/// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "clients/cpp/fields.hpp"

namespace starbus::game {

/// 32 bits of FNV-1a: of `class.method` the number of a method, of the types its signature, which
/// `/rpc` of a node shows: "(str,i32)->b".
constexpr std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 0x811c'9dc5;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 0x0100'0193;
  return hash;
}

/// The body of a request, for ask().
Bytes call_body(std::uint32_t method, std::uint32_t types, ByteView arguments);

/// The method of such a body; 0 if it is too short for one.
std::uint32_t method_of(ByteView body);

/// What an answer is. The numbers travel.
enum class AnswerKind : std::uint8_t {
  value = 0,    ///< the method has returned `bytes`
  refused = 1,  ///< the method has returned an error of its own: `bytes`
  error = 2,    ///< the call has failed: domain, number (docs/reference/errors.md), detail
};
/// An answer; `bytes` is a view of what was read.
struct Answer {
  AnswerKind kind = AnswerKind::value;
  ByteView bytes{};
  std::uint16_t domain = 0;
  std::uint16_t number = 0;
  std::string detail{};
};
/// malformed, truncated, trailing or too_large if it is no answer.
Read<Answer> read_answer(ByteView bytes);

}  // namespace starbus::game
