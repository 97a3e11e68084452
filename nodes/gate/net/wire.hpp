#pragma once

#include <openssl/ssl.h>

#include <cstddef>
#include <span>

#include "base/file_descriptor.hpp"
#include "nodes/gate/net/out_queue.hpp"

namespace starbus::nodes::gate::net {

/// A connected socket, bare or with TLS over it: never waits, owns both. One thread. After `ended`
/// or `failed` only the destructor is left.
class Wire {
 public:
  /// `socket` is connected and non-blocking.
  explicit Wire(FileDescriptor socket) : socket_(std::move(socket)) {}
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  /// How an operation went.
  enum class Io {
    done,
    would_read,   // again when bytes have come
    would_write,  // again when there is room
    ended,        // the peer has said its last byte
    failed,
  };
  struct Moved {
    Io io = Io::done;
    std::size_t bytes = 0;
    bool drained = false;  // of a read: to ask again at once is in vain
  };

  int descriptor() const { return socket_.get(); }
  /// From here on bytes are those of TLS. False without memory.
  bool secure(SSL_CTX* context);
  bool is_secure() const { return tls_ != nullptr; }
  /// would_read: nothing has come that was not read.
  Io peek() const;
  /// Goes on with the handshake of TLS; done: it is over.
  Io shake();
  /// Bytes of the application.
  Moved read(std::span<std::byte> into);
  /// Bytes of the socket, whatever they are: for a PROXY header, and for what is thrown away.
  Moved read_raw(std::span<std::byte> into) const;
  /// Writes until the queue is empty, `most` bytes have gone, or the peer takes no more. `scratch`
  /// is room for one record of TLS.
  Moved write(OutQueue& queue, std::size_t most, std::span<std::byte> scratch);
  /// Nothing more will be written: tells the peer so.
  void end_writing();

 private:
  Io why(int result);
  Moved write_bare(const OutQueue& queue) const;
  Moved write_secure(OutQueue& queue, std::span<std::byte> scratch);

  FileDescriptor socket_;
  SSL* tls_ = nullptr;
};

}  // namespace starbus::nodes::gate::net
