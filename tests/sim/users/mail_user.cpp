#include "tests/sim/users/mail_user.hpp"

#include "tests/sim/world.hpp"

namespace starbus::sim {

using bus::Errc;

MailUser::MailUser(World& world, ProcessNode& node, Say say)
    : world_(world), node_(node), say_(std::move(say)), next_token_(world.new_tokens()) {}

void MailUser::owned(const std::string& mailbox, bus::Epoch epoch) {
  bus::MailReader::Settings settings;
  settings.name = mailbox;
  settings.after = world_.mail.load_cursor(mailbox, epoch.value);
  settings.window = draw_window(world_.random);
  Box& box = boxes_[mailbox];
  box.epoch = epoch;
  box.reader = std::make_unique<bus::MailReader>(std::move(settings), say_,
                                                 [this] { return next_token_++; });
  box.reader->owned_under(epoch, world_.now());
  tell_store(node_, *box.reader, world_.now());
}

void MailUser::disowned(const std::string& mailbox) {
  const auto found = boxes_.find(mailbox);
  if (found == boxes_.end()) return;
  found->second.reader->close({Errc::not_bound, mailbox});
  boxes_.erase(found);
}

void MailUser::disowned_all() {
  while (!boxes_.empty()) disowned(std::string(boxes_.begin()->first));
}

void MailUser::stores_changed() {
  for (auto& [mailbox, box] : boxes_) tell_store(node_, *box.reader, world_.now());
}

void MailUser::on_mail(const bus::Process& from, const MailSaid& said) {
  for (auto& [mailbox, box] : boxes_) {
    hear(*box.reader, from, said, world_.now());
    check(mailbox, box);
  }
}

/// No reader ends but for a later owner.
void MailUser::check(const std::string& mailbox, const Box& box) const {
  const bus::Error& failure = box.reader->failure();
  if (failure == Errc::ok) return;
  const bool fair = failure == Errc::superseded && world_.mail.fenced(mailbox, box.epoch.value);
  if (!fair) throw Violation(node_.name() + ": " + mailbox + " ended: " + failure.to_string());
}

void MailUser::on_lost(const bus::ChannelId& process) {
  for (auto& [mailbox, box] : boxes_) box.reader->lost(process, world_.now());
}

void MailUser::tick() {
  for (auto& [mailbox, box] : boxes_) {
    box.reader->tick(world_.now());
    read(mailbox, box);
  }
}

void MailUser::read(const std::string& mailbox, Box& box) {
  Random& random = world_.random;
  if (box.reader->failure() != Errc::ok) return;
  if (careless) {
    while (box.reader->take()) continue;
    (void)box.reader->acknowledge(box.reader->position());
    return;
  }
  while (random.chance(diligence)) {
    const auto item = box.reader->take();
    if (!item) break;
    if (item->status != Errc::ok) throw Violation(mailbox + ": a damaged message");
    bus::Reader body(item->body);
    const auto post = body.get<std::uint64_t>();
    if (!world_.mail.handle(mailbox, box.epoch.value, item->number, post)) return;  // fenced
    ++world_.counts[Event::mail_read];
  }
  if (box.reader->position() == 0 || !random.chance(0.3)) return;
  const bool reject = random.chance(0.05);
  const auto said =
      box.reader->acknowledge(box.reader->position(), reject ? "of no use" : std::string());
  if (said) ++world_.counts[Event::mail_acks];
}

bool MailUser::reads(const std::string& mailbox) const {
  const auto found = boxes_.find(mailbox);
  return found != boxes_.end() && found->second.reader->serving();
}

}  // namespace starbus::sim
