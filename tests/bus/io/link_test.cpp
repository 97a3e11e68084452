// What holds for links of every kind.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/post.hpp>

#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

class EveryLink : public testing::TestWithParam<const char*> {
 protected:
  std::string scheme() const { return GetParam(); }
  bool local() const { return scheme() == "unix" || scheme() == "ipc"; }
};
INSTANTIATE_TEST_SUITE_P(Schemes, EveryLink, testing::Values("unix", "stream", "ipc", "tcp"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EveryLink, KeepsTheOrderOfManyBundlesBothWays) {
  constexpr std::uint64_t kMany = 100'000;
  constexpr std::uint64_t kAhead = 2'000;  // what a link clock would allow
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  const auto server = pair.accepted.back();
  Recorder at_client;
  Recorder at_server;
  std::uint64_t sent = 0;
  const auto pump = [&] {
    const auto arrived = std::min(at_client.bundles, at_server.bundles);
    for (; sent < kMany && sent < arrived + kAhead;) {
      ++sent;
      client->send(make_bundle(sent, 32 + sent % 200));
      server->send(make_bundle(sent, 32 + sent % 300));
    }
  };
  at_client.then = at_server.then = [&](Link&, ByteView) { pump(); };
  client->start(at_client);
  server->start(at_server);
  pump();
  EXPECT_TRUE(pair.loop.run_until(
      [&] { return at_client.bundles == kMany && at_server.bundles == kMany; }));
  EXPECT_TRUE(at_client.in_order);
  EXPECT_TRUE(at_server.in_order);
  EXPECT_GT(at_server.batches, 0U);
}

TEST_P(EveryLink, CarriesTheLargestBundle) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_server;
  at_server.then = [](Link&, ByteView bundle) {
    EXPECT_EQ(bundle.back(), bundle[kBundleHeaderSize]);
  };
  pair.accepted.back()->start(at_server);
  for (std::uint64_t i = 1; i <= 40; ++i) {
    client->send(make_bundle(i, kMaxBundle - (i % 3)));
    if (i % 8 == 0) {
      EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == i; }));
    }
  }
  EXPECT_TRUE(at_server.in_order);
}

TEST_P(EveryLink, DeliversWhatWasQueuedBeforeTheReaderStarted) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  for (std::uint64_t i = 1; i <= 100; ++i) client->send(make_bundle(i, 10'000));
  pair.loop.settle();
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 100; }));
  EXPECT_TRUE(at_server.in_order);
}

TEST_P(EveryLink, TellsTheOtherSideOnceWhenClosed) {
  Pair pair;
  pair.listen(scheme());
  for (const bool client_closes : {true, false}) {
    auto client = pair.connect();
    auto server = pair.accepted.back();
    auto& closing = client_closes ? client : server;
    auto& staying = client_closes ? server : client;
    Recorder at_closing;
    Recorder at_staying;
    closing->start(at_closing);
    staying->start(at_staying);
    closing->send(make_bundle(1));
    closing->close();
    closing->close();
    closing->send(make_bundle(2));
    EXPECT_TRUE(pair.loop.run_until([&] { return at_staying.closed == 1; }));
    EXPECT_EQ(at_staying.bundles, 1U) << "the last words arrive before the end";
    EXPECT_EQ(at_staying.reason.code, Errc::io_error);
    staying->send(make_bundle(1));
    pair.loop.settle(std::chrono::milliseconds(30));
    EXPECT_EQ(at_staying.closed, 1);
    EXPECT_EQ(at_closing.closed, 0);
  }
}

TEST_P(EveryLink, MayBeClosedAndDroppedInsideItsCallbacks) {
  Pair pair;
  pair.listen(scheme());
  for (const bool drop : {false, true}) {
    const auto client = pair.connect();
    Recorder at_client;
    Recorder at_server;
    at_server.then = [&](Link& link, ByteView) {
      if (drop) {
        pair.accepted.clear();
      } else {
        link.close();
      }
    };
    client->start(at_client);
    pair.accepted.back()->start(at_server);
    for (std::uint64_t i = 1; i <= 10; ++i) client->send(make_bundle(i));
    EXPECT_TRUE(pair.loop.run_until([&] { return at_client.closed == 1; }));
    if (!drop) {
      EXPECT_EQ(at_server.bundles, 1U);
    }
    EXPECT_EQ(at_server.closed, 0);
  }
}

