// Roles and quotas: the library keeps them, and busd enforces them on who does not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "bus/core/session.hpp"
#include "bus/core/wire/version.hpp"
#include "bus/io/clock.hpp"
#include "bus/io/link.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

/// "node" may do everything; "gate" little; "slow" everything, slowly; "other" is for another user.
std::string roles() {
  const std::string me = "users = ['" + std::to_string(::getuid()) + "']\n";
  return "[[role]]\nname = 'node'\nbind = ['']\nsend = ['']\n" + me +
         "[[role]]\nname = 'gate'\nbind = ['gate/']\nsend = ['entity/']\nmax_names = 4\n" + me +
         "[[role]]\nname = 'slow'\nbind = ['']\nsend = ['']\nmessages_per_second = 2000\n" + me +
         "[[role]]\nname = 'other'\nbind = ['']\nsend = ['']\nusers = ['54321']\n";
}

/// A process that speaks the protocol, and does not care what it may do.
class RawNode final : public bus::io::LinkHandler, public bus::RecordHandler {
 public:
  RawNode(boost::asio::io_context& loop, const std::string& endpoint, const std::string& role)
      : session_(4711, bus::io::boot_now()) {
    bus::Hello hello;
    hello.minor = bus::kVersionMinor;
    hello.name = "raw";
    hello.role = role;
    hello.incarnation = 1;
    session_.say(hello);
    session_.say(bus::TableEnd{});
    connecting_ = bus::io::connect(loop, endpoint, {}, [this](auto link) {
      link_ = std::move(link).value();
      link_->start(*this);
      pump();
    });
  }
  ~RawNode() {
    if (link_) link_->close();
  }

  template <class Record>
  void say(const Record& record) {
    session_.say(record);
    pump();
  }
  const std::optional<bus::Welcome>& welcome() const { return welcome_; }
  const std::optional<bus::Reset>& reset() const { return reset_; }
  bool closed() const { return closed_; }

 private:
  void on_bundle(bus::io::Link&, bus::ByteView bundle) override {
    EXPECT_TRUE(session_.receive(bundle, bus::io::boot_now(), *this));
  }
  void on_batch_end(bus::io::Link&) override { pump(); }
  void on_closed(bus::io::Link&, const bus::Error&) override { closed_ = true; }
  bus::Result<> on_record(bus::Kind kind, bus::ByteView payload) override {
    if (kind == bus::Kind::welcome) welcome_ = bus::decode<bus::Welcome>(payload).value();
    if (kind == bus::Kind::reset) reset_ = bus::decode<bus::Reset>(payload).value();
    return {};
  }
  void pump() {
    session_.send_bundles(
        nothing_, [this] { return link_->take_buffer(); },
        [this](bus::Bytes bundle) { link_->send(std::move(bundle)); });
  }

  bus::Session session_;
  bus::SourceQueues nothing_;
  std::unique_ptr<bus::io::Connecting> connecting_;
  std::shared_ptr<bus::io::Link> link_;
  std::optional<bus::Welcome> welcome_;
  std::optional<bus::Reset> reset_;
  bool closed_ = false;
};

class AccessTest : public ClusterTest {
 protected:
  /// A raw node under the role "gate" does what `misbehave` says, and loses its session for it.
  template <class Misbehave>
  Task expect_denied(std::string reason, Misbehave misbehave) {
    RawNode node(loop, cluster.endpoint("a"), "gate");
    CO_TRUE(co_await until(5s, [&] { return node.welcome().has_value(); }));
    EXPECT_EQ(node.welcome()->send_prefixes, std::vector<std::string>{"entity/"});
    misbehave(node);
    CO_TRUE(co_await until(5s, [&] { return node.reset() && node.closed(); }));
    EXPECT_EQ(node.reset()->reason, Errc::denied);
    const std::string line = "a.raw: session ended: denied: role \"gate\" may not " + reason;
    CO_TRUE(co_await until(5s, [&] { return cluster.busd("a").log_lines_with(line) > 0; }));
  }

  Cluster cluster{{.roles = roles()}};
};

