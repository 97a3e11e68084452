#include "bus/io/stream_link.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>

#include "bus/core/limits.hpp"
#include "bus/core/wire/bundle.hpp"

namespace starbus::bus::io {
namespace {

namespace asio = boost::asio;

// Twice the largest bundle: the rest of a cut one moves to the front at most once per half.
constexpr std::size_t kReadBuffer = 2 * kMaxBundle;
// The least room worth a read; below it the cut bundle moves first.
constexpr std::size_t kLeastRead = 64 * 1024;
constexpr std::size_t kLengthAt = 8;  // bytes that tell a bundle's length
// The link clock stops data long before; reports of what was consumed need no room, so a peer that
// goes on sending and never reads would collect them here.
constexpr std::size_t kMostQueued = 4 * kLinkClock;
constexpr std::size_t kSpareBuffers = 4;   // a link has seldom more than one bundle in hand
constexpr std::size_t kGather = 64;        // bundles in one system call
constexpr int kWriteRounds = 4;            // then other links get their turn
constexpr std::size_t kDrain = 16 * 1024;  // per round, when closing
constexpr int kDrainRounds = 64;           // twice what a link clock lets the peer have under way

}  // namespace

StreamLink::StreamLink(asio::io_context& context, Fd socket)
    : socket_(context, socket.get()), peer_(peer_of(socket.get())) {
  tune(socket.release());
  socket_.native_non_blocking(true);
}

Result<int> StreamLink::open_process() {
  if (closed_ || peer_.pid == 0) return -1;
  return open_peer_process(socket_.native_handle());
}

StreamLink::~StreamLink() {
  close();
}

void StreamLink::start(LinkHandler& handler) {
  thread_.rebind();
  if (closed_) return;
  handler_ = &handler;
  // Not value-initialised: pages that a quiet link never fills cost no memory.
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(kReadBuffer);
  read();
}

void StreamLink::read() {
  make_room();
  // A plain read operation: the reactor reads as soon as the socket is ready, without the extra
  // system call that arms a wait. The weak pointer lets the owner drop the link at any time.
  socket_.async_read_some(asio::buffer(buffer_.get() + end_, kReadBuffer - end_),
                          [weak = weak_from_this()](const auto& error, std::size_t size) {
                            const auto self = std::static_pointer_cast<StreamLink>(weak.lock());
                            if (self && !self->closed_) self->on_read(error, size);
                          });
}

void StreamLink::make_room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    return;
  }
  if (kReadBuffer - begin_ >= kMaxBundle && kReadBuffer - end_ >= kLeastRead) return;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
}

void StreamLink::on_read(const boost::system::error_code& error, std::size_t size) {
  if (error) {
    if (write_error_ == ENOBUFS) return fail({Errc::overloaded, "the peer sends and never reads"});
    if (write_error_ != 0) return fail(os_error("write", write_error_));
    if (error != asio::error::eof) return fail(os_error("read", error.value()));
    return fail({Errc::io_error, begin_ == end_ ? "the peer ended the connection"
                                                : "the peer ended the connection inside a bundle"});
  }
  end_ += size;
  hand_over();
}

void StreamLink::go_on() {
  if (!closed_) hand_over();
}

void StreamLink::hand_over() {
  if (!handler_->has_turn(*this)) return;
  const Handed handed = deliver();
  if (handed == Handed::closed) return;
  handler_->on_batch_end(*this);
  if (closed_) return;
  if (handed == Handed::some) return hand_over_later();
  read();
}

StreamLink::Handed StreamLink::deliver() {
  for (bool first = true; end_ - begin_ >= kLengthAt; first = false) {
    const ByteView rest(buffer_.get() + begin_, end_ - begin_);
    const auto length = peek_bundle_length(rest);
    if (!length) {
      fail(length.error());
      return Handed::closed;
    }
    if (*length > rest.size()) break;
    if (!first && handler_->enough()) return Handed::some;
    handler_->on_bundle(*this, rest.first(*length));
    if (closed_) return Handed::closed;
    if (handler_->unfinished()) return Handed::some;
    begin_ += *length;
  }
  return Handed::all;
}

