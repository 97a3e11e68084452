/// The epochs that readers of mail name. A daemon on the way of a MAIL_OPEN states what it knows of
/// the reader, so that only the owner of a name opens its mailbox. Plain functions; any thread.
#pragma once

#include <functional>
#include <optional>

#include "bus/core/wire/data.hpp"

namespace starbus::bus {

/// The epoch under which the sender of a run owns this channel: 0 if it does not; nullopt while the
/// daemon cannot know.
using HeldEpoch = std::function<std::optional<Epoch>(const ChannelId& channel)>;

/// Lowers the epoch in each MAIL_OPEN of a mailbox to the one that is held, in `record`: a copy of
/// the payload that `run` was decoded from. False if one of them is not known: the run must wait.
bool lower_epochs(const Run& run, ByteView payload, Bytes& record, const HeldEpoch& held);

}  // namespace starbus::bus