TEST_P(EveryLink, LetsOtherWorkPassBetweenBundlesWhenItsHandlerHasEnough) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_client;
  Recorder at_server;
  std::string order;
  at_server.has_enough = true;
  at_server.then = [&](Link&, ByteView) {
    order += 'b';
    boost::asio::post(pair.loop.context, [&] { order += 'w'; });
  };
  client->start(at_client);
  for (std::uint64_t i = 1; i <= 5; ++i) client->send(make_bundle(i));
  pair.loop.settle(std::chrono::milliseconds(20));  // all of them are at the server's end
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(pair.loop.run_until([&] { return order.size() == 10; }));
  EXPECT_EQ(order, "bwbwbwbwbw");
  EXPECT_EQ(at_server.batches, 5U);
  EXPECT_TRUE(at_server.in_order);
  client->send(make_bundle(6));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 6; })) << "it reads on";
}

TEST_P(EveryLink, GivesABundleAgainThatWasTakenInPart) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_client;
  Recorder at_server;
  at_server.pauses = 3;
  client->start(at_client);
  pair.accepted.back()->start(at_server);
  for (std::uint64_t i = 1; i <= 5; ++i) client->send(make_bundle(i, 100 * i));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 5; }));
  EXPECT_EQ(at_server.pauses, 0);
  EXPECT_GT(at_server.batches, 3U) << "each part ends a batch";
  EXPECT_TRUE(at_server.in_order);
  EXPECT_EQ(at_server.bytes, 100U + 200U + 300U + 400U + 500U);
}

TEST_P(EveryLink, HandsOverWhenTheTurnComes) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_client;
  Recorder at_server;
  at_server.must_wait = true;
  client->start(at_client);
  pair.accepted.back()->start(at_server);
  for (std::uint64_t i = 1; i <= 5; ++i) client->send(make_bundle(i));
  pair.loop.settle(std::chrono::milliseconds(50));
  EXPECT_EQ(at_server.bundles, 0U);
  pair.accepted.back()->send(make_bundle(1));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_client.bundles == 1; })) << "it writes";
  pair.accepted.back()->go_on();
  pair.loop.settle(std::chrono::milliseconds(20));
  EXPECT_EQ(at_server.bundles, 0U) << "asked again, it still has to wait";
  at_server.must_wait = false;
  pair.accepted.back()->go_on();
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 5; }));
  EXPECT_TRUE(at_server.in_order);
}

TEST_P(EveryLink, MayBeDroppedWhileItsHandlerHasEnough) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_client;
  Recorder at_server;
  at_server.has_enough = true;
  at_server.then = [&](Link&, ByteView) {
    boost::asio::post(pair.loop.context, [&] { pair.accepted.clear(); });
  };
  client->start(at_client);
  for (std::uint64_t i = 1; i <= 5; ++i) client->send(make_bundle(i));
  pair.loop.settle(std::chrono::milliseconds(20));
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(pair.loop.run_until([&] { return at_client.closed == 1; }));
  EXPECT_EQ(at_server.bundles, 1U);
  EXPECT_EQ(at_server.closed, 0);
}

TEST_P(EveryLink, MayBeDroppedInsideOnClosed) {
  struct Dropper final : LinkHandler {
    std::shared_ptr<Link> link;
    int closed = 0;
    void on_bundle(Link&, ByteView) override {}
    void on_batch_end(Link&) override {}
    void on_closed(Link&, const Error&) override {
      ++closed;
      link.reset();
    }
  };
  Pair pair;
  pair.listen(scheme());
  Dropper at_client;
  at_client.link = pair.connect();
  at_client.link->start(at_client);
  pair.accepted.clear();
  EXPECT_TRUE(pair.loop.run_until([&] { return at_client.closed == 1; }));
  EXPECT_EQ(at_client.link, nullptr);
}