TEST_F(AccessTest, TheLibraryRefusesWhatTheRoleForbids) {
  run([this]() -> Task {
    Bus gate(loop, cluster.node("a", "gate-1", "gate"));
    CO_OK(co_await gate.connect(use_awaitable));
    const auto chat = gate.send("service/chat", "hello");
    CO_TRUE(!chat);
    EXPECT_EQ(chat.error().code, Errc::denied);
    const auto entity = co_await gate.bind("entity/1", bus::kNoHandlers, use_awaitable);
    CO_TRUE(!entity);
    EXPECT_EQ(entity.error().code, Errc::denied);

    Bus node(loop, cluster.node("b", "node"));
    CO_OK(co_await node.connect(use_awaitable));
    const auto echo = [](bus::Call& call) { (void)call.reply(call.body()); };
    const bus::Handlers handlers{.on_call = echo};
    CO_OK(co_await node.bind("entity/1", handlers, use_awaitable));
    CO_OK(co_await gate.call("entity/1", "allowed", {}, use_awaitable));

    // Its own process/ name counts.
    for (int i = 1; i < 4; ++i) {
      CO_OK(co_await gate.bind("gate/" + std::to_string(i), bus::kNoHandlers, use_awaitable));
    }
    const auto fifth = co_await gate.bind("gate/4", bus::kNoHandlers, use_awaitable);
    CO_TRUE(!fifth);
    EXPECT_EQ(fifth.error().code, Errc::too_many_names);
    CO_OK(co_await gate.unbind("gate/1", use_awaitable));
    CO_OK(co_await gate.bind("gate/4", bus::kNoHandlers, use_awaitable));
    EXPECT_EQ(gate.counters().connects, 1U);
  });
}

TEST_F(AccessTest, RolesOfOthersAreRefused) {
  run([this]() -> Task {
    for (const std::string role : {"other", "nonsense"}) {
      Bus node(loop, cluster.node("a", "node", role));
      const auto connected = co_await node.connect(use_awaitable);
      CO_TRUE(!connected);
      EXPECT_EQ(connected.error().code, Errc::unauthorized);
    }
  });
}

TEST_F(AccessTest, WhoIgnoresTheListLosesItsSession) {
  run([this]() -> Task {
    co_await expect_denied("send to service/chat", [](RawNode& node) {
      node.say(bus::Open{Lane::call, "service/chat"});
    });
    co_await expect_denied("probe a channel that it has not opened", [](RawNode& node) {
      node.say(bus::Probe{Lane::call, {}, bus::channel_id("service/chat"), 1});
    });
    // What it has opened in one lane is not open in another.
    co_await expect_denied("probe a channel that it has not opened", [](RawNode& node) {
      node.say(bus::Open{Lane::call, "entity/1"});
      node.say(bus::Probe{Lane::call, {}, bus::channel_id("entity/1"), 1});
      node.say(bus::Probe{Lane::bulk, {}, bus::channel_id("entity/1"), 1});
    });
    EXPECT_EQ(cluster.busd("a").json("/status")["counters"]["denied"], 3);
  });
}

TEST_F(AccessTest, AboveTheRateEverythingStillArrives) {
  run([this]() -> Task {
    constexpr std::uint32_t kCount = 8'000;  // the bucket holds a second's 2000
    Bus slow(loop, cluster.node("a", "slow", "slow"));
    Bus receiver(loop, cluster.node("b", "receiver"));
    CO_OK(co_await slow.connect(use_awaitable));
    CO_OK(co_await receiver.connect(use_awaitable));
    Ledger ledger(1);
    const bus::Handlers handlers = ledger.handlers();
    CO_OK(co_await receiver.bind("entity/1", handlers, use_awaitable));
    std::uint64_t sent = 0;
    const auto begin = std::chrono::steady_clock::now();
    co_await send_numbers(slow, "entity/1", Lane::call, 0, kCount, sent);
    CO_OK(co_await slow.flush(15s, use_awaitable));
    EXPECT_GT(std::chrono::steady_clock::now() - begin, 1s);
    EXPECT_EQ(ledger.of(0), kCount);
    EXPECT_EQ(ledger.wrong(), 0U);
    EXPECT_EQ(slow.counters().failed, 0U);
    EXPECT_GT(cluster.busd("a").json("/status")["counters"]["over_rate"], 0);
  });
}

}  // namespace
}  // namespace starbus::cluster_test
