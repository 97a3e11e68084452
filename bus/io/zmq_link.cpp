#include "bus/io/zmq_link.hpp"

#include <algorithm>
#include <utility>

#include "bus/core/wire/bundle.hpp"
#include "bus/io/handover.hpp"

namespace starbus::bus::io {
namespace {

constexpr int kBurst = 64;  // bundles, then other links get their turn
// Below this a copy is cheaper than handing the buffer to another thread and back.
constexpr std::size_t kCopyBelow = 4096;

/// A bundle in ZeroMQ's hands, and where its buffer goes afterwards.
struct Lent {
  Bytes bytes;
  std::shared_ptr<BufferPool> pool;
};

/// Mostly on ZeroMQ's thread.
void give_back(void*, void* hint) {
  take_over(hint);
  const std::unique_ptr<Lent> lent(static_cast<Lent*>(hint));
  lent->pool->give(std::move(lent->bytes));
}

}  // namespace

ZmqLink::ZmqLink(ZmqSession session, ZmqMessage first, Peer peer)
    : session_(std::move(session)),
      first_(std::move(first)),
      connection_(first_.property(kPeerAddress)),
      peer_(std::move(peer)) {
  session_.socket->on_ready(nullptr);
  session_.monitor->on_event([this, ours = first_.descriptor()](int event, int descriptor) {
    // Strangers that connect to the port of a tcp session come and go without effect.
    if (event != ZMQ_EVENT_DISCONNECTED || descriptor != ours) return;
    broken_ = true;
    session_.socket->check_again();
  });
}

ZmqLink::~ZmqLink() {
  close();
}

void ZmqLink::start(LinkHandler& handler) {
  thread_.rebind();
  if (closed_) return;
  handler_ = &handler;
  session_.socket->on_ready([weak = weak_from_this()] {
    const auto self = std::static_pointer_cast<ZmqLink>(weak.lock());
    return self && !self->closed_ && self->read();
  });
}

bool ZmqLink::read() {
  if (waits_) {
    flush();
    return false;
  }
  reading_ = true;
  bool batch = false;
  for (int i = 0; i < kBurst; ++i) {
    ZmqMessage message;
    if (held_) {
      message = std::move(*std::exchange(held_, std::nullopt));
    } else if (!session_.socket->receive(message)) {
      flush();
      if (!batch) {
        if (broken_) fail({Errc::io_error, "the connection broke"});
        reading_ = false;
        return false;
      }
      batch = false;
      handler_->on_batch_end(*this);
      if (closed_) return false;
      continue;  // what was sent meanwhile may have swallowed a wake-up
    }
    if (!batch && !handler_->has_turn(*this)) {
      held_ = std::move(message);
      waits_ = true;
      reading_ = false;
      return false;
    }
    batch = true;
    deliver(message);
    if (closed_) return false;
    if (handler_->unfinished()) {
      held_ = std::move(message);
      break;
    }
    if (handler_->enough()) break;
  }
  if (batch) handler_->on_batch_end(*this);
  reading_ = false;
  return !closed_;
}

void ZmqLink::go_on() {
  if (closed_) return;
  waits_ = false;
  if (read()) session_.socket->check_again();
}

void ZmqLink::deliver(ZmqMessage& message) {
  const ByteView bytes = message.bytes();
  if (message.property(kPeerAddress) != connection_) {
    return fail({Errc::io_error, "the connection broke"});
  }
  if (as_text(bytes) == kGoodbye) return fail({Errc::io_error, "the peer ended the connection"});
  const auto length = peek_bundle_length(bytes);
  if (!length) return fail(length.error());
  if (*length != bytes.size() || message.more()) {
    return fail({Errc::bad_bytes, "bundle length and message size differ"});
  }
  handler_->on_bundle(*this, bytes);
}

void ZmqLink::send(Bytes bundle) {
  thread_.check();
  if (closed_) return;
  if (!queue_.empty() || !transmit(bundle)) queue_.push_back(std::move(bundle));
  if (!reading_) session_.socket->check_again();
}

bool ZmqLink::transmit(Bytes& bundle) {
  if (bundle.size() < kCopyBelow) {
    if (!session_.socket->send(bundle)) return false;
    pool_->give(std::move(bundle));
    return true;
  }
  auto lent = std::make_unique<Lent>(Lent{std::move(bundle), pool_});
  zmq_msg_t message;
  zmq_msg_init_data(&message, lent->bytes.data(), lent->bytes.size(), give_back, lent.get());
  hand_over(lent.get());
  if (zmq_msg_send(&message, session_.socket->native(), ZMQ_DONTWAIT) >= 0) {
    static_cast<void>(lent.release());
    return true;
  }
  // Still ours: take the buffer out before the message's end gives the rest back.
  bundle = std::move(lent->bytes);
  static_cast<void>(lent.release());
  zmq_msg_close(&message);
  return false;
}

void ZmqLink::flush() {
  while (!queue_.empty() && transmit(queue_.front())) queue_.pop_front();
}

void ZmqLink::fail(const Error& reason) {
  drop_session();
  if (auto* handler = std::exchange(handler_, nullptr)) handler->on_closed(*this, reason);
}

void ZmqLink::close() {
  if (closed_) return;
  handler_ = nullptr;
  if (!broken_) {
    flush();
    auto& service = ZmqService::of(session_.socket->context());
    session_.socket->send(as_bytes(kGoodbye));
    session_.monitor.reset();
    service.let_go(std::move(session_.socket));
  }
  drop_session();
}

void ZmqLink::drop_session() {
  closed_ = true;
  queue_.clear();
  held_.reset();
  session_.monitor.reset();
  session_.socket.reset();
  session_.file.remove();
  session_.domain.reset();
}

}  // namespace starbus::bus::io
