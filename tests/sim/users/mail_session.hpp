/// What the simulated readers of mailboxes and of logs have in common: what stores say to them, and
/// what the watch of the stores says of where their mail is. Plain functions; one thread.
#pragma once

#include <optional>
#include <variant>

#include "bus/core/ends/mail_reader.hpp"

namespace starbus::sim {

class ProcessNode;
class Random;

using MailSaid = std::variant<bus::MailOpened, bus::MailAttempts, bus::MailItems, bus::MailAcked,
                              bus::MailRefused, bus::MailEnd>;
/// None: of another kind.
std::optional<MailSaid> decode_mail(bus::Kind kind, bus::ByteView payload);
/// If it is of the present session of this reader.
void hear(bus::MailReader& reader, const bus::Process& from, const MailSaid& said, bus::Time now);
/// Who keeps its shard, as far as this process can see.
void tell_store(ProcessNode& node, bus::MailReader& reader, bus::Time now);
/// Of a reader that begins: now and then so small that a message does not fit, and goes alone.
std::uint32_t draw_window(Random& random);

}  // namespace starbus::sim
