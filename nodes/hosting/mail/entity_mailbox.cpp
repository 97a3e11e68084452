#include "nodes/hosting/mail/entity_mailbox.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/limits.hpp"

namespace starbus::nodes::entities {
namespace {

using entity::Entity;

/// Another owner, or none: whoever gets the name opens its mailbox.
bool name_is_gone(const bus::Error& why) {
  return why == bus::Errc::not_bound || why == bus::Errc::superseded ||
         why == bus::Errc::lease_lost || why == bus::Errc::closed;
}

}  // namespace

EntityMailbox::EntityMailbox(const Parts& parts, entity::OnlineId id, std::string name,
                             const MailTable& table)
    : parts_(parts), id_(id), name_(std::move(name)), table_(table) {}

Entity* EntityMailbox::find() const {
  return stopped_ ? nullptr : parts_.context.entities->find(id_);
}

Inbox* EntityMailbox::inbox() const {
  Entity* const entity = find();
  return entity == nullptr ? nullptr : entity->component<Inbox>();
}

// --- opening -------------------------------------------------------------------------------------

void EntityMailbox::open() {
  Inbox* const inbox = this->inbox();
  if (inbox == nullptr) return;
  inbox->read_from(name_);
  bus::MailboxOptions how;
  how.after = inbox->open_after();
  parts_.context.endpoint.bus().open_mailbox(
      name_, how, [weak = weak_from_this()](bus::Result<bus::Mailbox> box) {
        if (const auto self = weak.lock()) self->opened(std::move(box));
      });
}

void EntityMailbox::opened(bus::Result<bus::Mailbox> box) {
  Inbox* const inbox = this->inbox();
  if (inbox == nullptr) return;
  if (!box) return open_later(box.error());
  warned_ = false;
  failures_ = 0;
  box_ = std::move(*box);
  open_ = true;
  acked_ = box_.position();
  inbox->forget_aside(acked_);  // a former life has settled them
  next();
}

void EntityMailbox::open_later(const bus::Error& why) {
  open_ = false;
  if (stopped_ || name_is_gone(why)) return;
  ++parts_.counters.not_opened;
  // A store that is away is no reason to write a line for each of thousands.
  if (!std::exchange(warned_, true) && parts_.counters.not_opened <= kNamedUnsaved) {
    spdlog::warn("entities: the mailbox of {} cannot be read, trying again: {}", name_,
                 why.to_string());
  }
  after(pause(++failures_), &EntityMailbox::open);
}

// --- handling ------------------------------------------------------------------------------------

void EntityMailbox::next() {
  box_.next([weak = weak_from_this()](bus::Result<bus::Mail> mail) {
    if (const auto self = weak.lock()) self->came(std::move(mail));
  });
}

void EntityMailbox::came(bus::Result<bus::Mail> mail) {
  if (!mail) return open_later(mail.error());
  mail_ = std::move(*mail);
  work();
}

/// Also again, after a pause. An entity that ends, or is frozen, leaves it to its next life.
void EntityMailbox::work() {
  Entity* const entity = find();
  if (entity == nullptr) return;
  Inbox& inbox = *entity->component<Inbox>();
  if (mail_.number <= inbox.cursor()) {
    ++parts_.counters.skipped;
    settle();
    return next();
  }
  if (mail_.damaged) {
    ++parts_.counters.damaged;
    spdlog::error("entities: {}: mail {} of {} is damaged in the store, and is skipped",
                  entity->label(), mail_.number, name_);
    inbox.advance(mail_.number);
    return done_with_it();
  }
  // A process has died with it: the next such death shows the one message that it was.
  if (mail_.attempts > 1) careful_until_ = std::max(careful_until_, box_.last());
  if (mail_.attempts > kMailAttempts) {
    return put_aside(*entity, inbox,
                     "the process of its reader has ended " + std::to_string(mail_.attempts - 1) +
                         " times with it");
  }
  handle(*entity, inbox);
}

void EntityMailbox::handle(Entity& entity, Inbox& inbox) {
  MailInfo info;
  info.number = mail_.number;
  info.posted = mail_.time;
  info.attempts = std::max(mail_.attempts, inbox.failures() + 1);
  const std::uint64_t before = inbox.cursor();
  const auto self = shared_from_this();  // the handler may end the entity, and the host
  const std::weak_ptr<bool> host = parts_.context.alive;
  inbox.advance(mail_.number);
  const MailOutcome outcome = handle_mail(parts_.context, entity, table_, mail_.body, info);
  if (host.expired()) return;
  switch (outcome.end) {
    case MailOutcome::End::handled:
      ++parts_.counters.handled;
      inbox.clear_failures();
      return done_with_it();
    case MailOutcome::End::expired:
      ++parts_.counters.expired;
      inbox.clear_failures();
      return done_with_it();
    case MailOutcome::End::refused:
      return failed(entity, inbox, outcome.reason, before);
    case MailOutcome::End::malformed:
      ++parts_.counters.failed;
      inbox.advance(before);  // until there is room for it
      return put_aside(entity, inbox, outcome.reason);
  }
}

void EntityMailbox::failed(Entity& entity, Inbox& inbox, const std::string& why,
                           std::uint64_t before) {
  ++parts_.counters.failed;
  const std::uint32_t failures = inbox.fail(mail_.number, before);
  if (failures >= kMailAttempts) return put_aside(entity, inbox, why);
  spdlog::warn("entities: {}: mail {} of {} failed, attempt {} of {}: {}", entity.label(),
               mail_.number, name_, failures, kMailAttempts, why);
  after(pause(failures), &EntityMailbox::work);
}

void EntityMailbox::put_aside(Entity& entity, Inbox& inbox, std::string why) {
  if (inbox.aside().size() >= kMailAside) {
    settle();
    return after(kMailRetryMost, &EntityMailbox::work);
  }
  ++parts_.counters.put_aside;
  spdlog::error("entities: {}: mail {} of {} is put aside: {}", entity.label(), mail_.number, name_,
                why);
  if (why.size() > kMailReason) why.resize(kMailReason);
  inbox.put_aside(mail_.number, std::move(why));
  if (find() != nullptr) parts_.saver.save_now(entity, [](const bus::Result<>&) {});
  done_with_it();
}

void EntityMailbox::done_with_it() {
  if (mail_.number <= careful_until_) return save_before_next();
  next();
}

void EntityMailbox::save_before_next() {
  Entity* const entity = find();
  if (entity == nullptr) return;
  parts_.saver.save_now(*entity, [weak = weak_from_this()](const bus::Result<>& saved) {
    const auto self = weak.lock();
    if (!self || self->stopped_) return;
    saved ? self->next() : self->after(self->parts_.retry, &EntityMailbox::save_before_next);
  });
}

// --- settling ------------------------------------------------------------------------------------

void EntityMailbox::stored(std::uint64_t cursor) {
  Inbox* const inbox = this->inbox();
  if (inbox == nullptr) return;
  inbox->keep(cursor);
  settle();
}

/// What was given out and is saved: dead letters one by one, all else in one go.
void EntityMailbox::settle() {
  if (settling_ || !open_) return;
  const Inbox* const inbox = last_.then ? nullptr : this->inbox();
  if (!last_.then && inbox == nullptr) return;
  const std::uint64_t kept = last_.then ? last_.cursor : inbox->kept();
  const auto& aside = last_.then ? last_.aside : inbox->aside();
  const std::uint64_t upto = std::min(kept, box_.position());
  const auto dead = aside.upper_bound(acked_);
  const bool rejects = dead != aside.end() && dead->first <= upto;
  if (!rejects && upto <= acked_) return finish_last();
  settling_ = true;
  const std::uint64_t number = rejects ? dead->first : upto;
  auto done = [weak = weak_from_this(), number, rejects](const bus::Result<>& result) {
    if (const auto self = weak.lock()) self->settled(number, rejects, result);
  };
  if (rejects) return box_.reject(number, dead->second, std::move(done));
  box_.acknowledge(number, std::move(done));
}

void EntityMailbox::settled(std::uint64_t upto, bool rejected, const bus::Result<>& result) {
  settling_ = false;
  if (!result) {
    if (last_.then) return finish_last();
    if (stopped_ || !open_ || name_is_gone(result.error())) return;
    spdlog::warn("entities: mail of {} is not settled up to {}, trying again: {}", name_, upto,
                 result.error().to_string());
    return after(kMailRetryMost, &EntityMailbox::settle);
  }
  acked_ = std::max(acked_, upto);
  if (Inbox* const inbox = rejected ? this->inbox() : nullptr) inbox->forget_aside(upto);
  settle();
}

void EntityMailbox::stop() {
  stopped_ = true;
  alarms_.cancel_all();
}

void EntityMailbox::note_last(const Inbox& inbox) {
  last_.cursor = inbox.cursor();
  last_.aside = inbox.aside();
}

void EntityMailbox::settle_last(std::function<void()> then) {
  stop();
  last_.then = std::move(then);
  if (!open_) return finish_last();
  after(kMailAckWait, &EntityMailbox::finish_last);
  settle();
}

/// `then` may end this.
void EntityMailbox::finish_last() {
  if (last_.then) std::exchange(last_.then, nullptr)();
}

/// Doubled with each failure, up to kMailRetryMost.
entity::Time EntityMailbox::pause(std::uint32_t failures) const {
  const std::uint32_t doublings = std::min<std::uint32_t>(failures - 1, 16);
  return std::min<entity::Time>(parts_.retry * (1U << doublings), kMailRetryMost);
}

void EntityMailbox::after(entity::Time delay, void (EntityMailbox::*what)()) {
  const auto set = parts_.context.timers.after(alarms_, delay, [weak = weak_from_this(), what] {
    if (const auto self = weak.lock()) ((*self).*what)();
  });
  if (!set)
    spdlog::error("entities: the mailbox of {} stands still: {}", name_, set.error().to_string());
}

}  // namespace starbus::nodes::entities
