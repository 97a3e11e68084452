#include "bus/core/routers/router.hpp"

#include <algorithm>
#include <cassert>
#include <tuple>
#include <utility>

namespace starbus::bus {
namespace {

/// Links of one host key before their hello: the present one, and the next while that is lost.
constexpr std::size_t kStrangersOfKey = 2;
/// Between two questions to the shell, which cost a look at the clock: some microseconds of work.
constexpr unsigned kRecordsPerQuestion = 16;

}  // namespace

/// Hands the records of one link to the router, until the link ends.
struct Router::Dispatcher : RecordHandler {
  Router& router;
  RouterLink& link;
  unsigned records = 0;
  Dispatcher(Router& r, RouterLink& l) : router(r), link(l) {}
  Result<> on_record(Kind kind, ByteView payload) override {
    if (!router.links_.find(link.id)) return Error{Errc::closed};  // ended by an earlier record
    if (link.overloaded) return Error{Errc::overloaded, "control queue full"};
    return router.on_record(link, kind, payload);
  }
  bool enough() override {
    if (++records % kRecordsPerQuestion != 0) return false;
    // Of a link that has ended, the next record ends the bundle.
    return router.links_.find(link.id) && router.links_.shell().enough(link.id);
  }
};

void Router::link_opened(LinkId id, PeerFacts peer, Time now) {
  const std::string account = account_of(peer);
  open(id, std::move(peer), account, now);
}

void Router::open(LinkId id, PeerFacts peer, const std::string& account, Time now) {
  thread_.check();
  links_.advance_to(now);
  if (strangers() >= kMaxStrangers) end_oldest_stranger({});
  if (!peer.key.empty() && strangers_of(peer.key) >= kStrangersOfKey) {
    end_oldest_stranger(peer.key);
  }
  links_.add(id, std::move(peer), account);
}

std::size_t Router::strangers() {
  // Counted only where it can matter: few links are in this state for long.
  if (links_.size() < kMaxStrangers) return 0;
  std::size_t count = 0;
  links_.for_each([&](const RouterLink& link) { count += !link.greeted; });
  return count;
}

std::size_t Router::strangers_of(std::string_view key) {
  std::size_t count = 0;
  links_.for_each([&](const RouterLink& link) { count += !link.greeted && link.peer.key == key; });
  return count;
}

/// An honest peer says hello at once, and must get in among those that do not. Of all if `key` is
/// empty.
void Router::end_oldest_stranger(std::string_view key) {
  RouterLink* oldest = nullptr;
  links_.for_each([&](RouterLink& link) {
    if (link.greeted || (!key.empty() && link.peer.key != key)) return;
    if (oldest == nullptr ||
        std::pair(link.opened, link.id) < std::pair(oldest->opened, oldest->id))
      oldest = &link;
  });
  assert(oldest != nullptr);
  ++links_.counters().sessions_refused;
  links_.end(*oldest, {Errc::overloaded, "too many links without a hello"});
}

void Router::link_closed(LinkId id, const Error& reason, Time now) {
  thread_.check();
  links_.advance_to(now);
  // The link itself saw that it was not even a bundle.
  if (reason == Errc::bad_bytes && links_.find(id)) ++links_.counters().hostile_bytes;
  links_.drop(id, reason);
}

bool Router::on_bundle(LinkId id, ByteView bundle, Time now) {
  thread_.check();
  links_.advance_to(now);
  RouterLink* const link = links_.find(id);
  if (!link) return true;
  Dispatcher dispatcher(*this, *link);
  if (link->greeted) link->session.trust();
  const auto result = link->session.receive(bundle, links_.now(), dispatcher);
  if (!links_.find(id)) return true;
  if (!result) {
    if (result.error() == Errc::bad_bytes) ++links_.counters().hostile_bytes;
    links_.end(*link, result.error());
    return true;
  }
  links_.touch(*link);  // a report of consumed bytes may be due
  if (links_.count_incomplete(*link) > kIncomplete) end_largest_incomplete();
  RouterLink* const left = links_.find(id);
  return left == nullptr || !left->session.unfinished();
}

/// Bounds the unfinished records of all links together: the largest of the account that holds the
/// most, and of that the program that holds the most, on however many links, gives way. A busd's
/// link to busroot does not count: it carries the records of all others.
void Router::end_largest_incomplete() {
  const auto program_of = [](const RouterLink& link) {
    return link.peer.pid != 0 ? link.peer.pid : -static_cast<std::int64_t>(link.id);
  };
  boost::unordered_flat_map<std::int64_t, std::size_t> by_program;
  boost::unordered_flat_map<AccountId, std::size_t> by_account;
  links_.for_each([&](const RouterLink& link) {
    if (link.uplink) return;
    by_program[program_of(link)] += link.session.incomplete_bytes();
    by_account[link.account] += link.session.incomplete_bytes();
  });
  RouterLink* largest = nullptr;
  const auto weight = [&](const RouterLink& link) {
    return std::tuple(by_account[link.account], by_program[program_of(link)],
                      link.session.incomplete_bytes());
  };
  links_.for_each([&](RouterLink& link) {
    if (!link.uplink && (!largest || weight(link) > weight(*largest))) largest = &link;
  });
  assert(largest != nullptr);
  links_.end(*largest,
             {Errc::overloaded, "unfinished records of " +
                                    std::to_string(largest->session.incomplete_bytes()) +
                                    " bytes, and no room for more: " + culprit(*largest)});
}

/// Who it is, for logs and for `bustop why`.
std::string Router::culprit(const RouterLink& link) {
  std::string who = links_.accounts().key(link.account);
  if (link.peer.pid != 0) who += ", pid " + std::to_string(link.peer.pid);
  return who;
}

void Router::tick(Time now) {
  thread_.check();
  links_.accounts().next_tick();
  links_.advance_to(now);
  std::vector<LinkId> silent;
  std::vector<LinkId> stalled;
  const std::uint64_t lease = lease_age();
  links_.for_each([&](RouterLink& link) {
    link.session.tick(links_.now(), lease);
    const bool waits = link.queues.bytes() != 0;  // before what is too old goes
    link.queues.expire(links_.now(), [&](ByteView record) { forwarding_.nack_expired(record); });
    links_.touch(link);
    // A peer that sends bundles and no hello counts as silent.
    const bool stranger = !link.greeted && links_.now() - link.opened > kLinkTimeout;
    const bool stuck = link.session.incomplete_for(links_.now()) > kQueueAge;
    if (stranger || stuck || link.session.silence(links_.now()) > kLinkTimeout) {
      silent.push_back(link.id);
    } else if (waits && link.session.stalled_for(links_.now()) > kQueueAge) {
      stalled.push_back(link.id);
    }
  });
  for (const LinkId id : silent) {
    if (RouterLink* const link = links_.find(id))
      links_.end(*link, {Errc::silent, "nothing, no hello, or no more of a record, for 10 s"});
  }
  for (const LinkId id : stalled) {
    RouterLink* const link = links_.find(id);
    if (!link) continue;
    const Error why{Errc::silent, "it speaks and reads nothing for 10 s: " + culprit(*link)};
    forwarding_.note_failure({}, {}, link->name + ": " + why.to_string());
    links_.end(*link, why);
  }
}

void Router::flush() {
  thread_.check();
  links_.flush();
}

void Router::set_tap(const ChannelId& channel, Tap tap) {
  thread_.check();
  forwarding_.set_tap(channel, std::move(tap));
}

}  // namespace starbus::bus
