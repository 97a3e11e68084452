// Posts to mailboxes and logs, and what stores say to readers.
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "tests/sim/users/application.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

bool Application::post(const std::string& box, const std::string& key, std::size_t padding,
                       bus::Time expires) {
  if (!node_.core().may_send("store/0")) return false;  // never welcomed
  note_outbox_progress();
  // A key counts for the posts of one node.
  const MailOracle::Post id =
      world_.mail.issue(life_, box, key.empty() ? key : node_.name() + " " + key);
  bus::Bytes head;
  const bool log = world_.is_log(box);
  bus::encode_post_head({log ? bus::PostTarget::log : bus::PostTarget::mailbox, box, key, {}},
                        head);
  bus::Bytes body(sizeof id + padding);
  bus::store(body.data(), id);
  const std::string shard = bus::shard_name(bus::shard_of(bus::channel_id(box)));
  const bus::Destination to{bus::channel_id(shard), {}, {}, true};
  const auto sent =
      node_.core().origin().send(to, bus::Lane::call, head, body, MailOracle::kToken + id, expires);
  if (!sent) world_.mail.retract(id);
  known_ = node_.core().origin().mark();
  if (sent) {
    ++world_.counts[log ? Event::appends : Event::posts];
    node_.pump_soon();
  }
  return sent.has_value();
}

void Application::send_mail_record(const bus::Process& to, bus::ByteView record) {
  note_outbox_progress();
  node_.core().send_mail_record(to, {}, record);
  known_ = node_.core().origin().mark();
  node_.pump_soon();
}

void Application::stores_changed() {
  mail_.stores_changed();
  logs_.stores_changed();
}

void Application::on_mail(const bus::Process& from, bus::Kind kind, bus::ByteView payload) {
  const auto said = decode_mail(kind, payload);
  if (!said) return;
  mail_.on_mail(from, *said);
  logs_.on_mail(from, *said);
}

void Application::on_mail_lost(const bus::ChannelId& process) {
  mail_.on_lost(process);
  logs_.on_lost(process);
}

void Application::on_posted(bus::Token token, bus::Errc status, std::uint64_t number) {
  note_outbox_progress();
  const MailOracle::Post id = token - MailOracle::kToken;
  world_.note(where(), [&] {
    return "posted " + std::to_string(id) + ": " + std::string(bus::name_of(status)) + " " +
           std::to_string(number);
  });
  ++world_.counts[status == bus::Errc::ok ? Event::posted : Event::posts_refused];
  world_.mail.posted(id, status, number);
}

}  // namespace starbus::sim
