// Sessions and strangers: what only ZeroMQ links have.

#include <fcntl.h>
#include <sys/resource.h>

#include <random>

#include "tests/bus/io/raw_socket.hpp"
#include "tests/bus/io/raw_zmq.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

class ZmqLinks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Schemes, ZmqLinks, testing::Values("ipc", "tcp"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(ZmqLinks, AStrangerWithoutTheSecretGetsNoSession) {
  Pair pair;
  pair.listen(GetParam());
  {
    ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
    const auto [session, secret] = ask(pair, dealer);
    ZmqSocket stranger(pair.loop.context, ZMQ_PAIR);
    ASSERT_TRUE(stranger.connect(session));
    EXPECT_TRUE(stranger.send(encode_greeting(random_nonce())));
    EXPECT_TRUE(stranger.send(make_bundle(1)));
    EXPECT_TRUE(pair.loop.run_until([&] { return !pair.refused.empty(); }));
    EXPECT_EQ(pair.refused.back().second.code, Errc::unauthorized);
    EXPECT_TRUE(pair.accepted.empty());
  }
  EXPECT_NE(pair.connect(), nullptr);
}

TEST_P(ZmqLinks, AStrangerCannotJoinARunningSession) {
  Pair pair;
  pair.listen(GetParam());
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  const auto [session, secret] = ask(pair, dealer);
  auto owner = std::make_unique<ZmqSocket>(pair.loop.context, ZMQ_PAIR);
  ASSERT_TRUE(owner->connect(session));
  EXPECT_TRUE(owner->send(encode_greeting(secret)));
  ASSERT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 1; }));
  Recorder at_server;
  pair.accepted.back()->start(at_server);

  // Even one who knows the secret: while the owner is there, and right after it has gone.
  {
    ZmqSocket stranger(pair.loop.context, ZMQ_PAIR);
    static_cast<void>(stranger.connect(session));
    stranger.send(make_bundle(1));
    pair.loop.settle();
  }
  EXPECT_EQ(at_server.bundles, 0U);
  EXPECT_EQ(at_server.closed, 0) << at_server.reason.to_string();
  EXPECT_TRUE(owner->send(make_bundle(1)));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  owner.reset();
  ZmqSocket late(pair.loop.context, ZMQ_PAIR);
  static_cast<void>(late.connect(session));
  late.send(make_bundle(2));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.closed == 1; }));
  EXPECT_EQ(at_server.bundles, 1U);
}

TEST_P(ZmqLinks, ASessionThatNobodyEntersEnds) {
  Pair pair;
  pair.listen(GetParam());
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  ask(pair, dealer);
  EXPECT_TRUE(pair.loop.run_until([&] { return !pair.refused.empty(); }, std::chrono::seconds(6)));
  EXPECT_EQ(pair.refused.back().second.code, Errc::silent);
}

TEST_P(ZmqLinks, HalfOpenSessionsAreBounded) {
  Pair pair;
  pair.listen(GetParam());
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  ASSERT_TRUE(dealer.connect(pair.listener->endpoint()));
  int refused = 0;
  for (int i = 0; i < 260; ++i) {
    EXPECT_TRUE(dealer.send(encode_request(random_nonce())));
    ZmqMessage message;
    ASSERT_TRUE(receive(pair.loop, dealer, message));
    if (decode_answer(message.bytes())->status == Errc::overloaded) ++refused;
  }
  EXPECT_GT(refused, 0);
}

/// All descriptors of this process but a few.
class Hoard {
 public:
  Hoard() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 512;
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) held_.emplace_back(fd);
  }
  ~Hoard() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  bool leave_one_more() {
    if (held_.empty()) return false;
    held_.pop_back();
    return true;
  }

 private:
  rlimit before_{};
  std::vector<Fd> held_;
};

