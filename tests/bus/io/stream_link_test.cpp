// What only plain sockets can do to a link.

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <random>

#include "tests/bus/io/raw_socket.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

class StreamLinks : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Schemes, StreamLinks, testing::Values("unix", "stream"),
                         [](const auto& test) { return std::string(test.param); });

struct RawPair : Pair {
  Fd raw;
  Recorder at_server;
  void begin(const std::string& scheme) {
    listen(scheme);
    connect_raw();
  }
  void connect_raw() {
    const auto before = accepted.size();
    raw = raw_connect(listener->endpoint());
    ASSERT_TRUE(loop.run_until([&] { return accepted.size() > before; }));
    at_server = Recorder();
    accepted.back()->start(at_server);
  }
};

TEST_P(StreamLinks, JoinBundlesThatAreCutAnywhere) {
  RawPair pair;
  pair.begin(GetParam());
  Bytes stream = make_bundle(1, 50);
  const Bytes second = make_bundle(2, 40);
  stream.insert(stream.end(), second.begin(), second.end());
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    pair.at_server.bundles = 0;
    const auto batches = pair.at_server.batches;
    const ByteView whole(stream);
    if (cut > 0) {
      raw_write(pair.raw, whole.first(cut));
      ASSERT_TRUE(pair.loop.run_until([&] { return pair.at_server.batches > batches; }));
      EXPECT_EQ(pair.at_server.bundles, cut < 50 ? 0U : cut < stream.size() ? 1U : 2U);
    }
    raw_write(pair.raw, whole.subspan(cut));
    ASSERT_TRUE(pair.loop.run_until([&] { return pair.at_server.bundles == 2; }));
  }
  EXPECT_TRUE(pair.at_server.in_order);
  EXPECT_EQ(pair.at_server.closed, 0);
}

TEST_P(StreamLinks, TellThatThePeerEndedInsideABundle) {
  RawPair pair;
  pair.begin(GetParam());
  raw_write(pair.raw, ByteView(make_bundle(1, 100)).first(60));
  pair.raw = Fd();
  EXPECT_TRUE(pair.loop.run_until([&] { return pair.at_server.closed == 1; }));
  EXPECT_EQ(pair.at_server.reason.detail, "the peer ended the connection inside a bundle");
}

TEST_P(StreamLinks, SurviveGarbage) {
  RawPair pair;
  pair.listen(GetParam());
  std::minstd_rand random(1);
  for (int round = 0; round < 50; ++round) {
    pair.connect_raw();
    Bytes garbage(8 + random() % 5000);
    for (auto& byte : garbage) byte = static_cast<std::byte>(random());
    garbage[0] = std::byte{0};
    raw_write(pair.raw, garbage);
    ASSERT_TRUE(pair.loop.run_until([&] { return pair.at_server.closed == 1; }));
    EXPECT_EQ(pair.at_server.reason.code, Errc::bad_bytes);
    EXPECT_EQ(pair.at_server.bundles, 0U);
  }
}

TEST_P(StreamLinks, QueueWhatThePeerDoesNotReadAndDeliverItLater) {
  RawPair pair;
  pair.begin(GetParam());
  const auto server = pair.accepted.back();
  constexpr std::uint64_t kBundles = 20;
  constexpr std::size_t kSize = 100'000;  // more than socket buffers take, less than is too much
  for (std::uint64_t i = 1; i <= kBundles; ++i) server->send(make_bundle(i, kSize));
  pair.loop.settle(std::chrono::milliseconds(20));
  Bytes seen;
  Bytes part(256 * 1024);
  EXPECT_TRUE(pair.loop.run_until([&] {
    ssize_t size = 0;
    while ((size = ::recv(pair.raw.get(), part.data(), part.size(), MSG_DONTWAIT)) > 0) {
      seen.insert(seen.end(), part.begin(), part.begin() + size);
    }
    return seen.size() == kBundles * kSize;
  }));
  for (std::uint64_t i = 1; i <= kBundles; ++i) {
    const auto header = decode_bundle_header(ByteView(seen).subspan((i - 1) * kSize, kSize));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->number, i);
  }
}

TEST_P(StreamLinks, EndWithAPeerThatSendsAndNeverReads) {
  RawPair pair;
  pair.begin(GetParam());
  const auto server = pair.accepted.back();
  // What a link clock does not stop: it would grow without bound.
  const auto size = kMaxBundle / 2;
  for (std::uint64_t i = 1; i <= 1000; ++i) server->send(make_bundle(i, size));
  EXPECT_TRUE(pair.loop.run_until([&] { return pair.at_server.closed == 1; }));
  EXPECT_EQ(pair.at_server.reason.code, Errc::overloaded);
}

TEST_P(StreamLinks, HearTheLastWordsOfAPeerThatNoLongerListens) {
  RawPair pair;
  pair.begin(GetParam());
  raw_write(pair.raw, make_bundle(1));
  pair.raw = Fd();
  const auto server = pair.accepted.back();
  for (int i = 0; i < 5; ++i) server->send(make_bundle(1));  // the pipe breaks here, not on_closed
  EXPECT_EQ(pair.at_server.closed, 0);
  EXPECT_TRUE(pair.loop.run_until([&] { return pair.at_server.closed == 1; }));
  EXPECT_EQ(pair.at_server.bundles, 1U);
}

TEST_P(StreamLinks, ListenerWaitsOutAShortageOfDescriptors) {
  Pair pair;
  pair.listen(GetParam());
  Fd first = raw_connect(pair.listener->endpoint());
  ASSERT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 1; }));
  Fd second = raw_connect(pair.listener->endpoint());
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;  // every new descriptor is one too many
  ::setrlimit(RLIMIT_NOFILE, &none);
  pair.loop.settle(std::chrono::milliseconds(50));
  EXPECT_EQ(pair.accepted.size(), 1U);
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 2; }));
}

TEST(UnixLinks, TellTheProcessThatConnectedAndNoOtherOfItsNumber) {
  RawPair pair;
  pair.begin("unix");
  const auto own = pair.accepted.back()->open_process();
  ASSERT_TRUE(own);
  if (*own < 0) GTEST_SKIP() << "Linux before 6.5";
  const Fd living(*own);
  pollfd poll{living.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 0) << "this process";

  const pid_t child = ::fork();
  if (child == 0) {
    const Fd connected = raw_connect(pair.listener->endpoint());
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);  // from here on its number is free
  ASSERT_TRUE(pair.loop.run_until([&] { return pair.accepted.size() == 2; }));
  EXPECT_EQ(pair.accepted.back()->peer().pid, child);
  const auto ended = pair.accepted.back()->open_process();
  if (!ended) {
    EXPECT_EQ(ended.error().code, Errc::closed);
  } else {
    const Fd pidfd(*ended);
    poll = {pidfd.get(), POLLIN, 0};
    EXPECT_EQ(::poll(&poll, 1, 0), 1);
  }
  RawPair remote;
  remote.begin("stream");
  EXPECT_EQ(remote.accepted.back()->open_process().value(), -1);
}

}  // namespace
}  // namespace starbus::bus::io
