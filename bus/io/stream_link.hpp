/// A link over a connected stream socket: unix or TCP.
///
/// Belongs to the thread of its io_context, which calls start(): checked. Reads as much as there is
/// into one buffer and hands bundles out of it without copying; writes at once and queues only what
/// the kernel refuses. A broken pipe or a malformed bundle ends it. Destroy it before the context.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>

#include "base/loop_thread.hpp"
#include "bus/io/link.hpp"
#include "bus/io/socket.hpp"

namespace starbus::bus::io {

class StreamLink final : public Link {
 public:
  /// `socket` is connected; it becomes non-blocking.
  StreamLink(boost::asio::io_context& context, Fd socket);
  ~StreamLink() override;

  void start(LinkHandler& handler) override;
  void send(Bytes bundle) override;
  Bytes take_buffer() override;
  void go_on() override;
  void close() override;
  const Peer& peer() const override { return peer_; }
  Result<int> open_process() override;

 private:
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  /// Hands over what has been read, and reads on: in a later turn, if the handler should yield.
  void hand_over();
  enum class Handed { all, some, closed };
  /// Hands over every whole bundle, until the handler should yield or the link ends.
  Handed deliver();
  void hand_over_later();
  void make_room();
  void fail(const Error& reason);

  /// Writes as much of the queue as the kernel takes; false if the pipe is broken.
  bool flush();
  void wait_writable();
  void drop_sent(std::size_t size);
  void break_off(int error);
  void recycle(Bytes buffer);
  void close_socket();

  LoopThread thread_;  // that which calls start()
  boost::asio::posix::stream_descriptor socket_;
  Peer peer_;
  LinkHandler* handler_ = nullptr;
  bool closed_ = false;

  // Bytes [begin_, end_) of the buffer are read and not yet handed over.
  std::unique_ptr<std::byte[]> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;

  std::deque<Bytes> queue_;
  std::size_t queued_ = 0;      // bytes of queue_
  std::size_t front_sent_ = 0;  // bytes of queue_.front() that the kernel has
  bool waiting_ = false;        // for room to write
  int write_error_ = 0;
  std::vector<Bytes> spare_;
};

}  // namespace starbus::bus::io
