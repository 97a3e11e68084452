#include "bus/core/routers/mail_opens.hpp"

#include <algorithm>

#include "bus/core/wire/name.hpp"
#include "bus/core/wire/record_readers.hpp"

namespace starbus::bus {

bool lower_epochs(const Run& run, ByteView payload, Bytes& record, const HeldEpoch& held) {
  RunReader reader(run);
  while (const auto item = reader.next()) {
    const bool opens = item->system && item->body.size() > kRecordHeader &&
                       static_cast<Kind>(item->body[sizeof(std::uint32_t)]) == Kind::mail_open;
    if (!opens) continue;
    auto open = decode<MailOpen>(item->body.subspan(kRecordHeader));
    if (!open || open->target == PostTarget::log) continue;
    const std::optional<Epoch> epoch = held(channel_id(open->name));
    if (!epoch) return false;
    if (open->epoch <= *epoch) continue;
    open->epoch = *epoch;
    Bytes lowered;
    encode(*open, lowered);  // of the same size
    const ByteView fields = ByteView(lowered).subspan(kRecordHeader);
    const auto at = item->body.data() - payload.data() + static_cast<std::ptrdiff_t>(kRecordHeader);
    std::ranges::copy(fields, record.begin() + at);
  }
  return true;
}

}  // namespace starbus::bus
