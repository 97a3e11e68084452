// Length-framed messages over one non-blocking stream socket, with large reads and writes. The
// common ground of the socket peer's endpoints and relays.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bus/plan.hpp"

namespace starbus::bench {

struct FrameHeader {
  std::uint32_t length = 0;  // of the payload
  Address to;
};

// The first frame of a connection goes here; its payload is the Address of who is connecting.
constexpr Address kRegistration{0xfffe, 0xfffe};

class SocketStream {
 public:
  explicit SocketStream(int descriptor) : descriptor_(descriptor), input_(kInputBytes) {}
  ~SocketStream();
  SocketStream(const SocketStream&) = delete;
  SocketStream& operator=(const SocketStream&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t unsent() const { return output_.size() - written_; }

  void append(Address to, std::string_view payload);

  // Writes what the kernel takes. False when the connection is gone.
  bool write_some();

  // Reads once and calls on_frame(header, payload) for each whole frame. False at the end.
  template <class OnFrame>
  bool read_some(OnFrame on_frame) {
    const long got = receive();
    if (got < 0) return false;
    std::size_t at = 0;
    FrameHeader header;
    while (filled_ - at >= sizeof header) {
      std::memcpy(&header, input_.data() + at, sizeof header);
      if (filled_ - at < sizeof header + header.length) break;
      on_frame(header, std::string_view(input_.data() + at + sizeof header, header.length));
      at += sizeof header + header.length;
    }
    keep_from(at);
    return true;
  }

 private:
  static constexpr std::size_t kInputBytes = 256 * 1024;

  long receive();  // bytes read, 0 when there is nothing now, -1 at the end
  void keep_from(std::size_t at);

  int descriptor_;
  std::vector<char> input_;
  std::size_t filled_ = 0;
  std::string output_;
  std::size_t written_ = 0;
};

// Sockets of the star. The descriptor, or -1 with errno.
int listen_unix(const std::string& path);
int connect_unix(const std::string& path);
int listen_tcp(int port);
int connect_tcp(int port);
int accept_stream(int listener);

// Runs one relay (a host's, or the root with host kRoot) until it fails or is killed.
Result<void> run_socket_relay(const Plan& plan, int host);

std::string socket_path(const Plan& plan, int host);

}  // namespace starbus::bench
