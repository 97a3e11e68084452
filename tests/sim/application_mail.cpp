// Posts to mailboxes.
#include "bus/core/name.hpp"
#include "bus/core/post_head.hpp"
#include "tests/sim/application.hpp"
#include "tests/sim/world.hpp"

namespace starbus::sim {

bool Application::post(const std::string& mailbox, const std::string& key, std::size_t padding,
                       bus::Time expires) {
  if (!node_.core().may_send("store/0")) return false;  // never welcomed
  note_outbox_progress();
  const MailOracle::Post id = world_.mail.issue(life_, mailbox, key);
  bus::Bytes head;
  bus::encode_post_head({bus::PostTarget::mailbox, mailbox, key, {}}, head);
  bus::Bytes body(sizeof id + padding);
  bus::store(body.data(), id);
  const std::string shard = bus::shard_name(bus::shard_of(bus::channel_id(mailbox)));
  const bus::Destination to{bus::channel_id(shard), {}, {}, true};
  const auto sent =
      node_.core().origin().send(to, bus::Lane::call, head, body, MailOracle::kToken + id, expires);
  if (!sent) world_.mail.retract(id);
  known_ = node_.core().origin().mark();
  if (sent) {
    ++world_.counts[Event::posts];
    node_.pump_soon();
  }
  return sent.has_value();
}

void Application::say_mail(const bus::Process& to, bus::ByteView record) {
  note_outbox_progress();
  node_.core().say_mail(to, {}, record);
  known_ = node_.core().origin().mark();
  node_.pump_soon();
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
