#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mail/batch/mail_batch.hpp"
#include "mail/mail_state.hpp"

namespace starbus::mail {

/// The number of the message first stored with this idempotency key (a key of the store, see
/// post_key), by this batch or an earlier one; nullopt if none within the life of a key. Blocks for
/// the disk; errors as refusal_of.
Result<std::optional<std::uint64_t>> seen_before(const MailState& mail, const MailBatch& batch,
                                                 const std::string& key);

}  // namespace starbus::mail
