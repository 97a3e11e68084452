#include "bus/core/routers/links.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace starbus::bus {

RouterLink& Links::add(LinkId id, PeerFacts peer, const std::string& account) {
  assert(id != 0 && !links_.contains(id));
  auto link = std::make_unique<RouterLink>(now_);
  link->id = id;
  link->name = peer.address;
  link->peer = std::move(peer);
  link->account = accounts_.join(account);
  link->queues.count_into(accounts_);
  ++counters_.sessions_opened;
  return *links_.emplace(id, std::move(link)).first->second;
}

void Links::drop(LinkId id, const Error& reason) {
  const auto found = links_.find(id);
  if (found == links_.end()) return;
  std::unique_ptr<RouterLink> link = std::move(found->second);
  links_.erase(found);
  ++counters_.sessions_ended;
  uncount(*link);
  observer_.on_link_gone(*link, reason);
  ended_.push_back(std::move(link));
}

void Links::end(RouterLink& link, const Error& reason) {
  const auto found = links_.find(link.id);
  if (found == links_.end()) return;
  std::unique_ptr<RouterLink> owned = std::move(found->second);
  assert(owned.get() == &link);
  links_.erase(found);
  ++counters_.sessions_ended;
  // A session without an id has not received its peer's first bundle: nothing can be sent in it.
  if (owned->session.id() != 0) {
    owned->queues.clear();
    owned->session.say(Reset{errc_of(reason), reason.detail});
    pump(*owned);
  }
  uncount(*owned);
  shell_.close(owned->id);
  observer_.on_link_gone(*owned, reason);
  ended_.push_back(std::move(owned));
}

void Links::uncount(const RouterLink& link) {
  accounts_.leave(link.account);
  incomplete_ -= link.incomplete;
}

std::size_t Links::count_incomplete(RouterLink& link) {
  const std::size_t present = link.uplink ? 0 : link.session.incomplete_bytes();
  incomplete_ = incomplete_ - link.incomplete + present;
  link.incomplete = present;
  return incomplete_;
}

void Links::end_all(const Error& reason) {
  std::vector<LinkId> ids;
  ids.reserve(links_.size());
  for (const auto& [id, link] : links_) ids.push_back(id);
  for (const LinkId id : ids) {
    if (RouterLink* const link = find(id)) end(*link, reason);
  }
}

RouterLink* Links::find(LinkId id) {
  const auto found = links_.find(id);
  return found == links_.end() ? nullptr : found->second.get();
}

std::vector<LinkStatus> Links::status() const {
  std::vector<LinkStatus> all;
  all.reserve(links_.size());
  for (const auto& [id, link] : links_) {
    LinkStatus& status = all.emplace_back();
    status.id = id;
    status.peer = link->name;
    status.address = link->peer.address;
    status.greeted = link->greeted;
    status.round_trip = link->session.round_trip();
    status.silence = link->session.silence(now_);
    status.in_flight = link->session.in_flight();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      status.queued[lane] = link->queues.bytes(static_cast<Lane>(lane));
    }
    status.session = link->session.counters();
  }
  std::ranges::sort(all, {}, &LinkStatus::id);
  return all;
}

void Links::tell_encoded(RouterLink& to, ByteView record) {
  if (!to.queues.push(Lane::control, 0, record, now_)) to.overloaded = true;
  touch(to);
}

void Links::touch(RouterLink& link) {
  if (link.dirty) return;
  link.dirty = true;
  dirty_.push_back(link.id);
}

void Links::flush() {
  for (std::size_t i = 0; i < dirty_.size(); ++i) {  // ending a link may add others
    RouterLink* const link = find(dirty_[i]);
    if (!link) continue;
    link->dirty = false;
    if (link->overloaded) {
      end(*link, {Errc::overloaded, "control queue full"});
    } else {
      pump(*link);
    }
  }
  dirty_.clear();
  ended_.clear();
}

void Links::pump(RouterLink& link) {
  link.session.send_bundles(
      link, [&] { return shell_.take_buffer(link.id); },
      [&](Bytes bundle) { shell_.send(link.id, std::move(bundle)); });
}

}  // namespace starbus::bus