void StreamLink::hand_over_later() {
  asio::post(socket_.get_executor(), [weak = weak_from_this()] {
    const auto self = std::static_pointer_cast<StreamLink>(weak.lock());
    if (self && !self->closed_) self->hand_over();
  });
}

void StreamLink::fail(const Error& reason) {
  close_socket();
  if (auto* handler = std::exchange(handler_, nullptr)) handler->on_closed(*this, reason);
}

void StreamLink::send(Bytes bundle) {
  thread_.check();
  if (closed_ || write_error_ != 0) return;
  if (queue_.empty()) {
    const auto sent =
        ::send(socket_.native_handle(), bundle.data(), bundle.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(bundle.size())) return recycle(std::move(bundle));
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return break_off(errno);
    front_sent_ = sent > 0 ? static_cast<std::size_t>(sent) : 0;
  }
  queued_ += bundle.size();
  queue_.push_back(std::move(bundle));
  if (queued_ - front_sent_ > kMostQueued) return break_off(ENOBUFS);
  if (!waiting_) wait_writable();
}

bool StreamLink::flush() {
  for (int round = 0; round < kWriteRounds && !queue_.empty(); ++round) {
    std::array<iovec, kGather> parts{};
    const std::size_t count = std::min(queue_.size(), kGather);
    for (std::size_t i = 0; i < count; ++i) parts[i] = {queue_[i].data(), queue_[i].size()};
    parts[0].iov_base = queue_[0].data() + front_sent_;
    parts[0].iov_len -= front_sent_;
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    const auto sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EAGAIN || errno == EINTR) return true;
      break_off(errno);
      return false;
    }
    drop_sent(static_cast<std::size_t>(sent));
  }
  return true;
}

void StreamLink::drop_sent(std::size_t size) {
  front_sent_ += size;
  while (!queue_.empty() && front_sent_ >= queue_.front().size()) {
    front_sent_ -= queue_.front().size();
    queued_ -= queue_.front().size();
    recycle(std::move(queue_.front()));
    queue_.pop_front();
  }
}

void StreamLink::wait_writable() {
  waiting_ = true;
  socket_.async_wait(asio::posix::stream_descriptor::wait_write,
                     [weak = weak_from_this()](const auto& error) {
                       const auto self = std::static_pointer_cast<StreamLink>(weak.lock());
                       if (!self || self->closed_) return;
                       self->waiting_ = false;
                       if (error || !self->flush()) return;
                       if (!self->queue_.empty()) self->wait_writable();
                     });
}

void StreamLink::break_off(int error) {
  // The owner hears of it from the reading side, after what the peer had sent before it went.
  write_error_ = error;
  queue_.clear();
  queued_ = front_sent_ = 0;
  ::shutdown(socket_.native_handle(), SHUT_RDWR);
}

Bytes StreamLink::take_buffer() {
  if (spare_.empty()) return {};
  Bytes buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void StreamLink::recycle(Bytes buffer) {
  if (spare_.size() >= kSpareBuffers || buffer.capacity() > kMaxBundle) return;
  buffer.clear();
  spare_.push_back(std::move(buffer));
}

void StreamLink::close() {
  if (closed_) return;
  if (write_error_ == 0) flush();
  handler_ = nullptr;
  close_socket();
}

void StreamLink::close_socket() {
  if (std::exchange(closed_, true)) return;
  queue_.clear();
  const int fd = socket_.native_handle();
  // TCP resets a connection that is closed with bytes unread, and the reset overtakes what we sent
  // last: the reason why we end. So read them first, as far as they are here.
  ::shutdown(fd, SHUT_WR);
  std::array<std::byte, kDrain> unread;
  for (int round = 0; round < kDrainRounds; ++round) {
    if (::recv(fd, unread.data(), unread.size(), MSG_DONTWAIT) <= 0) break;
  }
  boost::system::error_code ignored;
  socket_.close(ignored);
}

}  // namespace starbus::bus::io
