/// The attacker has no identity yet: another user at busd's socket, or whoever reaches busroot's
/// port. It wants those who have one to be shut out, before it has said who it is.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <random>

#include "bus/core/wire/bundle.hpp"
#include "tests/attack/attack_fixture.hpp"
#include "tests/bus/io/raw_socket.hpp"

namespace starbus::attack {
namespace {

using bus::Errc;
using bus::io::test::raw_connect;
using bus::io::test::raw_write;
using namespace std::chrono_literals;

class BeforeHello : public AttackTest {
 protected:
  static bus::Bytes noise(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    bus::Bytes bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
  }
};

/// Some say nothing, some the half of a bundle, some what is no bundle.
TEST_F(BeforeHello, StrangersAtTheSocketKeepNobodyOut) {
  run(
      [this]() -> Task {
        Bus first(loop, cluster.node("a", "first"));
        CO_OK(co_await first.connect(use_awaitable));
        std::vector<bus::io::Fd> strangers;
        for (unsigned i = 0; i < as_many(300U, 10'000U); ++i) {
          strangers.push_back(raw_connect(door("a")));
          bus::Bytes bundle(bus::kBundleHeaderSize + 100);
          bus::seal_bundle(bundle, i + 1, 1, 0);
          bundle.resize(bus::kBundleHeaderSize + i % 100);
          if (i % 3 == 1) raw_write(strangers.back(), bundle);
          if (i % 3 == 2) raw_write(strangers.back(), noise(1 + i * 7, i));
          if (i % 50 == 0) co_await pass(1ms);
        }
        Bus second(loop, cluster.node("a", "second"));
        CO_OK(co_await second.connect(use_awaitable));
        bus::Handlers handlers = echo();
        CO_OK(co_await second.bind("entity/1", handlers, use_awaitable));
        EXPECT_EQ(co_await answer(first, "entity/1"), "who is there?");
        EXPECT_EQ(first.counters().connects, 1U);
      },
      30s);
}

/// A record that would be collected in memory until it is complete, or one of the bus' own.
TEST_F(BeforeHello, NothingButAHelloIsHeard) {
  run([this]() -> Task {
    Bus victim(loop, cluster.node("a", "victim"));
    CO_OK(co_await victim.connect(use_awaitable));
    for (int attempt = 0; attempt < 4; ++attempt) {
      Attacker evil(loop, attempt < 2 ? door("a") : root_door());
      if (attempt % 2 == 0) {
        evil.say(bus::Unbind{victim.self(), victim.self().channel(), bus::Epoch::of(1, 1)});
      } else {
        const bus::Bytes part(1'000, std::byte{1});
        bus::Bytes record;
        bus::encode_chunk({bus::Lane::bulk, true, false, 16'000'000, part}, record);
        evil.say_record(record);
      }
      EXPECT_TRUE(co_await until([&] { return evil.closed(); }));
      EXPECT_EQ(evil.reset(), Errc::bad_bytes);
    }
    EXPECT_EQ(victim.counters().connects, 1U);
  });
}

/// The port of busroot, with keys: a scanner, programs without a key, and keys that are not listed.
TEST(BeforeHandshake, StrangersAtThePortKeepNoHostOut) {
  bus::io::test::Loop loop;
  bus::io::ListenOptions options;
  options.keys = *bus::io::generate_curve_keys();
  const bus::io::CurveKeys honest = *bus::io::generate_curve_keys();
  options.allow = [&](std::string_view key) { return key == honest.public_key; };
  std::size_t refused = 0;
  options.on_refused = [&](const std::string&, const bus::Error&) { ++refused; };
  std::vector<std::shared_ptr<bus::io::Link>> accepted;
  const auto listener = bus::io::listen(loop.context, "tcp://127.0.0.1:0", options,
                                        [&](auto link) { accepted.push_back(std::move(link)); });
  ASSERT_TRUE(listener);
  const std::string port = "stream" + (*listener)->endpoint().substr(std::string("tcp").size());
  std::vector<bus::io::Fd> strangers;
  std::mt19937 random(1);
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(raw_connect(port));
    if (i % 2 == 0) continue;
    bus::Bytes bytes(1 + random() % 500);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    raw_write(strangers.back(), bytes);
  }
  bus::io::ConnectOptions client;
  client.server_key = options.keys.public_key;
  client.keys = *bus::io::generate_curve_keys();
  EXPECT_FALSE(loop.connect_to((*listener)->endpoint(), client));
  EXPECT_TRUE(accepted.empty());
  client.keys = honest;
  EXPECT_TRUE(loop.connect_to((*listener)->endpoint(), client));
  ASSERT_EQ(accepted.size(), 1U);
  EXPECT_EQ(accepted.front()->peer().key, honest.public_key);
  EXPECT_GE(refused, 1U);
}

}  // namespace
}  // namespace starbus::attack
