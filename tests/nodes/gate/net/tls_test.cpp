#include <sys/stat.h>

#include <fstream>

#include "tests/nodes/gate/net/one_front.hpp"

namespace starbus::nodes::gate::net {
namespace {

using test::Client;
using test::length_frame;

class FrontTls : public test::OneFront {
 protected:
  FrontTls() {
    listen(true);
    context_ = test::client_context();
  }
  Client& connect_tls(SSL_SESSION* session = nullptr) {
    Client& client = connect();
    client.secure(context_.get(), session);
    client.say(length_frame("hello"));
    return client;
  }
  void offer(const std::string& protocol) {
    const std::string list = std::string(1, static_cast<char>(protocol.size())) + protocol;
    SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(list.data()),
                            static_cast<unsigned>(list.size()));
  }
  test::ClientContext context_;
};

TEST_F(FrontTls, OnlyTls13IsSpoken) {
  start();
  SSL_CTX_set_max_proto_version(context_.get(), TLS1_2_VERSION);
  Client& old = connect_tls();
  EXPECT_TRUE(until([&] { return old.has_failed(); }));
  ASSERT_TRUE(until([&] { return ended(Ending::tls) == 1; }));
  context_ = test::client_context();
  Client& good = connect_tls();
  EXPECT_TRUE(until_frame(good, "hello"));
  EXPECT_STREQ(SSL_get_version(good.tls()), "TLSv1.3");
}

TEST_F(FrontTls, TheProtocolIsAgreedOn) {
  start();
  offer("starbus/1");
  Client& good = connect_tls();
  EXPECT_TRUE(until_frame(good, "hello"));
  const unsigned char* chosen = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(good.tls(), &chosen, &size);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(chosen), size), "starbus/1");
  offer("h2");
  Client& other = connect_tls();
  EXPECT_TRUE(until([&] { return other.has_failed(); }));
}

TEST_F(FrontTls, CertificatesAreReloadedUnderLiveConnections) {
  start();
  Client& first = connect_tls();
  ASSERT_TRUE(until_frame(first, "hello"));
  EXPECT_EQ(test::name_of_peer(first.tls()), "first");
  FrontSettings fresh = settings_;
  fresh.listeners[0].files = test::make_certificate(folder_, "second");
  ASSERT_TRUE(front_->reload(fresh));
  Client& second = connect_tls();
  ASSERT_TRUE(until_frame(second, "hello"));
  EXPECT_EQ(test::name_of_peer(second.tls()), "second");
  first.say(length_frame("as before"));
  EXPECT_TRUE(until_frame(first, "as before"));
  EXPECT_GT(front_->certificates_expire(), 1'000'000'000);
}

TEST_F(FrontTls, ABadReloadChangesNothingAndSaysWhy) {
  start();
  const auto problem = [&](const FrontSettings& fresh) {
    const auto reloaded = front_->reload(fresh);
    return reloaded ? "" : reloaded.error().detail;
  };
  FrontSettings fresh = settings_;
  fresh.limits.connections = 1;
  fresh.listeners[0].files.key = test::make_certificate(folder_, "other").key;
  EXPECT_THAT(problem(fresh), ::testing::HasSubstr("other.key"));
  std::ofstream(folder_ / "broken.pem") << "-----BEGIN CERTIFICATE-----\nabc\n";
  fresh.listeners[0].files = {(folder_ / "broken.pem").string(), settings_.listeners[0].files.key};
  EXPECT_THAT(problem(fresh), ::testing::HasSubstr("broken.pem: not a chain of certificates"));
  fresh.listeners[0].files = {"/nowhere.pem", "/nowhere.key"};
  EXPECT_THAT(problem(fresh), ::testing::HasSubstr("/nowhere.pem"));
  fresh = settings_;
  fresh.listeners[0].websocket = true;
  EXPECT_THAT(problem(fresh), ::testing::HasSubstr("restart the gate"));
  for (int i = 0; i < 2; ++i) {
    Client& client = connect_tls();
    ASSERT_TRUE(until_frame(client, "hello"));
    EXPECT_EQ(test::name_of_peer(client.tls()), "first");
  }
}

TEST_F(FrontTls, AStartWithoutCertificatesSaysSo) {
  settings_.listeners[0].files.certificates = "/nowhere.pem";
  Front front(loop_, settings_, *this, limited_);
  const auto started = front.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), bus::Errc::bad_config);
  EXPECT_THAT(started.error().detail, ::testing::HasSubstr("/nowhere.pem"));
}

