#include "bus/client/bus_core.hpp"

#include <boost/asio/post.hpp>
#include <cstdlib>

#include "bus/core/wire/version.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kNamedInFlush = 3;  // channels in the error of a flush

Options completed(Options options) {
  if (!options.endpoint.empty()) return options;
  const char* from_environment = std::getenv("STARBUS_BUSD");  // NOLINT: read at start-up
  options.endpoint = from_environment ? from_environment : kDefaultEndpoint;
  return options;
}

}  // namespace

BusCore::BusCore(boost::asio::io_context& loop, Options options)
    : loop_(loop),
      options_(completed(std::move(options))),
      process_({options_.node, options_.role, draw_incarnation(),
                std::string("starbus ") + kVersion, options_.protocol_minor},
               *this, io::boot_now()),
      link_(loop, process_, options_.endpoint, link_hooks()),
      call_timer_(loop),
      readers_(reader_access()),
      next_call_(draw_incarnation()) {}

BusCore::~BusCore() = default;

ProcessLink::Hooks BusCore::link_hooks() {
  ProcessLink::Hooks hooks;
  hooks.hold = [this] { return weak_from_this().lock(); };
  hooks.lost = [this](const Error& reason, bool greeted) {
    if (greeted && on_link_state) on_link_state(LinkState::disconnected, reason);
  };
  hooks.refused = [this](const Error& reason) { shut(reason); };
  hooks.tick = [this] {
    prune_sticky();
    readers_.tick();
  };
  hooks.before_pump = [] {};
  hooks.after_turn = [this] { check_waiters(); };
  return hooks;
}

template <class T>
void BusCore::complete(Done<T> done, Result<T> result) {
  if (!done) return;
  boost::asio::post(loop_, [done = std::move(done), result = std::move(result)]() mutable {
    done(std::move(result));
  });
}
template void BusCore::complete<void>(Done<>, Result<>);
template void BusCore::complete<Bound>(Done<Bound>, Result<Bound>);
template void BusCore::complete<std::uint64_t>(Done<std::uint64_t>, Result<std::uint64_t>);
template void BusCore::complete<Bytes>(Done<Bytes>, Result<Bytes>);
template void BusCore::complete<Mailbox>(Done<Mailbox>, Result<Mailbox>);
template void BusCore::complete<LogReader>(Done<LogReader>, Result<LogReader>);
template void BusCore::complete<LogPage>(Done<LogPage>, Result<LogPage>);

// --- link ----------------------------------------------------------------------------------------

void BusCore::connect(Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  if (process_.reply_lineage()) return complete<void>(std::move(done), {});
  connecting_.push_back(std::move(done));
  link_.start();
}

void BusCore::on_welcome(bool) {
  ++connects_;
  if (on_link_state) on_link_state(LinkState::connected, {});
}

void BusCore::check_waiters() {
  const Time now = io::boot_now();
  std::erase_if(flushes_, [&](FlushWaiter& waiter) {
    const bool held = waiter.held && held_messages_ != 0;
    const bool settled = !held && process_.origin().settled(waiter.mark);
    if (!settled && now < waiter.deadline) return false;
    complete<void>(std::move(waiter.done),
                   settled ? Result<>() : Error{Errc::deadline, what_remains()});
    return true;
  });
}

// --- flush, room, close --------------------------------------------------------------------------

void BusCore::flush(std::chrono::milliseconds deadline, Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  flushes_.push_back(
      {process_.origin().mark(), io::boot_now() + deadline, held_messages_ != 0, std::move(done)});
  check_waiters();
}

void BusCore::room(const std::string& to, Lane lane, Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  auto name = name_of_text(to);
  if (!name) return complete<void>(std::move(done), name.error());
  if (is_shared_name(to)) {
    Lineage hint;
    const auto instance = choose_instance(to, 0, lane, hint);
    if (instance) name = *instance;
  }
  rooms_.push_back({name->id(), lane, std::move(done)});
  on_room();
}

