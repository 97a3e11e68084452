/// The framing of a stream: a link reads from a socket pair what the input says, in pieces as long
/// as the input says (each byte n before its piece: n * 8 bytes).
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "bus/core/wire/bundle.hpp"
#include "bus/io/stream_link.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus::io {
namespace {

class Counter final : public LinkHandler {
 public:
  void on_bundle(io::Link&, ByteView bundle) override {
    require(!closed && bundle.size() >= kBundleHeaderSize && bundle.size() <= kMaxBundle);
    const auto length = peek_bundle_length(bundle);
    require(length && *length == bundle.size());
    taken += bundle.size();
  }
  void on_batch_end(io::Link&) override { require(!closed); }
  void on_closed(io::Link&, const Error&) override {
    require(!closed);
    closed = true;
  }
  std::size_t taken = 0;
  bool closed = false;
};

}  // namespace
}  // namespace starbus::bus::io

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  using namespace starbus::bus::io;
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  boost::asio::io_context loop;
  Counter counter;
  const auto link = std::make_shared<StreamLink>(loop, Fd(ends[0]));
  link->start(counter);
  std::size_t written = 0;
  for (std::size_t at = 0; at < size && !counter.closed;) {
    const std::size_t piece = std::min<std::size_t>(data[at] * 8U, size - at - 1);
    if (::send(ends[1], data + at + 1, piece, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
    written += piece;
    at += 1 + piece;
    loop.restart();
    loop.poll();
  }
  ::close(ends[1]);
  for (int round = 0; round < 3 && !counter.closed; ++round) {
    loop.restart();
    loop.poll();
  }
  require(counter.closed && counter.taken <= written);
  return 0;
}
