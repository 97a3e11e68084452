#include "nodes/hosting/published_names.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>
#include <utility>

#include "entity/rpc/endpoint.hpp"
#include "nodes/hosting/mail/entity_mail.hpp"
#include "nodes/hosting/mail/entity_notices.hpp"

namespace starbus::nodes::entities {

using entity::Entity;
using entity::OnlineId;

void PublishedNames::publish(OnlineId id, std::string name, Done done) {
  Entity* const entity = context_.entities->find(id);
  if (entity == nullptr) {
    const bool moves = context_.entities->find_here(id) != nullptr;
    return boost::asio::post(context_.endpoint.loop(), [done = std::move(done), moves] {
      done(moves ? bus::Error(bus::Errc::busy, "the entity moves")
                 : bus::Error(bus::Errc::not_bound, "the entity has ended"));
    });
  }
  // Counted before the answer: a lease that is lost meanwhile ends the entity, too.
  ++rows_[id_of(*entity)].names;
  if (context_.on_named) context_.on_named(id_of(*entity));
  context_.endpoint.bind(std::move(name), *entity,
                         [this, weak = std::weak_ptr(context_.alive), id,
                          done = std::move(done)](const bus::Result<bus::Bound>& result) {
                           if (!weak.expired()) on_bound(id, result);
                           done(result ? bus::Result<>() : bus::Result<>(result.error()));
                         });
}

void PublishedNames::on_bound(OnlineId id, const bus::Result<bus::Bound>& bound) {
  const auto found = rows_.find(static_cast<std::uint64_t>(id));
  if (found == rows_.end() || found->second.fenced) return;
  Entity* const entity = context_.entities->find_here(id);
  if (bound && entity != nullptr) return own(*entity, bound->epoch);
  assert(found->second.names > 0);
  if (!bound && --found->second.names == 0) forget(found->first);
}

void PublishedNames::add_owned(Entity& entity, bus::Epoch epoch) {
  ++rows_[id_of(entity)].names;
  if (context_.on_named) context_.on_named(id_of(entity));
  own(entity, epoch);
}

void PublishedNames::own(Entity& entity, bus::Epoch epoch) {
  raise(rows_[id_of(entity)], epoch);
  if (context_.options_of(entity).mirrored) sync_.mirror(entity, context_.endpoint, epoch);
  if (context_.mail != nullptr) context_.mail->owned(id_of(entity));
  if (context_.notices != nullptr) context_.notices->owned(id_of(entity));
}

void PublishedNames::raise_epoch(std::uint64_t id, bus::Epoch epoch) {
  const auto found = rows_.find(id);
  if (found != rows_.end()) raise(found->second, epoch);
}

/// After a second rollback it still knows nothing of what the first target has stored.
void PublishedNames::doubt(std::uint64_t id) {
  const auto found = rows_.find(id);
  if (found != rows_.end() && !found->second.doubt) found->second.doubt = found->second.epoch;
}

void PublishedNames::settle(std::uint64_t id) {
  const auto found = rows_.find(id);
  if (found != rows_.end()) found->second.doubt.reset();
}

std::optional<std::uint64_t> PublishedNames::doubt_since(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? std::nullopt : found->second.doubt;
}

void PublishedNames::raise(Row& row, bus::Epoch epoch) {
  if (row.epoch == 0 && epoch.value != 0) ++published_;
  row.epoch = std::max(row.epoch, epoch.value);
}

void PublishedNames::forget(std::uint64_t id) {
  const auto found = rows_.find(id);
  if (found == rows_.end()) return;
  if (found->second.epoch != 0) --published_;
  rows_.erase(found);
}

std::vector<std::uint64_t> PublishedNames::fence_all() {
  ++lease_;
  std::vector<std::uint64_t> ids;
  for (auto& [id, row] : rows_) {
    if (!std::exchange(row.fenced, true)) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

void PublishedNames::retire(Entity& entity) {
  const auto found = rows_.find(id_of(entity));
  if (found != rows_.end()) found->second.retired = context_.endpoint.retire(entity);
}

std::vector<std::string> PublishedNames::take_retired(std::uint64_t id) {
  const auto found = rows_.find(id);
  return found == rows_.end() ? std::vector<std::string>()
                              : std::exchange(found->second.retired, {});
}

void PublishedNames::release(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    context_.endpoint.bus().unbind(name, [](const bus::Result<>&) {});
  }
}

bool PublishedNames::fenced(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found != rows_.end() && found->second.fenced;
}

std::size_t PublishedNames::names_of(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? 0 : found->second.names;
}

std::uint64_t PublishedNames::epoch_of(std::uint64_t id) const {
  const auto found = rows_.find(id);
  return found == rows_.end() ? 0 : found->second.epoch;
}

Entity* PublishedNames::find(const std::string& name) const {
  const auto* const host = context_.endpoint.bound_at(name);
  if (host == nullptr) return nullptr;
  // Other objects than entities are bound, too.
  for (const auto& [id, row] : rows_) {
    Entity* const entity = context_.entities->find_here(OnlineId{id});
    if (entity == host) return entity;
  }
  return nullptr;
}

}  // namespace starbus::nodes::entities
