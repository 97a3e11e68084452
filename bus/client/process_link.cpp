#include "bus/client/process_link.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "bus/io/draws.hpp"

namespace starbus::bus {
namespace {

constexpr auto kTick = std::chrono::milliseconds(10);

/// Whether to stop reconnecting. A superseded or closed session is opened again, as before its end.
bool should_give_up(const Error& reason) {
  if (reason == Errc::superseded || reason == Errc::closed) return false;
  return retry_of(reason.code) == Retry::never;
}

}  // namespace

/// A session cannot end while it reads: it would be destroyed under its own feet.
class ProcessLink::CoreAtWork {
 public:
  explicit CoreAtWork(ProcessLink& link) : link_(link) { ++link_.core_at_work_; }
  ~CoreAtWork() {
    if (--link_.core_at_work_ == 0 && std::exchange(link_.end_due_, false)) link_.end_session();
  }
  CoreAtWork(const CoreAtWork&) = delete;
  CoreAtWork& operator=(const CoreAtWork&) = delete;

 private:
  ProcessLink& link_;
};

ProcessLink::ProcessLink(boost::asio::io_context& loop, ProcessCore& core, std::string endpoint,
                         Hooks hooks)
    : loop_(loop),
      core_(core),
      endpoint_(std::move(endpoint)),
      hooks_(std::move(hooks)),
      tick_(loop) {}

ProcessLink::~ProcessLink() {
  if (link_) link_->close();
}

void ProcessLink::start() {
  thread_.check();
  start_clock();
  if (reconnect_) return;
  reconnect_ = std::make_unique<io::Reconnect>(
      loop_, std::vector<io::Reconnect::Target>{{endpoint_, {}}},
      [this](std::shared_ptr<io::Link> link) { link_up(std::move(link)); },
      [this](const io::Reconnect::Target&, const Error& reason) {
        const auto held = hooks_.hold();
        if (held && should_give_up(reason)) hooks_.refused(reason);
      });
  reconnect_->start();
}

void ProcessLink::stop() {
  thread_.check();
  send_now();
  stopped_ = true;
  tick_.cancel();
  reconnect_.reset();
  if (core_at_work_ != 0) {
    end_due_ = true;
  } else {
    end_session();
  }
}

void ProcessLink::end_session() {
  core_.link_lost();
  if (auto link = std::exchange(link_, nullptr)) link->close();
}

void ProcessLink::link_up(std::shared_ptr<io::Link> link) {
  const auto held = hooks_.hold();
  if (!held) return link->close();
  link_ = std::move(link);
  {
    const CoreAtWork at_work(*this);
    core_.connected(io::draw_number(), io::boot_now());
  }
  if (!link_) return;  // the core has lost its lease, and a callback ended the bus
  link_->start(*this);
  send_now();
}

void ProcessLink::link_down(const Error& reason) {
  const bool greeted = core_.greeted();
  end_session();
  hooks_.lost(reason, greeted);
  if (stopped_) return;
  const bool refused = should_give_up(reason);
  if (refused) hooks_.refused(reason);
  if ((!refused || hooks_.persists) && reconnect_) reconnect_->again();
}

void ProcessLink::on_bundle(io::Link&, ByteView bundle) {
  const auto held = hooks_.hold();
  if (!held) return;
  const Time now = io::boot_now();
  if (!std::exchange(in_batch_, true)) batch_began_ = now;
  const auto result = [&] {
    const CoreAtWork at_work(*this);
    return core_.on_bundle(bundle, now);
  }();
  if (!result && !stopped_) {
    in_batch_ = false;
    link_down(result.error());
  }
}

bool ProcessLink::enough() {
  return io::boot_now() - batch_began_ >= kBatchTime;
}

void ProcessLink::on_batch_end(io::Link&) {
  in_batch_ = false;
  const auto held = hooks_.hold();
  if (!held) return;
  send_now();
  hooks_.after_turn();
}

void ProcessLink::on_closed(io::Link&, const Error& reason) {
  in_batch_ = false;
  const auto held = hooks_.hold();
  if (held) link_down(reason);
}

void ProcessLink::request_send(std::size_t bytes) {
  thread_.check();
  unsent_ += bytes;
  if (in_batch_) return;
  if (unsent_ >= kBundleTarget) return send_now();
  if (std::exchange(send_posted_, true)) return;
  boost::asio::post(loop_, [this, weak = std::weak_ptr(hooks_.hold())] {
    const auto held = weak.lock();
    if (!held) return;
    send_posted_ = false;
    send_now();
  });
}

void ProcessLink::send_now() {
  thread_.check();
  unsent_ = 0;
  hooks_.before_send();
  if (!link_ || stopped_) return;
  core_.send_bundles([&] { return link_->take_buffer(); },
                     [&](Bytes bundle) { link_->send(std::move(bundle)); });
}

void ProcessLink::start_clock() {
  thread_.check();
  if (stopped_ || std::exchange(ticking_, true)) return;
  tick_.expires_after(kTick);
  tick_.async_wait(
      [this, weak = std::weak_ptr(hooks_.hold())](const boost::system::error_code& error) {
        const auto held = weak.lock();
        if (!held || error) return;
        ticking_ = false;
        on_tick();
        start_clock();
      });
}

void ProcessLink::on_tick() {
  const Time now = io::boot_now();
  // The program's own loop stood still: bundles that came meanwhile are read before the next tick.
  const bool stalled = ticked_ != Time{} && now - ticked_ > kSuspect;
  ticked_ = now;
  {
    const CoreAtWork at_work(*this);
    core_.tick(now);
  }
  if (link_ && !core_.has_session()) {
    link_down({Errc::overloaded, "the session with busd ended: lease, or too many requests wait"});
  }
  if (!stalled && core_.session() && core_.session()->silence(now) > kLinkTimeout) {
    link_down({Errc::silent, "nothing heard from busd for 10 s"});
  }
  hooks_.tick();
  send_now();
  hooks_.after_turn();
}

}  // namespace starbus::bus