// Whoever reaches the port takes all descriptors; then an honest peer asks for its session.
TEST_P(ZmqLinks, DescriptorsThatRunOutRefuseASessionAndEndNothing) {
  Pair pair;
  pair.listen(GetParam());
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  ASSERT_TRUE(dealer.connect(pair.listener->endpoint()));
  const auto answered = [&] {
    EXPECT_TRUE(dealer.send(encode_request(random_nonce())));
    ZmqMessage message;
    EXPECT_TRUE(receive(pair.loop, dealer, message));
    return decode_answer(message.bytes())->status;
  };
  ASSERT_EQ(answered(), Errc::ok);
  {
    Hoard hoard;
    int refusals = 0;
    // Each of the descriptors that a session needs is missing once.
    while (answered() != Errc::ok) {
      ++refusals;
      ASSERT_TRUE(hoard.leave_one_more());
    }
    EXPECT_GT(refusals, 3);
    EXPECT_EQ(pair.refused.back().second.code, Errc::io_error);
  }
  EXPECT_EQ(answered(), Errc::ok);
}

TEST_P(ZmqLinks, TheListenerSurvivesGarbage) {
  Pair pair;
  pair.listen(GetParam());
  const auto good = pair.connect();
  Recorder at_good;
  pair.accepted.back()->start(at_good);
  std::minstd_rand random(1);
  for (int round = 0; round < 30; ++round) {
    const Fd raw = raw_connect(pair.listener->endpoint());
    Bytes garbage(1 + random() % 2000);
    for (auto& byte : garbage) byte = static_cast<std::byte>(random());
    ::send(raw.get(), garbage.data(), garbage.size(), MSG_NOSIGNAL);
    pair.loop.settle(std::chrono::milliseconds(2));
  }
  // Proper messages with improper content, and a request of the next version.
  for (const std::string content :
       {"", "nonsense", "SBC1", "SBC1 but far too long to be a nonce"}) {
    ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
    ASSERT_TRUE(dealer.connect(pair.listener->endpoint()));
    EXPECT_TRUE(dealer.send(as_bytes("one"), ZMQ_SNDMORE));
    EXPECT_TRUE(dealer.send(as_bytes("two")));
    EXPECT_TRUE(dealer.send(as_bytes(content)));
    for (int i = 0; i < 2; ++i) {
      ZmqMessage message;
      ASSERT_TRUE(receive(pair.loop, dealer, message));
      EXPECT_EQ(decode_answer(message.bytes())->status, Errc::bad_bytes);
    }
  }
  ZmqSocket newer(pair.loop.context, ZMQ_DEALER);
  ASSERT_TRUE(newer.connect(pair.listener->endpoint()));
  EXPECT_TRUE(newer.send(as_bytes("SBC2 who knows")));
  ZmqMessage message;
  ASSERT_TRUE(receive(pair.loop, newer, message));
  EXPECT_EQ(decode_answer(message.bytes())->status, Errc::version_mismatch);
  EXPECT_FALSE(pair.refused.empty());

  good->send(make_bundle(1));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_good.bundles == 1; }));
  EXPECT_NE(pair.connect(), nullptr);
}

TEST_P(ZmqLinks, TooLargeAMessageEndsItsSessionOnly) {
  Pair pair;
  pair.listen(GetParam());
  for (const std::size_t size : {kMaxBundle + 1, 2 * kMaxBundle}) {
    const auto bad = pair.connect();
    Recorder at_bad;
    pair.accepted.back()->start(at_bad);
    bad->send(Bytes(size));
    EXPECT_TRUE(pair.loop.run_until([&] { return at_bad.closed == 1; }));
    EXPECT_EQ(at_bad.bundles, 0U);
  }
  EXPECT_NE(pair.connect(), nullptr);
}

TEST(TcpSessions, UseTheirPortRange) {
  Pair pair;
  // Three neighbouring ports that are free now, as far as one can know.
  const auto probe = listen_socket(*parse_endpoint("stream://127.0.0.1:0"), {});
  ASSERT_TRUE(probe);
  ListenOptions options;
  options.first_session_port = probe->endpoint.port;
  options.last_session_port = probe->endpoint.port;
  pair.listen("tcp", options);
  const auto refused = pair.loop.connect_to(pair.listener->endpoint());
  ASSERT_FALSE(refused) << "the only port of the range is taken";
  EXPECT_EQ(refused.error().code, Errc::unreachable);
}

}  // namespace
}  // namespace starbus::bus::io
