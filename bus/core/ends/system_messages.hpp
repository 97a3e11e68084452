/// Messages between the libraries of two processes: records in the body of a system message
/// (data.hpp), from process channel to process channel, under the custody of Origin.
#pragma once

#include "bus/core/origin/origin.hpp"

namespace starbus::bus {

/// Tokens of system messages; those of the program are lower.
inline constexpr Token kSystemToken = Token{3} << 62;
inline constexpr Token kMailToken = ~Token{0};  // of all records of mail readers

/// Sends an encoded record to the library of `to`. Windows do not apply: such messages are few.
/// `hint`: the lineage of that process' channel, 0 if unknown. Returns the sequence, or too_large.
inline Result<std::uint64_t> send_system(Origin& origin, const Process& to, Lineage hint, Lane lane,
                                         ByteView record, Token token) {
  return origin.send({to.channel(), hint, {}}, lane, {}, record, token, Time{}, {0, true});
}

}  // namespace starbus::bus
