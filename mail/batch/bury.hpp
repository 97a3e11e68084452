#pragma once

#include <cstdint>
#include <string>

#include "mail/batch/batch_boxes.hpp"
#include "mail/batch/mail_batch.hpp"

namespace starbus::mail {

/// Puts a dead letter of a message into the log of its shard, in the batch that erases the message.
/// Does nothing if the message cannot be read: its reader was told. Returns would_block if this
/// batch has no room, and errors of that log, as BatchBoxes::find. The mail's thread only.
Result<> bury(BatchBoxes& boxes, BatchBoxes::Place& place, std::uint64_t number,
              const std::string& reason, MailBatch& batch);

}  // namespace starbus::mail
