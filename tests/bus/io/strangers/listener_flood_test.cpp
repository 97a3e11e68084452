// A peer that reaches the port for hosts and has no key: many connections, and many handshakes.

#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>

#include <fstream>
#include <thread>

#include "bus/io/limits.hpp"
#include "bus/io/strangers/packet_filter.hpp"
#include "tests/bus/io/raw_socket.hpp"
#include "tests/bus/io/raw_zmq.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

/// Begins to connect to a loopback port from an address of 127/8.
Fd begin_connect(std::uint16_t port, const char* from) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, from, &address.sin_addr);
  // The port by connect, as for others: many runs would use up those that bind may take.
  const int on = 1;
  EXPECT_EQ(::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on), 0);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  static_cast<void>(
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
  return fd;
}

bool is_connected(const Fd& fd) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  return ::getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

bool is_ended(const Fd& fd) {
  char byte = 0;
  while (true) {
    const ssize_t size = ::recv(fd.get(), &byte, 1, 0);
    if (size <= 0) return size == 0 || errno == ECONNRESET;
  }
}

std::uint16_t port_of(const std::string& endpoint) {
  return parse_endpoint(endpoint)->port;
}

TEST(ListenerFlood, ConnectionsOfOneAddressAreBounded) {
  Pair pair;
  pair.listen("tcp");
  const auto port = port_of(pair.listener->endpoint());
  std::vector<Fd> flood;
  for (std::uint64_t i = 0; i < kStrangersOfAddress + 64; ++i) {
    flood.push_back(begin_connect(port, "127.0.0.9"));
    if (i % 16 == 0) pair.loop.context.poll();
  }
  const auto ended = [&] {
    return static_cast<std::uint64_t>(std::ranges::count_if(flood, is_ended));
  };
  // Well before ZeroMQ's own limit of a handshake, 3 s.
  ASSERT_TRUE(pair.loop.run_until([&] { return ended() >= 1; }, std::chrono::seconds(2)));
  const auto is_too_many = [](const auto& refusal) {
    return refusal.second.code == Errc::overloaded && refusal.first.starts_with("127.0.0.9:");
  };
  EXPECT_EQ(std::ranges::count_if(pair.refused, is_too_many), 1) << "said once";
  const Fd shut_out = begin_connect(port, "127.0.0.9");
  pair.loop.settle();
  EXPECT_FALSE(is_connected(shut_out)) << "the kernel does not hear it";
  EXPECT_NE(pair.connect(), nullptr) << "another address";
  // The flood ends. The kernel asks again for the one that waits: after 1 s, 3 s, 7 s.
  flood.clear();
  EXPECT_TRUE(pair.loop.run_until([&] { return is_connected(shut_out); }));
}

TEST(ListenerFlood, ASessionPortHearsNobodyOnceItsPeerHasCome) {
  Pair pair;
  pair.listen("tcp");
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  const auto [session, secret] = ask(pair, dealer);
  {
    const Fd early = begin_connect(port_of(session), "127.0.0.9");
    pair.loop.settle();
    EXPECT_TRUE(is_connected(early));
  }
  ZmqSocket owner(pair.loop.context, ZMQ_PAIR);
  ASSERT_TRUE(owner.connect(session));
  EXPECT_TRUE(owner.send(encode_greeting(secret)));
  ASSERT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 1; }));
  const Fd late = begin_connect(port_of(session), "127.0.0.9");
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(owner.send(make_bundle(1)));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  pair.loop.settle();
  EXPECT_FALSE(is_connected(late));
}

/// How often a thread of ZeroMQ has waited so far; `name` is as /proc has it.
long waits_of(const std::string& name) {
  long waits = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string line;
    std::getline(std::ifstream(task.path() / "comm"), line);
    if (line != name) continue;
    for (std::ifstream status(task.path() / "status"); std::getline(status, line);) {
      if (line.starts_with("voluntary_ctxt_switches:")) waits += std::stol(line.substr(24));
    }
  }
  return waits;
}

