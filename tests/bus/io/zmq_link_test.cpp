// Sessions, keys and strangers: what only ZeroMQ links have.

#include <random>

#include "bus/io/zmq_handshake.hpp"
#include "bus/io/zmq_socket.hpp"
#include "tests/bus/io/raw_socket.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

class ZmqLinks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Schemes, ZmqLinks, testing::Values("ipc", "tcp"),
                         [](const auto& test) { return std::string(test.param); });

/// Waits for one message on a bare socket.
bool receive(Loop& loop, ZmqSocket& socket, ZmqMessage& message) {
  return loop.run_until([&] { return socket.receive(message); }, std::chrono::seconds(5));
}

/// Asks as a link would, and returns the endpoint and secret of the session.
std::pair<std::string, Nonce> ask(Pair& pair, ZmqSocket& dealer) {
  EXPECT_TRUE(dealer.connect(pair.listener->endpoint()));
  EXPECT_TRUE(dealer.send(encode_request(random_nonce())));
  ZmqMessage message;
  EXPECT_TRUE(receive(pair.loop, dealer, message));
  const auto answer = decode_answer(message.bytes());
  EXPECT_TRUE(answer);
  const auto listener = parse_endpoint(pair.listener->endpoint());
  return {session_endpoint(*listener, answer->locator)->to_string(), answer->secret};
}

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

// ---- CURVE ----

struct CurvePair : Pair {
  CurveKeys server = *generate_curve_keys();
  CurveKeys client = *generate_curve_keys();
  std::vector<std::string> asked;
  bool allowed = true;
  void begin() {
    ListenOptions options;
    options.keys = server;
    options.allow = [this](std::string_view key) {
      asked.emplace_back(key);
      return allowed;
    };
    listen("tcp", options);
  }
  ConnectOptions options() const {
    ConnectOptions made;
    made.keys = client;
    made.server_key = server.public_key;
    return made;
  }
  Error failure(ConnectOptions with) {
    const auto result = loop.connect_to(listener->endpoint(), std::move(with));
    return result ? Error{} : result.error();
  }
};

TEST(Curve, AdmitsAKeyOnTheListAndNamesIt) {
  CurvePair pair;
  pair.begin();
  const auto client = pair.connect(pair.options());
  ASSERT_NE(client, nullptr);
  EXPECT_EQ(pair.accepted.back()->peer().key, pair.client.public_key);
  EXPECT_EQ(client->peer().key, pair.server.public_key);
  EXPECT_EQ(pair.asked, std::vector{pair.client.public_key});
  EXPECT_TRUE(pair.refused.empty());
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  for (std::uint64_t i = 1; i <= 20; ++i) client->send(make_bundle(i, kMaxBundle));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 20; }));
}

TEST(Curve, RefusesAKeyThatIsNotOnTheList) {
  CurvePair pair;
  pair.allowed = false;
  pair.begin();
  const auto error = pair.failure(pair.options());
  EXPECT_EQ(error.code, Errc::unauthorized) << error.to_string();
  ASSERT_EQ(pair.refused.size(), 1U);
  EXPECT_EQ(pair.refused[0].second.code, Errc::unauthorized);
  EXPECT_NE(pair.refused[0].second.detail.find(pair.client.public_key), std::string::npos);
  EXPECT_EQ(pair.refused[0].first, "127.0.0.1");
  pair.allowed = true;
  EXPECT_NE(pair.connect(pair.options()), nullptr);
}

TEST(Curve, DetectsAWrongServerKey) {
  CurvePair pair;
  pair.begin();
  auto options = pair.options();
  options.server_key = generate_curve_keys()->public_key;
  const auto error = pair.failure(options);
  EXPECT_EQ(error.code, Errc::unauthorized) << error.to_string();
  EXPECT_TRUE(pair.asked.empty());
  EXPECT_TRUE(pair.loop.run_until([&] { return !pair.refused.empty(); }));
}

TEST(Curve, DoesNotTalkToAPlainClientNorToAPlainListener) {
  CurvePair pair;
  pair.begin();
  const auto plain_client = pair.failure({});
  EXPECT_EQ(plain_client.code, Errc::unauthorized) << plain_client.to_string();
  EXPECT_TRUE(pair.accepted.empty());
  EXPECT_TRUE(pair.loop.run_until([&] { return !pair.refused.empty(); }));

  CurvePair plain;
  plain.listen("tcp");
  const auto plain_listener = plain.failure(plain.options());
  EXPECT_EQ(plain_listener.code, Errc::unauthorized) << plain_listener.to_string();
}

TEST(Curve, AnotherAllowedHostCannotEnterMySession) {
  CurvePair pair;
  pair.begin();
  const auto encrypt = [&](ZmqSocket& socket, const CurveKeys& keys) {
    socket.set(ZMQ_CURVE_SERVERKEY, pair.server.public_key);
    socket.set(ZMQ_CURVE_PUBLICKEY, keys.public_key);
    socket.set(ZMQ_CURVE_SECRETKEY, keys.secret_key);
  };
  ZmqSocket dealer(pair.loop.context, ZMQ_DEALER);
  encrypt(dealer, pair.client);
  const auto [session, secret] = ask(pair, dealer);
  ZmqSocket other(pair.loop.context, ZMQ_PAIR);
  encrypt(other, *generate_curve_keys());
  ASSERT_TRUE(other.connect(session));
  other.send(encode_greeting(secret));
  pair.loop.settle();
  EXPECT_TRUE(pair.accepted.empty());
  ZmqSocket owner(pair.loop.context, ZMQ_PAIR);
  encrypt(owner, pair.client);
  ASSERT_TRUE(owner.connect(session));
  EXPECT_TRUE(owner.send(encode_greeting(secret)));
  EXPECT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 1; }));
}

TEST(Curve, RefusesKeysThatAreNone) {
  CurvePair pair;
  pair.begin();
  auto options = pair.options();
  options.server_key = "short";
  EXPECT_EQ(pair.failure(options).code, Errc::bad_config);
  options = pair.options();
  options.keys = {};
  EXPECT_EQ(pair.failure(options).code, Errc::bad_config);
  ListenOptions listening;
  listening.keys.secret_key = "short";
  const auto listener = listen(pair.loop.context, "tcp://127.0.0.1:0", listening, [](auto) {});
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().code, Errc::bad_config);
}

TEST(Curve, TwoListenersOfOneLoopKeepTheirOwnLists) {
  CurvePair pair;
  pair.begin();
  ListenOptions closed;
  closed.keys = *generate_curve_keys();
  const auto second = listen(pair.loop.context, "tcp://127.0.0.1:0", closed, [](auto) {});
  ASSERT_TRUE(second);
  auto options = pair.options();
  options.server_key = closed.keys.public_key;
  const auto refused = pair.loop.connect_to((*second)->endpoint(), options);
  ASSERT_FALSE(refused) << "without allow() nobody may come in";
  EXPECT_EQ(refused.error().code, Errc::unauthorized);
  EXPECT_NE(pair.connect(pair.options()), nullptr);
}

TEST(Curve, KeysBelongTogether) {
  const auto keys = generate_curve_keys();
  ASSERT_TRUE(keys);
  EXPECT_EQ(*curve_public_key(keys->secret_key), keys->public_key);
  EXPECT_EQ(curve_public_key("").error().code, Errc::bad_config);
  EXPECT_EQ(curve_public_key(std::string(40, '"')).error().code, Errc::bad_config);
}

}  // namespace
}  // namespace starbus::bus::io
