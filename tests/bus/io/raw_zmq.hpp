/// Bare ZeroMQ sockets against a listener: what an honest client would not do.
#pragma once

#include "bus/io/zmq_handshake.hpp"
#include "bus/io/zmq_socket.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io::test {

/// Waits for one message on a bare socket.
inline bool receive(Loop& loop, ZmqSocket& socket, ZmqMessage& message) {
  return loop.run_until([&] { return socket.receive(message); }, std::chrono::seconds(5));
}

/// Asks as a link would, and returns the endpoint and secret of the session.
inline std::pair<std::string, Nonce> ask(Pair& pair, ZmqSocket& dealer) {
  EXPECT_TRUE(dealer.connect(pair.listener->endpoint()));
  EXPECT_TRUE(dealer.send(encode_request(random_nonce())));
  ZmqMessage message;
  EXPECT_TRUE(receive(pair.loop, dealer, message));
  const auto answer = decode_answer(message.bytes());
  EXPECT_TRUE(answer);
  const auto listener = parse_endpoint(pair.listener->endpoint());
  return {session_endpoint(*listener, answer->locator)->to_string(), answer->secret};
}

}  // namespace starbus::bus::io::test
