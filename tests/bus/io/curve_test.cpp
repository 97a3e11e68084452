// Who may come in over an encrypted link, and what both sides say about it.

#include "tests/bus/io/raw_zmq.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

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
  // It sees the demand, or only that the listener hangs up: as one does that is being restarted.
  EXPECT_TRUE(plain_client == Errc::unauthorized || plain_client == Errc::unreachable)
      << plain_client.to_string();
  EXPECT_NE(plain_client.detail.find("CURVE"), std::string::npos) << plain_client.to_string();
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

TEST(Curve, AListenerMayEndInsideItsDecision) {
  Loop loop;
  ListenOptions options;
  options.keys = *generate_curve_keys();
  std::unique_ptr<Listener> listener;
  options.allow = [](std::string_view) { return false; };
  options.on_refused = [&](const auto&, const auto&) { listener.reset(); };
  auto made = listen(loop.context, "tcp://127.0.0.1:0", options, [](auto) {});
  ASSERT_TRUE(made);
  listener = std::move(*made);
  ConnectOptions client;
  client.keys = *generate_curve_keys();
  client.server_key = options.keys.public_key;
  EXPECT_FALSE(loop.connect_to(listener->endpoint(), client));
  EXPECT_EQ(listener, nullptr);
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
