#include "bus/client/bus_core.hpp"

#include <boost/asio/post.hpp>
#include <cstdlib>
#include <random>

#include "bus/core/version.hpp"

namespace starbus::bus {
namespace {

constexpr auto kTick = std::chrono::milliseconds(10);

std::uint64_t random_id() {
  std::random_device device;
  const std::uint64_t id = (std::uint64_t{device()} << 32) | device();
  return id == 0 ? 1 : id;
}

/// Grows from start to start of a node on one host, also when starts are a microsecond apart.
std::uint64_t draw_incarnation() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto present = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count());
  static std::uint64_t latest = 0;
  latest = std::max(latest + 1, present);
  return latest;
}

std::string endpoint_of(const Options& options) {
  if (!options.endpoint.empty()) return options.endpoint;
  const char* from_environment = std::getenv("STARBUS_BUSD");  // NOLINT: read at start-up
  return from_environment ? from_environment : std::string(kDefaultEndpoint);
}

/// What will not mend by trying again.
bool is_final(Errc code) {
  return code == Errc::name_taken || code == Errc::unauthorized || code == Errc::version_mismatch ||
         code == Errc::bad_config || code == Errc::bad_name;
}

}  // namespace

BusCore::BusCore(boost::asio::io_context& loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      process_(
          {options_.node, options_.role, draw_incarnation(), std::string("starbus ") + kVersion,
           options_.protocol_minor},
          *this, io::boot_now()),
      tick_(loop),
      call_timer_(loop),
      next_call_(draw_incarnation()) {
  options_.endpoint = endpoint_of(options_);
}

BusCore::~BusCore() {
  if (link_) link_->close();
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
template void BusCore::complete<Bytes>(Done<Bytes>, Result<Bytes>);

// --- link ----------------------------------------------------------------------------------------

void BusCore::connect(Done<> done) {
  if (closed_) return complete<void>(std::move(done), Error{Errc::closed});
  if (process_.reply_lineage()) return complete<void>(std::move(done), {});
  connecting_.push_back(std::move(done));
  arm_tick();
  if (reconnect_) return;
  reconnect_ = std::make_unique<io::Reconnect>(
      loop_, std::vector<io::Reconnect::Target>{{options_.endpoint, {}}},
      [this](std::shared_ptr<io::Link> link) { link_up(std::move(link)); },
      [this](const io::Reconnect::Target&, const Error& reason) {
        if (is_final(reason.code)) shut(reason);
      });
  reconnect_->start();
}

void BusCore::link_up(std::shared_ptr<io::Link> link) {
  link_ = std::move(link);
  process_.connected(random_id(), io::boot_now());
  link_->start(*this);
  pump();
}

void BusCore::link_down(const Error& reason) {
  const bool was_greeted = process_.greeted();
  process_.link_lost();
  if (auto link = std::exchange(link_, nullptr)) link->close();
  if (was_greeted && on_link_state) on_link_state(LinkState::disconnected, reason);
  if (closed_) return;
  if (is_final(reason.code) || reason == Errc::denied) {
    // A denied session breaks a rule that this library keeps, so trying again would only repeat it.
    shut(reason);
  } else if (reconnect_) {
    reconnect_->again();
  }
}

void BusCore::on_bundle(io::Link&, ByteView bundle) {
  in_batch_ = true;
  const auto self = shared_from_this();
  const auto result = process_.on_bundle(bundle, io::boot_now());
  if (!result && !closed_) {
    in_batch_ = false;
    link_down(result.error());
  }
}

void BusCore::on_batch_end(io::Link&) {
  in_batch_ = false;
  const auto self = shared_from_this();
  pump();
  check_waiters();
}

void BusCore::on_closed(io::Link&, const Error& reason) {
  in_batch_ = false;
  const auto self = shared_from_this();
  link_down(reason);
}

void BusCore::on_welcome(bool) {
  ++connects_;
  if (on_link_state) on_link_state(LinkState::connected, {});
}

/// Something was given to the process: it leaves at the end of the present batch or turn, or at
/// once when a bundle is full.
void BusCore::want_pump(std::size_t bytes) {
  unpumped_ += bytes;
  if (in_batch_) return;
  if (unpumped_ >= kBundleTarget) return pump();
  if (pump_posted_) return;
  pump_posted_ = true;
  boost::asio::post(loop_, [self = shared_from_this()] {
    self->pump_posted_ = false;
    self->pump();
  });
}

void BusCore::pump() {
  unpumped_ = 0;
  if (!link_) return;
  process_.pump([&] { return link_->take_buffer(); },
                [&](Bytes bundle) { link_->send(std::move(bundle)); });
}

// --- clock ---------------------------------------------------------------------------------------

void BusCore::arm_tick() {
  if (ticking_ || closed_) return;
  ticking_ = true;
  tick_.expires_after(kTick);
  tick_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (!self || error) return;
    self->ticking_ = false;
    self->on_tick();
    self->arm_tick();
  });
}

void BusCore::on_tick() {
  const Time now = io::boot_now();
  // The program's own loop stood still: what busd said meanwhile is read before the next tick.
  const bool stalled = ticked_ != Time{} && now - ticked_ > from_ms(kSuspect);
  ticked_ = now;
  process_.tick(now);
  if (link_ && !process_.has_session()) {
    link_down({Errc::overloaded, "the session with busd ended: lease, or too many requests wait"});
  }
  if (!stalled && process_.session() && process_.session()->silence(now) > from_ms(kLinkTimeout)) {
    link_down({Errc::silent, "nothing heard from busd for 10 s"});
  }
  prune_sticky();
  pump();
  check_waiters();
}

void BusCore::check_waiters() {
  const Time now = io::boot_now();
  std::erase_if(flushes_, [&](FlushWaiter& waiter) {
    const bool held = waiter.held && held_messages_ != 0;
    const bool settled = !held && process_.origin().settled(waiter.mark);
    if (!settled && now < waiter.deadline) return false;
    complete<void>(std::move(waiter.done),
                   settled ? Result<>() : Error{Errc::deadline, "unacknowledged messages remain"});
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
    self->pump();
    self->shut({Errc::closed, "closed by its owner"});
    self->complete<void>(done, std::move(flushed));
  };
  flush(deadline, leave);
}

/// The end, for whatever reason: every pending operation completes with it.
void BusCore::shut(const Error& reason) {
  if (closed_) return;
  process_.leave();  // fails what is unacknowledged, which may still be reported
  pump();
  closed_ = true;
  tick_.cancel();
  call_timer_.cancel();
  reconnect_.reset();
  process_.link_lost();
  if (auto link = std::exchange(link_, nullptr)) link->close();
  for (auto& done : std::exchange(connecting_, {})) complete<void>(std::move(done), reason);
  for (auto& waiter : std::exchange(flushes_, {})) complete<void>(std::move(waiter.done), reason);
  for (auto& waiter : std::exchange(rooms_, {})) complete<void>(std::move(waiter.done), reason);
  for (auto& [token, done] : std::exchange(acknowledgements_, {})) {
    complete<void>(std::move(done), reason);
  }
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
  arrivals_.clear();
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