void BusCore::on_room() {
  std::erase_if(rooms_, [&](RoomWaiter& waiter) {
    if (!process_.origin().has_room(waiter.channel, waiter.lane)) return false;
    complete<void>(std::move(waiter.done), {});
    return true;
  });
}

void BusCore::close(std::chrono::milliseconds deadline, Done<> done) {
  if (closed_ || closing_) return complete<void>(std::move(done), Error{Errc::closed});
  closing_ = true;
  const auto leave = [self = shared_from_this(), done = std::move(done)](Result<> flushed) {
    self->process_.leave();
    self->link_.pump();
    self->shut({Errc::closed, "closed by its owner"});
    self->complete<void>(done, std::move(flushed));
  };
  flush(deadline, leave);
}

/// The end, for whatever reason: every pending operation completes with it.
void BusCore::shut(const Error& reason) {
  if (closed_) return;
  process_.leave();  // fails what is unacknowledged, which may still be reported
  closed_ = true;
  link_.stop();
  call_timer_.cancel();
  for (auto& done : std::exchange(connecting_, {})) complete<void>(std::move(done), reason);
  for (auto& waiter : std::exchange(flushes_, {})) complete<void>(std::move(waiter.done), reason);
  for (auto& waiter : std::exchange(rooms_, {})) complete<void>(std::move(waiter.done), reason);
  for (auto& [token, done] : std::exchange(acknowledgements_, {})) {
    complete<void>(std::move(done), reason);
  }
  for (auto& [token, post] : std::exchange(posts_, {})) {
    complete<std::uint64_t>(std::move(post.done), reason);
  }
  readers_.shut(reason);
  for (auto& [id, bond] : std::exchange(bonds_, {})) {
    end_bond(*bond, reason);
  }
  while (!calls_.empty()) end_call(calls_.begin()->first, reason);
  // What waits for a snapshot finds the bus closed, and completes so.
  for (auto& [prefix, watched] : std::exchange(watched_, {})) {
    for (auto& action : watched.when_complete) action();
  }
  on_undelivered = nullptr;
  on_link_state = nullptr;
  on_lease_end = nullptr;
  if (auto ended = std::exchange(on_end, nullptr); ended && reason != Errc::closed) {
    boost::asio::post(loop_, [ended = std::move(ended), reason] { ended(reason); });
  }
  arrivals_.clear();
}

/// For people: who has not acknowledged.
std::string BusCore::what_remains() {
  std::string text = "unacknowledged messages remain";
  const char* separator = ": ";
  for (const Unacknowledged& each : unacknowledged(kNamedInFlush)) {
    text.append(std::exchange(separator, ", ")).append(std::to_string(each.messages));
    text.append(" for ").append(each.channel);
  }
  return text;
}

std::vector<Unacknowledged> BusCore::unacknowledged(std::size_t most) {
  std::vector<Unacknowledged> rows;
  for (const Origin::Waiting& waiting : process_.origin().unacknowledged(most)) {
    std::string name = name_of_channel(waiting.channel);
    if (name.empty()) name = waiting.channel.to_string();
    rows.push_back({std::move(name), waiting.lane, waiting.messages, waiting.bytes});
  }
  return rows;
}

BusCounters BusCore::counters() const {
  const OriginCounters& out = process_.origin().counters();
  const OwnerCounters& in = process_.owner().counters();
  BusCounters all;
  all.sent = out.sent;
  all.acknowledged = out.acknowledged;
  all.failed = out.failed;
  all.expired = out.expired;
  all.transmitted = out.transmitted;
  all.resends = out.resends;
  all.probes = out.probes;
  all.chokes = out.chokes;
  all.handled = in.handled;
  all.duplicates = in.duplicates;
  all.gaps = in.gaps;
  all.calls = calls_started_;
  all.calls_timed_out = calls_timed_out_;
  all.connects = connects_;
  all.unacknowledged_bytes = process_.origin().unacknowledged_bytes();
  if (const Session* session = process_.session()) {
    all.bytes_in = session->counters().bytes_in;
    all.bytes_out = session->counters().bytes_out;
  }
  return all;
}

}  // namespace starbus::bus
