/// AccountRow: what an account knows of its sessions, and stores before it tells anybody.
///
/// Plain values and pure functions; any thread. Decoding treats the bytes as hostile: a database
/// may have been damaged, and a row that breaks a rule is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bus/core/bytes.hpp"
#include "entity/archive/error.hpp"
#include "entity/client/ids.hpp"

namespace starbus::nodes::players {

namespace sessions = entity::sessions;
using sessions::Bind;
using sessions::Closing;
using sessions::GateId;
using sessions::Key;
using sessions::Reason;
using sessions::SessionId;

/// One account, as it is stored.
struct AccountRow {
  std::uint64_t drawn = 0;           // the number of the latest proof of identity
  std::uint64_t login = 0;           // of the one that has the account; 0: there was none
  SessionId session{};               // zero: none
  GateId gate{};                     // that owns it
  std::uint32_t turn = 0;            // of its hand-overs
  Key seal{};                        // of the pass of the next one
  std::string subject{};             // channel of the entity that it plays, or would play
  Bind bind{};                       // of session and gate to the subject
  std::string next{};                // the entity to play after the subject has been unlinked
  std::optional<Reason> ends{};      // likewise, but the session ends then
  std::optional<Closing> closing{};  // what the last subject knew of the login's requests
  friend bool operator==(const AccountRow&, const AccountRow&) = default;

  /// The subject is being unlinked: another one follows, or the end.
  bool unlinking() const { return !next.empty() || ends.has_value(); }
};

/// Appends.
void encode(const AccountRow& row, bus::Bytes& out);
/// Errors: malformed, truncated, trailing, too_large.
entity::DataResult<AccountRow> decode_row(bus::ByteView bytes);

}  // namespace starbus::nodes::players
