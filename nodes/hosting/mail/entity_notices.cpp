#include "nodes/hosting/mail/entity_notices.hpp"

#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/mail/handle_mail.hpp"
#include "nodes/hosting/mail/notices.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::OnlineId;
using entity::StartReason;

void Notices::begin(std::uint64_t present, bool new_life) {
  NoticesState& mine = state();
  if (!mine.begun) {
    mine.begun = true;
    mine.read = present;
  }
  if (new_life) mine.since = present;
}

EntityNotices::EntityNotices(HostContext& context, const EntityMail& mail, std::string log)
    : context_(context), mail_(mail), log_(std::move(log)) {}
EntityNotices::~EntityNotices() = default;

void EntityNotices::owned(std::uint64_t id) {
  const Entity* const entity = context_.entities->find_here(OnlineId{id});
  if (log_.empty() || entity == nullptr || entity->component<Notices>() == nullptr) return;
  if (mail_.table_of(entity->type()) == nullptr) return;
  boost::asio::post(context_.endpoint.loop(), [this, weak = std::weak_ptr(context_.alive), id] {
    if (!weak.expired()) listen(id);
  });
}

void EntityNotices::listen(std::uint64_t id) {
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (entity == nullptr || places_.contains(id)) return;
  const std::weak_ptr<bool> weak = context_.alive;
  if (!feed_) {
    bus::LogFeedOptions options;
    options.on_ended = [log = log_](const bus::Error& why) {
      spdlog::error("entities: no notices come from {} any more: {}", log, why.to_string());
    };
    feed_ = std::make_unique<bus::LogFeed>(context_.endpoint.bus(), log_, std::move(options));
    feed_->opened([this, weak](const bus::Result<>& open) {
      if (!weak.expired() && open) opened();
    });
  }
  const Notices& notices = *entity->component<Notices>();
  auto listener = feed_->listen(notices.begun() ? notices.read() : bus::LogFeed::kPresent,
                                [this, weak, id](const bus::Mail& mail) {
                                  if (!weak.expired()) came(id, mail);
                                });
  if (!listener) {
    return spdlog::error("entities: {} gets no notices: {}", entity->label(),
                         listener.error().to_string());
  }
  const StartReason start = entity->start_reason();
  Place& place = places_[id];
  place.listener = std::move(*listener);
  place.new_life = start == StartReason::born || start == StartReason::loaded;
  if (open_) begin(id, place);
}

/// Whoever came before begins now.
void EntityNotices::opened() {
  open_ = true;
  for (auto& [id, place] : places_) begin(id, place);
}

void EntityNotices::begin(std::uint64_t id, const Place& place) {
  Entity* const entity = context_.entities->find(OnlineId{id});
  if (entity != nullptr) {
    entity->component<Notices>()->begin(feed_->position(), place.new_life);
  }
}

void EntityNotices::leave(std::uint64_t id) {
  places_.erase(id);
}

void EntityNotices::came(std::uint64_t id, const bus::Mail& mail) {
  Entity* const entity = context_.entities->find(OnlineId{id});
  const auto place = places_.find(id);
  if (entity == nullptr || place == places_.end()) return;  // it goes on elsewhere, or later
  Notices& notices = *entity->component<Notices>();
  if (notices.begun() && mail.number <= notices.read()) return;
  const std::uint64_t missed = place->second.listener.missed();
  counters_.missed += missed - std::exchange(place->second.missed, missed);
  notices.begin(mail.number - 1, place->second.new_life && !notices.begun());
  notices.advance(mail.number);
  if (mail.damaged) {
    ++counters_.failed;
    return spdlog::error("entities: notice {} of {} is damaged in the store", mail.number, log_);
  }
  if (for_present_only(mail.body) && mail.number <= notices.since())
    return void(++counters_.passed);
  MailInfo info;
  info.number = mail.number;
  info.posted = mail.time;
  info.notice = true;
  const std::string label = entity->label();
  const std::weak_ptr<bool> weak = context_.alive;
  const MailOutcome outcome =
      handle_mail(context_, *entity, *mail_.table_of(entity->type()), mail.body, info);
  if (weak.expired()) return;
  switch (outcome.end) {
    case MailOutcome::End::handled:
      return void(++counters_.handled);
    case MailOutcome::End::expired:
      return void(++counters_.passed);
    case MailOutcome::End::refused:
    case MailOutcome::End::malformed:
      ++counters_.failed;
      spdlog::error("entities: {}: notice {} of {} failed: {}", label, mail.number, log_,
                    outcome.reason);
  }
}

}  // namespace starbus::nodes::entities
