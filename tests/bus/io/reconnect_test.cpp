#include "bus/io/reconnect.hpp"

#include "bus/core/limits.hpp"
#include "tests/bus/io/support.hpp"

namespace starbus::bus::io {
namespace {

using namespace test;
using std::chrono::milliseconds;

TEST(Reconnect, TriesUntilSomebodyListens) {
  Pair pair;
  const auto endpoint = pair.address("unix");
  int failures = 0;
  std::shared_ptr<Link> link;
  Reconnect reconnect(
      pair.loop.context, {{endpoint, {}}}, [&](auto made) { link = std::move(made); },
      [&](const auto& target, const Error& why) {
        EXPECT_EQ(target.endpoint, endpoint);
        EXPECT_EQ(why.code, Errc::unreachable);
        ++failures;
      });
  reconnect.start();
  EXPECT_TRUE(pair.loop.run_until([&] { return failures == 1; }));
  pair.listen("unix");
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));

  // The link was short-lived: the pause goes on growing.
  link.reset();
  const auto pause = reconnect.next_pause();
  EXPECT_GT(pause, kReconnectFirst);
  for (int i = 0; i < 5; ++i) reconnect.again();
  EXPECT_EQ(reconnect.next_pause(), std::min(2 * pause, kReconnectLocal));
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));
}

TEST(Reconnect, BacksOffToABound) {
  Loop loop;
  const std::string nobody = "stream://127.0.0.1:1";
  std::vector<milliseconds> pauses;
  Reconnect* self = nullptr;
  Reconnect reconnect(
      loop.context, {{nobody, {}}}, [](auto) {},
      [&](const auto&, const Error&) { pauses.push_back(self->next_pause()); }, [] { return 0.0; });
  self = &reconnect;
  reconnect.start();
  EXPECT_TRUE(loop.run_until([&] { return pauses.size() == 8; }));
  const milliseconds first = kReconnectFirst;
  // Short ones for as long as a daemon takes that is replaced in place.
  const milliseconds quick = 2 * first;
  EXPECT_EQ(pauses, (std::vector{first, quick, quick, quick, quick, quick, 4 * first, 8 * first}));
  for (int i = 0; i < 20; ++i) reconnect.again();
  EXPECT_EQ(reconnect.next_pause(), kReconnectLongest);
}

TEST(Reconnect, KnocksOftenAtASocketOfThisHost) {
  Loop loop;
  TempDir dir;
  Reconnect reconnect(
      loop.context, {{"unix://" + dir.file("nobody"), {}}}, [](auto) {},
      [](const auto&, const Error&) {});
  for (int i = 0; i < 20; ++i) reconnect.again();
  EXPECT_EQ(reconnect.next_pause(), kReconnectLocal);
}

TEST(Reconnect, BeginsAnewWhenTheLinkLastedLongerThanWasWaitedForIt) {
  Pair pair;
  const auto endpoint = pair.address("unix");
  std::shared_ptr<Link> link;
  int failures = 0;
  Reconnect reconnect(
      pair.loop.context, {{endpoint, {}}}, [&](auto made) { link = std::move(made); },
      [&](const auto&, const Error&) { ++failures; });
  reconnect.start();
  EXPECT_TRUE(pair.loop.run_until([&] { return failures == 3; }));
  pair.listen("unix");
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));
  pair.loop.settle(milliseconds(200));
  link.reset();
  reconnect.again();
  EXPECT_EQ(reconnect.next_pause(), 2 * kReconnectFirst);
}

TEST(Reconnect, TriesTheNextTargetOfARoundWithoutPause) {
  Pair pair;
  pair.listen("unix");
  std::shared_ptr<Link> link;
  std::vector<std::string> failed;
  Reconnect reconnect(
      pair.loop.context,
      {{"unix://" + pair.dir.file("nobody"), {}}, {pair.listener->endpoint(), {}}},
      [&](auto made) { link = std::move(made); },
      [&](const auto& target, const Error&) { failed.push_back(target.endpoint); });
  reconnect.start();
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));
  EXPECT_EQ(failed.size(), 1U);
  EXPECT_EQ(reconnect.next_pause(), kReconnectFirst);
  link.reset();
  reconnect.again();
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));
  EXPECT_EQ(failed.size(), 1U) << "the target that worked comes first";
}

TEST(Reconnect, TriesBothServerKeysDuringARotation) {
  Pair pair;
  ListenOptions options;
  options.keys = *generate_curve_keys();
  options.allow = [](std::string_view) { return true; };
  pair.listen("tcp", options);
  ConnectOptions past;
  past.keys = *generate_curve_keys();
  past.server_key = generate_curve_keys()->public_key;
  ConnectOptions present = past;
  present.server_key = options.keys.public_key;
  std::shared_ptr<Link> link;
  std::vector<Error> failures;
  Reconnect reconnect(
      pair.loop.context, {{pair.listener->endpoint(), past}, {pair.listener->endpoint(), present}},
      [&](auto made) { link = std::move(made); },
      [&](const auto&, const Error& why) { failures.push_back(why); });
  reconnect.start();
  EXPECT_TRUE(pair.loop.run_until([&] { return link != nullptr; }));
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].code, Errc::unauthorized) << failures[0].to_string();
}

TEST(Reconnect, SaysNothingAfterStopAndMayDieInItsCallbacks) {
  Pair pair;
  pair.listen("unix");
  int calls = 0;
  auto reconnect = std::make_unique<Reconnect>(
      pair.loop.context, std::vector<Reconnect::Target>{{pair.listener->endpoint(), {}}},
      [&](auto) { ++calls; }, [&](const auto&, const Error&) { ++calls; });
  reconnect->start();
  reconnect->stop();
  reconnect->again();
  reconnect->stop();
  pair.loop.settle();
  EXPECT_EQ(calls, 0);

  std::unique_ptr<Reconnect> dying;
  dying = std::make_unique<Reconnect>(
      pair.loop.context, std::vector<Reconnect::Target>{{"unix://" + pair.dir.file("nobody"), {}}},
      [](auto) {}, [&](const auto&, const Error&) { dying.reset(); });
  dying->start();
  EXPECT_TRUE(pair.loop.run_until([&] { return dying == nullptr; }));
  pair.loop.settle(milliseconds(50));
}

}  // namespace
}  // namespace starbus::bus::io