TEST_P(EveryLink, NamesThePeerAsTheKernelDoes) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  for (const auto& link : {client, pair.accepted.back()}) {
    EXPECT_EQ(link->peer().pid, local() ? ::getpid() : 0);
    EXPECT_TRUE(link->peer().key.empty());
    if (local()) {
      EXPECT_EQ(link->peer().uid, ::getuid());
      EXPECT_EQ(link->peer().gid, ::getgid());
      std::vector<gid_t> groups(static_cast<std::size_t>(::getgroups(0, nullptr)));
      ::getgroups(static_cast<int>(groups.size()), groups.data());
      EXPECT_EQ(link->peer().groups, groups);
      EXPECT_EQ(link->peer().address, "pid " + std::to_string(::getpid()));
    } else {
      EXPECT_TRUE(link->peer().address.starts_with("127.0.0.1:")) << link->peer().address;
    }
  }
}

TEST_P(EveryLink, EndsOnBytesThatAreNoBundleAndSparesTheOthers) {
  Pair pair;
  pair.listen(scheme());
  const auto good = pair.connect();
  Recorder at_good;
  pair.accepted.back()->start(at_good);
  const auto header_with = [](std::size_t at, std::byte value) {
    Bytes bundle = make_bundle(1, 64);
    bundle[at] = value;
    return bundle;
  };
  const auto with_length = [](std::uint32_t length) {
    Bytes bundle = make_bundle(1, 64);
    store(bundle.data() + 4, length);
    return bundle;
  };
  const std::vector<std::pair<Bytes, Errc>> hostile = {
      {Bytes(64, std::byte{0xEE}), Errc::bad_bytes},
      {header_with(0, std::byte{0}), Errc::bad_bytes},
      {header_with(2, std::byte{9}), Errc::version_mismatch},
      {with_length(0), Errc::bad_bytes},
      {with_length(31), Errc::bad_bytes},
      {with_length(kMaxBundle + 1), Errc::bad_bytes},
      {with_length(0xFFFFFFFF), Errc::bad_bytes}};
  for (const auto& [bytes, expected] : hostile) {
    const auto bad = pair.connect();
    Recorder at_bad;
    pair.accepted.back()->start(at_bad);
    bad->send(bytes);
    EXPECT_TRUE(pair.loop.run_until([&] { return at_bad.closed == 1; }));
    EXPECT_EQ(at_bad.reason.code, expected);
    EXPECT_EQ(at_bad.bundles, 0U);
  }
  good->send(make_bundle(1));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_good.bundles == 1; }));
  EXPECT_EQ(at_good.closed, 0);
}

TEST_P(EveryLink, SeesTheDeathOfTheProcessOnce) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::array<char, 256> name{};
    if (::read(ends[0], name.data(), name.size() - 1) <= 0) ::_exit(1);
    Loop loop;
    const auto link = loop.connect_to(name.data());
    if (!link) ::_exit(2);
    (*link)->send(make_bundle(1, 5000));
    loop.settle(std::chrono::hours(1));
    ::_exit(3);
  }
  Pair pair;
  pair.listen(scheme());
  const auto endpoint = pair.listener->endpoint();
  ASSERT_GT(::write(ends[1], endpoint.data(), endpoint.size()), 0);
  ASSERT_TRUE(pair.loop.run_until([&] { return !pair.accepted.empty(); }));
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  if (local()) {
    EXPECT_EQ(pair.accepted.back()->peer().pid, child);
  }
  ::kill(child, SIGKILL);
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.closed == 1; }));
  pair.loop.settle(std::chrono::milliseconds(50));
  EXPECT_EQ(at_server.closed, 1);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(EveryLink, RecyclesBuffers) {
  Pair pair;
  pair.listen(scheme());
  const auto client = pair.connect();
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  EXPECT_TRUE(client->take_buffer().empty());
  client->send(make_bundle(1, 50'000));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  Bytes buffer;
  EXPECT_TRUE(pair.loop.run_until([&] {
    buffer = client->take_buffer();
    return buffer.capacity() > 0;
  }));
  EXPECT_TRUE(buffer.empty());
  EXPECT_GE(buffer.capacity(), 50'000U);
}

}  // namespace
}  // namespace starbus::bus::io
