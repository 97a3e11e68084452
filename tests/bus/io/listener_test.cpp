// Listening and connecting, over every scheme.

#include <sys/stat.h>

#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;

class EveryListener : public testing::TestWithParam<const char*> {
 protected:
  std::string scheme() const { return GetParam(); }
  bool local() const { return scheme() == "unix" || scheme() == "ipc"; }
};
INSTANTIATE_TEST_SUITE_P(Schemes, EveryListener, testing::Values("unix", "stream", "ipc", "tcp"),
                         [](const auto& test) { return std::string(test.param); });

/// Listeners with a socket file.
class LocalListener : public EveryListener {};
INSTANTIATE_TEST_SUITE_P(Schemes, LocalListener, testing::Values("unix", "ipc"),
                         [](const auto& test) { return std::string(test.param); });

/// Listeners that cannot encrypt.
class PlainListener : public EveryListener {};
INSTANTIATE_TEST_SUITE_P(Schemes, PlainListener, testing::Values("unix", "stream", "ipc"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EveryListener, OutlivesItsListener) {
  Pair pair;
  pair.listen(scheme());
  const auto endpoint = pair.listener->endpoint();
  const auto client = pair.connect();
  Recorder at_server;
  pair.accepted.back()->start(at_server);
  pair.listener.reset();
  client->send(make_bundle(1));
  EXPECT_TRUE(pair.loop.run_until([&] { return at_server.bundles == 1; }));
  const auto late = pair.loop.connect_to(endpoint);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::unreachable) << late.error().to_string();
}

TEST_P(EveryListener, RefusesASecondListener) {
  Pair pair;
  pair.listen(scheme());
  const auto second = listen(pair.loop.context, pair.listener->endpoint(), {}, [](auto) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::io_error);
  EXPECT_NE(pair.connect(), nullptr) << "the first is unharmed";
}

TEST_P(LocalListener, ReplacesAStaleSocketFileAndRemovesItsOwn) {
  Pair pair;
  const auto path = pair.dir.file("bus.sock");
  {
    // What a killed daemon leaves behind: a listener whose file outlives it.
    Loop other;
    auto dead = listen(other.context, scheme() + "://" + path, {}, [](auto) {});
    ASSERT_TRUE(dead);
    std::filesystem::create_hard_link(path, path + ".kept");
    dead->reset();
    std::filesystem::rename(path + ".kept", path);
  }
  ASSERT_TRUE(std::filesystem::exists(path));
  ListenOptions options;
  options.socket_mode = 0640;
  pair.listen(scheme(), options);
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_NE(pair.connect(), nullptr);
  pair.accepted.clear();
  pair.listener.reset();
  EXPECT_TRUE(std::filesystem::is_empty(std::filesystem::path(path).parent_path()));
}

TEST_P(LocalListener, LeavesTheFileOfItsSuccessor) {
  Pair pair;
  pair.listen(scheme());
  const auto path = pair.dir.file("bus.sock");
  std::filesystem::remove(path);
  auto successor = listen(pair.loop.context, scheme() + "://" + path, {}, [](auto) {});
  ASSERT_TRUE(successor);
  pair.listener.reset();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_P(EveryListener, ReportsThatNobodyListens) {
  Pair pair;
  const auto result = pair.loop.connect_to(local() ? scheme() + "://" + pair.dir.file("nobody")
                                                   : scheme() + "://127.0.0.1:1");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::unreachable) << result.error().to_string();
}

TEST_P(EveryListener, CanBeCancelledWhileItConnects) {
  Pair pair;
  pair.listen(scheme());
  bool called = false;
  auto attempt =
      connect(pair.loop.context, pair.listener->endpoint(), {}, [&](auto) { called = true; });
  EXPECT_FALSE(called) << "never inside";
  attempt.reset();
  pair.loop.settle();
  EXPECT_FALSE(called);
}

TEST_P(PlainListener, RefusesKeysWhereNothingIsEncrypted) {
  Pair pair;
  ListenOptions options;
  options.keys = *generate_curve_keys();
  const auto listener = listen(pair.loop.context, pair.address(scheme()), options, [](auto) {});
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().code, Errc::bad_config);
}

}  // namespace
}  // namespace starbus::bus::io