TEST(ListenerFlood, HandshakesOfStrangersTakeNoTurnOfTheThreadOfLinks) {
  Pair pair;
  pair.listen("tcp");
  const auto client = pair.connect();
  ASSERT_NE(client, nullptr);
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  client->send(make_bundle(1));
  ASSERT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  pair.loop.settle(std::chrono::milliseconds(500));  // sockets of the handshake depart
  const long links = waits_of("ZMQbg/IO/0");
  const long strangers = waits_of("ZMQbg/IO/1");
  ASSERT_GT(links, 0);
  const auto port = port_of(pair.listener->endpoint());
  for (int i = 0; i < 50; ++i) {
    const Fd stranger = begin_connect(port, "127.0.0.9");
    pair.loop.settle(std::chrono::milliseconds(1));
    static_cast<void>(::send(stranger.get(), "\xff\0\0\0\0\0\0\0\1\x7f\3", 11, MSG_NOSIGNAL));
    pair.loop.settle(std::chrono::milliseconds(1));
  }
  EXPECT_GE(waits_of("ZMQbg/IO/1"), strangers + 20);
  EXPECT_LE(waits_of("ZMQbg/IO/0"), links + 3) << "but for its own timers";
}

// ZeroMQ tells of each connection, to a loop that is busy with something else meanwhile.
TEST(ListenerFlood, EventsThatTheLoopHasNotReadStopNeitherZeroMqNorTheEnd) {
  Pair pair;
  pair.listen("tcp");
  const auto port = port_of(pair.listener->endpoint());
  constexpr int kFlood = 1'200;  // three events each; ZeroMQ's own bounds are 1,000 and 1,000
  const long before = waits_of("ZMQbg/IO/1");
  for (int i = 0; i < kFlood; ++i) {
    const Fd stranger = begin_connect(port, "127.0.0.9");
    pollfd poll{stranger.get(), POLLOUT, 0};
    ASSERT_EQ(::poll(&poll, 1, 5'000), 1) << "accepted by the kernel";
  }
  // It works on for a while, and waits then: for events or, if nobody reads its own, for good.
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (waits_of("ZMQbg/IO/1") <= before && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(waits_of("ZMQbg/IO/1"), before);
  pair.listener.reset();
  SUCCEED() << "and does not wait for a thread that waits for this one";
}

TEST(PacketFilter, KnowsSourcesByTheAddressThatAPeerCannotChoose) {
  const auto listening = listen_socket(*parse_endpoint("stream://127.0.0.1:0"), {});
  ASSERT_TRUE(listening);
  const auto port = listening->endpoint.port;
  const Fd peer = raw_connect("stream://127.0.0.1:" + std::to_string(port));
  const Fd accepted(::accept4(listening->fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(source_of(accepted.get(), port), (Source{false, {0x7f000001, 0}}));
  EXPECT_FALSE(source_of(accepted.get(), static_cast<std::uint16_t>(port + 1)));
  EXPECT_FALSE(source_of(peer.get(), port)) << "its own port is another";
  EXPECT_FALSE(source_of(listening->fd.get(), port)) << "no peer";
  EXPECT_FALSE(source_of(-1, port));
}

/// Whether a connection over IPv6 is heard while these are shut out; no value without IPv6.
std::optional<bool> heard_over_ipv6(const std::vector<Source>& sources) {
  const auto listening = listen_socket(*parse_endpoint("stream://[::1]:0"), {});
  if (!listening) return std::nullopt;
  EXPECT_TRUE(shut_out(listening->fd.get(), sources));
  const Fd fd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(listening->endpoint.port);
  address.sin6_addr = in6addr_loopback;
  static_cast<void>(
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address));
  pollfd poll{fd.get(), POLLOUT, 0};
  return ::poll(&poll, 1, 100) > 0 && is_connected(fd);
}

TEST(PacketFilter, ShutsOutNetworksOfIpv6) {
  const auto without = heard_over_ipv6({});
  if (!without) GTEST_SKIP() << "this machine has no IPv6";
  EXPECT_EQ(without, true);
  EXPECT_EQ(heard_over_ipv6({{true, {0x20010db8, 0}}, {false, {0, 1}}, {false, {1, 0}}}), true);
  EXPECT_EQ(heard_over_ipv6({{true, {0x20010db8, 0}}, {true, {0, 0}}}), false) << "::/64";
  EXPECT_EQ(heard_over_ipv6({{true, {0, 1}}}), true) << "the second word counts";
}

}  // namespace
}  // namespace starbus::bus::io
