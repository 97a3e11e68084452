/// The parts of a Front that need no socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/gate/net/front_settings.hpp"
#include "nodes/gate/net/out_queue.hpp"
#include "nodes/gate/net/ticket_keys.hpp"
#include "nodes/gate/net/tls_context.hpp"
#include "nodes/gate/net/token_bucket.hpp"
#include "nodes/gate/net/ws_upgrade.hpp"
#include "tests/nodes/gate/net/client_frames.hpp"

namespace starbus::nodes::gate::net {
namespace {

using std::chrono::hours;

Body body_of(std::string_view text) {
  const bus::ByteView view = bus::as_bytes(text);
  return std::make_shared<const bus::Bytes>(view.begin(), view.end());
}

std::string all_of(const OutQueue& queue) {
  std::string text(queue.bytes(), '\0');
  EXPECT_EQ(queue.copy(std::as_writable_bytes(std::span(text))), text.size());
  return text;
}

TEST(OutQueueTest, PiecesAreTheSameWhereverAWriteStops) {
  OutQueue queue;
  for (const char* text : {"one", "", "three"}) queue.push(body_of(text), length_head(3));
  const std::string whole = all_of(queue);
  for (std::size_t sent = 0; sent <= whole.size(); ++sent) {
    std::array<iovec, 8> parts{};
    std::string gathered;
    const std::size_t count = queue.gather(parts);
    for (std::size_t i = 0; i < count; ++i) {
      gathered.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
    }
    EXPECT_EQ(gathered, whole.substr(sent));
    EXPECT_EQ(all_of(queue), whole.substr(sent));
    if (sent < whole.size()) queue.sent(1);
  }
  EXPECT_TRUE(queue.empty());
}

TEST(OutQueueTest, ADropKeepsWhatHasBegunOrIsPromised) {
  OutQueue queue;
  for (const char* text : {"one", "two", "six"}) queue.push(body_of(text), length_head(3));
  const std::string whole = all_of(queue);
  queue.sent(1);
  queue.promise(7);  // the rest of the first, and a byte of the second
  queue.drop_unsent();
  EXPECT_EQ(all_of(queue), whole.substr(1, 13));
  queue.sent(6);
  queue.drop_unsent();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(TokenBucketTest, ABurstAndThenTheRate) {
  TokenBucket::Time now{};
  TokenBucket bucket(2, now);
  EXPECT_TRUE(bucket.take(10, 2, now));
  EXPECT_TRUE(bucket.take(10, 2, now));
  EXPECT_FALSE(bucket.take(10, 2, now));
  now += bucket.wait(10, 2, now);
  EXPECT_TRUE(bucket.take(10, 2, now));
  EXPECT_FALSE(bucket.take(10, 2, now));
}

TEST(TicketKeysTest, KeysAreRotatedAndThenForgotten) {
  TicketKeys::Time now{};
  TicketKeys keys(kTicketKeyLife, [&now] { return now; });
  const TicketKeys::Key first = *keys.current();
  now += hours(11);
  EXPECT_EQ(keys.current()->name, first.name);
  now += hours(1);
  EXPECT_NE(keys.current()->name, first.name);
  ASSERT_NE(keys.find(first.name), nullptr);
  EXPECT_EQ(keys.find(first.name)->cipher, first.cipher);
  now += hours(12);
  EXPECT_EQ(keys.find(first.name), nullptr);
  const TicketKeys::Key third = *keys.current();
  now += hours(24);  // nobody came for long: the one before is too old
  EXPECT_EQ(keys.find(third.name), nullptr);
}

TEST(ProtocolListTest, AnEntryIsFoundWholeAndBeforeWhatIsMalformed) {
  using namespace std::string_view_literals;
  constexpr auto kWanted = "starbus/1"sv;
  constexpr auto kList = "\x08http/1.1\x09starbus/1\x02h2"sv;
  const auto found = find_protocol(kList, kWanted);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, kWanted);
  EXPECT_EQ(found->data(), kList.data() + 10) << "OpenSSL wants a place in the client's list";
  EXPECT_FALSE(find_protocol("", kWanted));
  EXPECT_FALSE(find_protocol("\x08starbus/", kWanted));
  EXPECT_FALSE(find_protocol("\x0cstarbus/1"sv, kWanted)) << "its length goes beyond the list";
  EXPECT_FALSE(find_protocol("\0\x09starbus/1"sv, kWanted)) << "an entry is not empty";
  EXPECT_TRUE(find_protocol("\x09starbus/1\xff"sv, kWanted));
}

TEST(UpgradeTest, TheExampleOfTheRfcIsAnsweredAsThere) {
  const UpgradeAnswer answer = answer_upgrade(test::upgrade_request(), {});
  EXPECT_EQ(answer.status, 101U);
  EXPECT_NE(answer.response.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
            std::string::npos);
  EXPECT_EQ(answer.response.find("Sec-WebSocket-Extensions"), std::string::npos);
}

TEST(UpgradeTest, WhatIsNotAllowedIsRefused) {
  const auto status = [](const std::string& request, const UpgradeRules& rules = {}) {
    return answer_upgrade(request, rules).status;
  };
  const auto with = [](std::string request, const std::string& old, const std::string& fresh) {
    request.replace(request.find(old), old.size(), fresh);
    return request;
  };
  const std::string good = test::upgrade_request();
  EXPECT_EQ(status(test::upgrade_request("/other")), 404U);
  EXPECT_EQ(status(test::upgrade_request("/play?x=1"), {"/play", {}}), 101U);
  EXPECT_EQ(status(with(good, "GET", "POST")), 426U);
  EXPECT_EQ(status(with(good, "HTTP/1.1", "HTTP/1.0")), 426U);
  EXPECT_EQ(status(with(good, "Upgrade: websocket", "Upgrade: h2c")), 426U);
  EXPECT_EQ(status(with(good, "Version: 13", "Version: 12")), 426U);
  EXPECT_EQ(status(with(good, "dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=")), 400U);
  EXPECT_EQ(status(with(good, "Host:", "Content-Length: 5\r\nHost:")), 400U);
  EXPECT_EQ(status("\r\n\r\n"), 400U);
}

TEST(UpgradeTest, BrowsersComeFromAllowedOriginsOnly) {
  const auto status = [](const std::string& origin, std::vector<std::string> origins) {
    const std::string fields = "Origin: " + origin + "\r\n";
    return answer_upgrade(test::upgrade_request("/", fields), {"/", std::move(origins)}).status;
  };
  EXPECT_EQ(status("https://play.example.org", {}), 101U);
  EXPECT_EQ(status("https://play.example.org:8443", {}), 101U);
  EXPECT_EQ(status("https://[::1]", {}), 403U);
  EXPECT_EQ(status("https://evil.example.org", {}), 403U);
  EXPECT_EQ(status("null", {}), 403U);
  EXPECT_EQ(status("https://Pages.example.org", {"https://pages.example.org"}), 101U);
  EXPECT_EQ(status("https://pages.example.org.evil", {"https://pages.example.org"}), 403U);
  EXPECT_EQ(status("https://play.example.org\r\nOrigin: https://evil", {}), 400U);
  EXPECT_EQ(status("https://anybody", {"*"}), 101U);
}

TEST(UpgradeTest, TheEndOfARequestIsFoundInAnyPieces) {
  const std::string request = test::upgrade_request();
  for (std::size_t cut = 0; cut < request.size(); ++cut) {
    const bus::ByteView bytes = bus::as_bytes(request);
    EXPECT_EQ(size_of_request(bytes.first(cut), 0), 0U);
    EXPECT_EQ(size_of_request(bytes, cut), request.size());
  }
}

class FrontSettingsTest : public ::testing::Test {
 protected:
  std::string problems(const std::string& text) {
    auto reader = daemon::ConfigReader::parse(text, "gate.toml");
    EXPECT_TRUE(reader);
    daemon::ConfigReader gate = reader->table("gate");
    settings_ = read_front_settings(gate);
    const auto finished = reader->finish();
    warnings_ = reader->warnings();
    return finished ? "" : finished.error().detail;
  }
  FrontSettings settings_;
  std::vector<std::string> warnings_;
};

TEST_F(FrontSettingsTest, PasswordsInTheClearAreWarnedOf) {
  EXPECT_EQ(problems("[[gate.listeners]]\naddress = '127.0.0.1:1'\ntls = false"), "");
  EXPECT_TRUE(warnings_.empty());
  EXPECT_EQ(problems("[[gate.listeners]]\naddress = '0.0.0.0:1'\ntls = false"), "");
  EXPECT_THAT(warnings_, ::testing::ElementsAre(::testing::HasSubstr("passwords")));
}

TEST_F(FrontSettingsTest, AllKeysAreRead) {
  EXPECT_EQ(problems(R"(
[[gate.listeners]]
address = "0.0.0.0:7001"
certificates = "/etc/gate.pem"
key = "/etc/gate.key"
proxy = true
reuse_port = true
[[gate.listeners]]
address = "[::]:7002"
tls = false
websocket = true
path = "/play"
origins = ["https://play.example.org"]
[gate.limits]
connections = 5
connections_per_address = 4
handshakes_at_once = 3
tls_per_second = 2
frames_per_second = 7
frame_burst = 8
queue = "2MiB"
memory = "5MiB"
handshake_time = "1s"
frame_time = "2s"
close_time = "3s"
heartbeat = "4s"
)"),
            "");
  ASSERT_EQ(settings_.listeners.size(), 2U);
  EXPECT_TRUE(settings_.listeners[0].tls && settings_.listeners[0].proxy);
  EXPECT_TRUE(settings_.listeners[0].reuse_port && !settings_.listeners[0].websocket);
  EXPECT_EQ(settings_.listeners[0].files, (TlsFiles{"/etc/gate.pem", "/etc/gate.key"}));
  EXPECT_EQ(settings_.listeners[1].address.to_string(), "[::]:7002");
  EXPECT_EQ(settings_.listeners[1].upgrade, (UpgradeRules{"/play", {"https://play.example.org"}}));
  EXPECT_EQ(settings_.limits.connections, 5U);
  EXPECT_EQ(settings_.limits.frame_burst, 8U);
  EXPECT_EQ(settings_.limits.memory_bytes, 5_MiB);
  EXPECT_EQ(settings_.limits.heartbeat, std::chrono::seconds(4));
}

TEST_F(FrontSettingsTest, ProblemsSayWhatToDo) {
  EXPECT_THAT(problems(""), ::testing::HasSubstr("add [[gate.listeners]]"));
  EXPECT_THAT(problems("[[gate.listeners]]\naddress = 'localhost'\ntls = false"),
              ::testing::HasSubstr("write \"0.0.0.0:7001\""));
  EXPECT_THAT(problems("[[gate.listeners]]\naddress = '0.0.0.0:1'"),
              ::testing::HasSubstr("'certificates'"));
  EXPECT_THAT(problems("[[gate.listeners]]\naddress = '0.0.0.0:1'\ntls = false\nwebsocket = true\n"
                       "path = 'x'\norigins = ['play.example.org/']"),
              ::testing::AllOf(::testing::HasSubstr("'path' must begin with '/'"),
                               ::testing::HasSubstr("is no origin")));
  const std::string one = "[[gate.listeners]]\naddress = '0.0.0.0:1'\ntls = false\n";
  EXPECT_THAT(problems(one + one), ::testing::HasSubstr("give each its own port"));
  EXPECT_THAT(problems(one + "path = '/'"), ::testing::HasSubstr("unknown key 'path'"));
}

TEST_F(FrontSettingsTest, ListenersAndOriginsAreBounded) {
  std::string text;
  for (std::uint64_t i = 0; i <= kListeners; ++i) {
    text += "[[gate.listeners]]\naddress = '0.0.0.0:" + std::to_string(i + 1) + "'\ntls = false\n";
  }
  EXPECT_THAT(problems(text), ::testing::HasSubstr("more than 16 listeners"));
  std::string origins;
  for (std::uint64_t i = 0; i <= kOrigins; ++i) origins += "'https://" + std::to_string(i) + "',";
  EXPECT_THAT(problems("[[gate.listeners]]\naddress = '0.0.0.0:1'\ntls = false\nwebsocket = true\n"
                       "origins = [" +
                       origins + "]"),
              ::testing::HasSubstr("'origins' has more than 64 entries"));
}

}  // namespace
}  // namespace starbus::nodes::gate::net
