#include "tests/sim/users/mail_session.hpp"

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

std::optional<MailSaid> decode_mail(bus::Kind kind, bus::ByteView payload) {
  switch (kind) {
    case bus::Kind::mail_opened:
      return bus::decode<bus::MailOpened>(payload).value();
    case bus::Kind::mail_items:
      return bus::decode<bus::MailItems>(payload).value();
    case bus::Kind::mail_acked:
      return bus::decode<bus::MailAcked>(payload).value();
    case bus::Kind::mail_attempts:
      return bus::decode<bus::MailAttempts>(payload).value();
    case bus::Kind::mail_refused:
      return bus::decode<bus::MailRefused>(payload).value();
    case bus::Kind::mail_end:
      return bus::decode<bus::MailEnd>(payload).value();
    default:
      return std::nullopt;
  }
}

void hear(bus::MailReader& reader, const bus::Process& from, const MailSaid& said, bus::Time now) {
  std::visit(
      [&]<class Record>(const Record& record) {
        if (record.token != reader.token()) return;
        if constexpr (std::is_same_v<Record, bus::MailOpened>) {
          reader.on_opened(from, record, now);
        } else if constexpr (std::is_same_v<Record, bus::MailItems>) {
          reader.on_items(from, record);
        } else if constexpr (std::is_same_v<Record, bus::MailAcked>) {
          reader.on_acked(from, record);
        } else if constexpr (std::is_same_v<Record, bus::MailAttempts>) {
          reader.on_attempts(from, record);
        } else if constexpr (std::is_same_v<Record, bus::MailRefused>) {
          reader.on_refused(from, record);
        } else {
          reader.on_end(from, record, now);
        }
      },
      said);
}

void tell_store(ProcessNode& node, bus::MailReader& reader, bus::Time now) {
  reader.set_reply(node.core().reply_lineage());
  const bus::RowSet* const rows = node.core().rows(std::string(bus::kStores));
  if (!rows) return;
  const std::uint8_t shard = bus::shard_of(bus::channel_id(reader.settings().name));
  const auto row = rows->rows().find(bus::shard_name(shard));
  const bool known = row != rows->rows().end();
  reader.store_is(known ? row->second.owner : bus::Process{},
                  known ? row->second.epoch : bus::Epoch{}, now);
}

std::uint32_t draw_window(Random& random) {
  return random.chance(0.2) ? 200 : bus::kMailWindow;
}

}  // namespace starbus::sim
