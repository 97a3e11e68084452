/// The chain of passes of a session's hand-overs (docs/design/sessions.md), as an account and a
/// subject check it. A pure function; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "entity/client/words.hpp"

namespace starbus::entity::sessions {

/// The seal of the next pass after this relink, for one that knows the seal of the pass after
/// `turn`. Nothing: the turn of the relink is not higher, or its chain does not lead from there.
std::optional<Key> seal_after(const Relink& word, std::uint32_t turn, Key seal);

}  // namespace starbus::entity::sessions