TEST_F(FrontTls, ATicketSparesTheCertificateAlsoAfterAReload) {
  start();
  Client& first = connect_tls();
  ASSERT_TRUE(until_frame(first, "hello"));
  SSL_SESSION* session = SSL_get1_session(first.tls());
  ASSERT_EQ(SSL_SESSION_is_resumable(session), 1);
  ASSERT_TRUE(front_->reload(settings_));
  Client& second = connect_tls(session);
  ASSERT_TRUE(until_frame(second, "hello"));
  EXPECT_EQ(SSL_session_reused(second.tls()), 1);
  SSL_SESSION_free(session);
}

TEST_F(FrontTls, HandshakesASecondWaitForTheirTurn) {
  settings_.limits.tls_per_second = 20;  // one at once: 50 ms each
  start();
  const auto since = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) connect_tls();
  ASSERT_TRUE(until([&] { return front_->admission().waiting_for_tls() > 0; }));
  for (const auto& client : clients_) EXPECT_TRUE(until_frame(*client, "hello"));
  EXPECT_GE(std::chrono::steady_clock::now() - since, std::chrono::milliseconds(100));
  EXPECT_EQ(front_->counters().tls_handshakes, 5U);
}

TEST_F(FrontTls, WhoGoesWhileItWaitsTakesNobodysTurn) {
  settings_.limits.tls_per_second = 20;
  start();
  for (int i = 0; i < 200; ++i) {
    Client& gone = connect();
    gone.say_now("\x16");
    loop_.poll();
    gone.reset();
  }
  Client& good = connect_tls();
  const auto since = std::chrono::steady_clock::now();
  EXPECT_TRUE(until_frame(good, "hello"));
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(5));
  EXPECT_EQ(front_->admission().waiting_for_tls(), 0U);
}

TEST_F(FrontTls, CutAtEveryByteOfAHandshake) {
  settings_.limits.tls_per_second = 1'000'000;
  start();
  // What a client says, as far as the gate's answer: the first flight of a handshake.
  const test::ClientTls recorder(SSL_new(context_.get()));
  BIO* said = BIO_new(BIO_s_mem());
  SSL_set_bio(recorder.get(), BIO_new(BIO_s_mem()), said);
  SSL_set_connect_state(recorder.get());
  SSL_do_handshake(recorder.get());
  std::string hello(BIO_ctrl_pending(said), '\0');
  ASSERT_EQ(BIO_read(said, hello.data(), static_cast<int>(hello.size())),
            static_cast<int>(hello.size()));
  for (std::size_t cut = 0; cut <= hello.size(); ++cut) {
    Client& client = connect();
    client.say_now(hello.substr(0, cut));
    loop_.poll();
    cut % 2 == 0 ? client.reset() : client.hang_up();
    if (cut % 50 == 0) clients_.clear();
  }
  ASSERT_TRUE(until([&] { return front_->admission().connections() == 0; }));
  EXPECT_TRUE(opened_.empty());
  Client& good = connect_tls();
  EXPECT_TRUE(until_frame(good, "hello"));
}

TEST_F(FrontTls, MuchThatWaitsGoesOutWholeAfterRoomComes) {
  settings_.limits.queue_bytes = 32_MiB;
  start();
  echoes_ = false;
  Client& client = connect_tls();
  ASSERT_TRUE(until([&] { return frames_ == 1; }));
  deaf_ = &client;
  std::string wanted;
  for (int i = 0; i < 300; ++i) {
    const std::string frame(static_cast<std::size_t>(i) * 300, static_cast<char>('a' + i % 26));
    wanted += length_frame(frame);
    ASSERT_TRUE(front_->send(last_opened(), body(frame)));
    loop_.poll();
  }
  EXPECT_GT(front_->queued_bytes(last_opened()), 0U);
  deaf_ = nullptr;
  ASSERT_TRUE(until([&] { return client.in().size() >= wanted.size(); }));
  EXPECT_TRUE(client.in() == wanted);
}

TEST_F(FrontTls, ALastWordGoesAfterARecordThatHasBegun) {
  settings_.limits.queue_bytes = 1_MiB;
  start();
  echoes_ = false;
  Client& client = connect();
  client.secure(context_.get());
  client.say(length_frame("hello"));
  ASSERT_TRUE(until([&] { return frames_ == 1; }));
  deaf_ = &client;
  const Body piece = body(std::string(1'000, 'x'));
  while (front_->send(last_opened(), piece)) loop_.poll();
  ASSERT_TRUE(until([&] { return !closed_.empty(); }));
  deaf_ = nullptr;
  ASSERT_TRUE(until([&] { return client.has_ended(); }));
  std::string frame = client.take_frame();
  while (frame.size() == 1'000) frame = client.take_frame();
  EXPECT_TRUE(frame.starts_with(test::refusal(CloseReason::too_slow)));
}

}  // namespace
}  // namespace starbus::nodes::gate::net
