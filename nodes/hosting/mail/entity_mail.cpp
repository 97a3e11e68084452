#include "nodes/hosting/mail/entity_mail.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/mail/entity_mailbox.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::OnlineId;

void EntityMail::declare(const entity::TypeInfo& type, MailTable table, bool reads) {
  if (table.empty()) return;
  types_[&type] = Type{std::move(table), reads};
  if (!reads || saves_ || !refused_.empty()) return;
  refused_ = type.name();
  spdlog::error(
      "entities: {} has an Inbox, and HostOptions::save is not set: its mailboxes stay closed, as "
      "mail would be handled again after each start",
      refused_);
}

const MailTable* EntityMail::table_of(const entity::TypeInfo& type) const {
  const auto found = types_.find(&type);
  return found == types_.end() ? nullptr : &found->second.table;
}

/// In a later turn of the loop: then the name is bound to the entity, and whoever made it has set
/// it up.
void EntityMail::owned(std::uint64_t id) {
  const Entity* const entity = context_.entities->find_here(OnlineId{id});
  if (!saves_ || entity == nullptr || boxes_.contains(id)) return;
  const auto type = types_.find(&entity->type());
  if (type == types_.end() || !type->second.reads) return;
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive), id] {
    if (!weak.expired()) open(id);
  });
}

void EntityMail::open(std::uint64_t id) {
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (entity == nullptr || entity->component<Inbox>() == nullptr) return;
  std::string name(context_.endpoint.channel_of(*entity));
  if (name.empty()) return;
  const auto [at, fresh] = boxes_.try_emplace(id);
  if (!fresh) return;
  at->second = std::make_shared<EntityMailbox>(
      EntityMailbox::Parts{context_, saver_, counters_, retry_}, OnlineId{id}, std::move(name),
      types_.at(&entity->type()).table);
  std::shared_ptr<EntityMailbox>(at->second)->open();
}

void EntityMail::ending(std::uint64_t id) {
  const auto found = boxes_.find(id);
  if (found != boxes_.end()) found->second->stop();
}

std::uint64_t EntityMail::encoded(Entity& entity) const {
  const Inbox* const inbox = types_.empty() ? nullptr : entity.component<Inbox>();
  return inbox == nullptr ? 0 : inbox->cursor();
}

void EntityMail::stored(std::uint64_t id, std::uint64_t cursor) {
  const auto found = boxes_.find(id);
  if (found != boxes_.end()) std::shared_ptr<EntityMailbox>(found->second)->stored(cursor);
}

void EntityMail::encoded_last(Entity& entity) {
  const Inbox* const inbox = types_.empty() ? nullptr : entity.component<Inbox>();
  auto box = boxes_.extract(id_of(entity));
  if (inbox == nullptr || !box) return;
  box.mapped()->note_last(*inbox);
  ended_.insert(std::move(box));
}

void EntityMail::stored_last(std::uint64_t id, std::function<void()> then) {
  const auto found = ended_.find(id);
  if (found == ended_.end()) return then();
  const std::shared_ptr<EntityMailbox> box = found->second;
  box->settle_last([this, weak = std::weak_ptr(context_.alive), id, then = std::move(then)] {
    if (weak.expired()) return;
    ended_.erase(id);
    then();
  });
}

}  // namespace starbus::nodes::entities
