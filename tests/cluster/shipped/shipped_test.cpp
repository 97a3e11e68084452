// The attackers of docs/design/threat-model.md against real daemons, as they are shipped: with the
// roles of deploy/config for the systemd units, and with those that scripts/up writes. Each test is
// one program that once succeeded; now it gets a typed refusal, and its victims notice nothing.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/file_descriptor.hpp"
#include "bus/client/envelope.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/routers/limits.hpp"
#include "bus/core/wire/post_head.hpp"
#include "bus/core/wire/record_replies.hpp"
#include "bus/core/wire/record_shards.hpp"
#include "bus/core/wire/record_watches.hpp"
#include "bus/io/key_file.hpp"
#include "tests/attack/attacker.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using attack::Attacker;
using attack::kHighest;
using bus::Epoch;

/// The two ways in which a cluster is set up.
enum class Shipping : std::uint8_t { deployed, up };

std::string text_of(const std::string& file) {
  std::ifstream stream(source_file(file));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The part of a file from one text to another.
std::string part_of(const std::string& file, const std::string& from, const std::string& to) {
  const std::string text = text_of(file);
  const std::size_t begin = text.find(from);
  const std::size_t end = text.find(to, begin);
  EXPECT_NE(end, std::string::npos) << file << " has no part from " << from << " to " << to;
  return begin == std::string::npos ? "" : text.substr(begin, end - begin);
}

void substitute(std::string& text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
}

/// Users of the shipped roles, which this machine need not have.
constexpr std::uint32_t kNode = 2'107;
constexpr std::uint32_t kGate = 2'103;
constexpr std::uint32_t kLogin = 2'105;

std::string roles_of(Shipping shipping) {
  if (shipping == Shipping::up) {
    std::string roles = part_of("scripts/up", "[[role]]", "[mail]");
    substitute(roles, "$(id -u)", std::to_string(::getuid()));
    return roles;
  }
  std::string roles = part_of("deploy/config/busd.toml", "\n[[role]]", "# Mail that waits");
  std::uint32_t other = 2'200;
  for (const char* name : {"manager", "db", "space", "service"}) {
    substitute(roles, "\"starbus-" + std::string(name) + "\"", '"' + std::to_string(++other) + '"');
  }
  substitute(roles, "\"starbus-gate\"", '"' + std::to_string(kGate) + '"');
  substitute(roles, "\"starbus-login\"", '"' + std::to_string(kLogin) + '"');
  substitute(roles, "\"starbus-node\"", '"' + std::to_string(kNode) + '"');
  return roles;
}

ClusterOptions options_of(Shipping shipping) {
  ClusterOptions options;
  options.curve = true;
  options.roles = roles_of(shipping);
  options.more = {{"a", "[mail]\nshards = ['0-127']\n"}, {"b", "[mail]\nshards = ['128-255']\n"}};
  return options;
}

/// Whether somebody listens at a socket, whose file may be that of a daemon that was killed.
bool listens(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

class ShippedTest : public ClusterTest, public ::testing::WithParamInterface<Shipping> {
 protected:
  ShippedTest() : cluster(options_of(GetParam())) { open_doors(); }
  void SetUp() override {
    if (deployed() && ::geteuid() != 0) GTEST_SKIP() << "only root can be the users of the roles";
  }
  static bool deployed() { return GetParam() == Shipping::deployed; }
  /// Every user may connect, as every user of the socket's group may.
  void open_doors() const {
    ::chmod(cluster.folder().c_str(), 0711);
    for (const char* host : {"a", "b"}) ::chmod(cluster.socket(host).c_str(), 0666);
  }
  /// A process on host a that was taken over; deployed it has the role of this user.
  std::unique_ptr<Attacker> evil(const std::string& name = "evil",
                                 const std::vector<bus::Row>& rows = {},
                                 std::uint32_t user = kNode) {
    const std::uint32_t uid = deployed() ? user : ::geteuid();
    auto attacker = std::make_unique<Attacker>(loop, cluster.endpoint("a"), uid);
    attacker->enter_as_node("a", name, rows);
    return attacker;
  }
  /// The owner, on host b, of entity/greeter, and a caller on host a.
  boost::asio::awaitable<bus::Result<bus::Bound>> begin(bus::Handlers handlers) {
    for (Bus* each : {&owner, &caller}) {
      if (const auto connected = co_await each->connect(use_awaitable); !connected) {
        co_return connected.error();
      }
    }
    co_return co_await owner.bind("entity/greeter", handlers, use_awaitable);
  }
  static bus::Handlers echo() {
    bus::Handlers handlers;
    handlers.on_call = [](bus::Call& call) { (void)call.reply(call.body()); };
    return handlers;
  }
  Task expect_served(int calls = 5) {
    for (int i = 0; i < calls; ++i) {
      const auto reply = co_await caller.call("entity/greeter", "who?", {}, use_awaitable);
      CO_OK(reply);
      EXPECT_EQ(bus::as_text(*reply), "who?");
    }
    EXPECT_EQ(owner.counters().connects, 1U);
    EXPECT_EQ(caller.counters().connects, 1U);
    EXPECT_EQ(cluster.busd("a").log_lines_with("session with busroot ended"), 0U);
  }
  Task pass(std::chrono::milliseconds time) {
    boost::asio::steady_timer timer(loop, time);
    co_await timer.async_wait(use_awaitable);
  }
  /// What a watch shows to any process whose role may watch.
  boost::asio::awaitable<bus::Lineage> lineage_of(Attacker& watcher, const std::string& name) {
    watcher.say(bus::Watch{name});
    bus::Lineage lineage;
    EXPECT_TRUE(co_await until([&] {
      for (const auto& rows : watcher.heard<bus::WatchRows>()) {
        for (const auto& row : rows.rows) {
          if (row.name == name) lineage = row.lineage;
        }
      }
      return bool(lineage);
    }));
    co_return lineage;
  }

  Cluster cluster;
  Bus owner{loop, cluster.node("b", "owner")};
  Bus caller{loop, cluster.node("a", "caller")};
};

/// It lists the channel in its table, under an epoch that was never granted.
TEST_P(ShippedTest, ARowOfAForeignChannelEndsTheSession) {
  run([this]() -> Task {
    CO_OK(co_await begin(echo()));
    for (int i = 0; i < (long_runs() ? 200 : 2); ++i) {
      const auto liar = evil("evil", {attack::row("entity/greeter", Epoch::of(1, kHighest))});
      CO_TRUE(co_await until([&] { return liar->closed(); }));
      EXPECT_EQ(liar->reset(), Errc::bad_bytes);
      EXPECT_TRUE(liar->messages().empty());
      const auto bound = co_await caller.bind("entity/greeter", bus::kNoHandlers, use_awaitable);
      EXPECT_EQ(bound.error(), Errc::already_bound);
      EXPECT_NE(bound.error().detail.find("b.owner"), std::string::npos);
    }
    co_await expect_served();
  });
}

/// It answers a call that another process was asked, under numbers near the incarnation of the
/// caller, which each watcher sees.
TEST_P(ShippedTest, ForgedRepliesAreCountedAndNotBelieved) {
  const std::uint64_t guesses = long_runs() ? 1'000'000 : 10'000;
  run(
      [&, this]() -> Task {
        std::vector<bus::Responder> held;
        bus::Handlers slow;
        slow.on_call = [&](bus::Call& call) { held.push_back(call.responder()); };
        CO_OK(co_await begin(std::move(slow)));
        const auto liar = evil();
        const bus::Lineage lineage = co_await lineage_of(*liar, "process/a.caller");
        std::string answer;
        bus::CallOptions patient;
        patient.deadline = 100s;
        caller.call("entity/greeter", "", patient, [&](const bus::Result<bus::Bytes>& reply) {
          answer = reply ? std::string(bus::as_text(*reply)) : reply.error().to_string();
        });
        CO_TRUE(co_await until([&] { return held.size() == 1; }));
        bus::Envelope envelope;
        envelope.kind = bus::EnvelopeKind::reply;
        bus::Bytes message;
        for (std::uint64_t sent = 0; sent < guesses; ++sent) {
          envelope.call = caller.self().incarnation + sent + 1;
          encode_envelope(envelope, message);
          for (const char letter : std::string_view("forged")) {
            message.push_back(static_cast<std::byte>(letter));
          }
          liar->say_message("process/a.caller", message, sent + 1, lineage);
          if (sent % 1'000 == 999) co_await pass(1ms);
        }
        CO_TRUE(co_await until([&] { return caller.counters().replies_unknown >= guesses / 10; }));
        EXPECT_EQ(answer, "");
        CO_OK(held.at(0).reply("the greeter"));
        CO_TRUE(co_await until([&] { return !answer.empty(); }));
        EXPECT_EQ(answer, "the greeter");
      },
      long_runs() ? 300s : 30s);
}

/// It lists the channel as its frozen copy, and acknowledges what nobody has handled.
TEST_P(ShippedTest, AMadeUpFrozenCopyAcknowledgesNothing) {
  run([this]() -> Task {
    std::size_t handled = 0;
    bus::Handlers handlers;
    handlers.on_message = [&](bus::Message&) { ++handled; };
    const auto bound = co_await begin(std::move(handlers));
    CO_OK(bound);
    CO_OK(caller.send("entity/greeter", "first"));
    CO_TRUE(co_await until([&] { return caller.counters().acknowledged == 1; }));
    cluster.busd("b").stop();
    CO_OK(caller.send("entity/greeter", "second"));
    const bus::Process self{bus::host_id("a"), bus::slot_id("copy"), 1};
    const bus::Ticket ticket{self, owner.self(), 9};
    const auto copy =
        evil("copy", {attack::row("entity/greeter", bound->epoch, bus::RowState::frozen, ticket)});
    CO_TRUE(co_await until([&] { return copy->welcome() || copy->closed(); }));
    for (const std::uint64_t last : {std::uint64_t{2}, ~std::uint64_t{0}}) {
      copy->say(bus::Ack{Lane::call, caller.self(), bus::channel_id("entity/greeter"), bound->epoch,
                         last});
    }
    co_await pass(300ms);
    EXPECT_EQ(caller.counters().acknowledged, 1U);
    cluster.busd("b").cont();
    CO_TRUE(co_await until([&] { return caller.counters().acknowledged == 2; }));
    EXPECT_EQ(handled, 2U);
  });
}

/// A kind that all nodes watch grows beyond what a watch can show.
TEST_P(ShippedTest, ManyNamesEndNoWatch) {
  run(
      [this]() -> Task {
        CO_OK(co_await begin(echo()));
        std::vector<bus::Error> refusals;
        std::size_t seen = 0;
        const auto watch = owner.watch(
            "node/", [&](const bus::WatchUpdate& update) { seen += update.changes.size(); },
            [&](const bus::Error& why) { refusals.push_back(why); });
        CO_OK(watch);
        std::vector<std::unique_ptr<Attacker>> floods;
        const std::size_t names = deployed() ? 10'001 : bus::kMaxWatchRows + 1;
        for (int i = 0; i < (long_runs() ? 20 : 1); ++i) {
          std::vector<bus::Row> rows;
          for (std::size_t n = 1; n <= names; ++n) {
            rows.push_back(attack::row("node/x" + std::to_string(n), Epoch::of(0, n)));
          }
          floods.push_back(evil("gate-" + std::to_string(i), rows, kGate));
        }
        if (deployed()) {
          CO_TRUE(co_await until([&] { return floods.back()->closed(); }));
          EXPECT_EQ(floods.back()->reset(), Errc::too_many_names);
        } else {
          CO_TRUE(co_await until([&] { return floods.back()->welcome(); }));
          co_await pass(1s);
        }
        const std::size_t before = seen;
        const bus::Handlers handlers = echo();
        CO_OK(co_await owner.bind("node/b.owner", handlers, use_awaitable));
        CO_TRUE(co_await until([&] { return seen > before; }));
        EXPECT_TRUE(refusals.empty()) << refusals.front().to_string();
        co_await expect_served();
      },
      long_runs() ? 300s : 60s);
}

/// Acknowledgements of what it was never sent, and messages to sessions of its own that take none.
TEST_P(ShippedTest, FloodsEndNoLinkAndDelayNoCall) {
  run(
      [this]() -> Task {
        CO_OK(co_await begin(echo()));
        std::vector<std::unique_ptr<Attacker>> floods;
        const std::size_t sessions = long_runs() ? 24 : 6;
        for (std::size_t i = 0; i < sessions; ++i) {
          floods.push_back(evil("flood-" + std::to_string(i)));
        }
        CO_TRUE(co_await until([&] {
          return std::ranges::all_of(floods, [](const auto& one) { return one->welcome(); });
        }));
        for (std::size_t i = 1; i < sessions; ++i) floods[i]->deafen();
        const bus::Bytes body(50'000);
        std::uint64_t seq = 0;
        for (int round = 0; round < (long_runs() ? 100 : 10); ++round) {
          for (const auto& one : floods) {
            const bus::Ack ack{Lane::call, owner.self(), one->self().channel(), Epoch::of(1, 1), 1};
            for (int n = 0; n < 1'000; ++n) one->say(ack);
          }
          for (std::size_t to = 1; to < sessions; ++to) {
            floods[0]->say_message("process/a.flood-" + std::to_string(to), body, ++seq);
          }
          co_await expect_served(1);
        }
        co_await expect_served();
      },
      long_runs() ? 300s : 30s);
}

/// It is first under the name of the mail store when busd comes back.
TEST_P(ShippedTest, TheNameOfTheStoreIsNotForTheFirstToCome) {
  run(
      [this]() -> Task {
        for (int round = 0; round < (long_runs() ? 20 : 1); ++round) {
          cluster.busd("a").restart();
          std::size_t denied = 0;
          while (denied < 20) {
            if (!listens(cluster.socket("a"))) {
              co_await pass(1ms);
              continue;
            }
            open_doors();
            const auto squatter = evil("store");
            CO_TRUE(co_await until([&] { return squatter->closed(); }));
            EXPECT_EQ(squatter->reset(), Errc::denied);
            ++denied;
          }
          CO_TRUE(co_await until([&] { return cluster.busd("a").serves(); }));
        }
      },
      long_runs() ? 300s : 30s);
}

/// A login answers gates, and reaches nothing of the game.
TEST_P(ShippedTest, ALoginSpeaksToGatesAndNotToEntities) {
  run([this]() -> Task {
    CO_OK(co_await begin(echo()));
    std::string heard;
    bus::Handlers handlers;
    handlers.on_message = [&](bus::Message& message) { heard = bus::as_text(message.body()); };
    CO_OK(co_await owner.bind("gate/b.owner", handlers, use_awaitable));
    const auto login = evil("login", {}, kLogin);
    const bus::Lineage gate = co_await lineage_of(*login, "gate/b.owner");
    bus::Bytes message;
    encode_envelope(bus::Envelope{}, message);
    for (const char letter : std::string_view("admitted")) {
      message.push_back(static_cast<std::byte>(letter));
    }
    login->say(bus::Open{bus::Lane::call, "gate/b.owner"});
    login->say_message("gate/b.owner", message, 1, gate);
    CO_TRUE(co_await until([&] { return !heard.empty() || login->closed(); }));
    EXPECT_EQ(heard, "admitted");
    login->say(bus::Open{bus::Lane::call, "entity/greeter"});
    if (deployed()) {
      CO_TRUE(co_await until([&] { return login->closed(); }));
      EXPECT_EQ(login->reset(), Errc::denied);
    }
    co_await expect_served();
  });
}

/// It asks for a shard of mail as the store of its host would.
TEST_P(ShippedTest, AShardOfMailIsNotGiven) {
  run([this]() -> Task {
    CO_OK(co_await begin(echo()));
    constexpr const char* kBox = "player/42";
    CO_OK(co_await owner.post(kBox, "mine", {}, use_awaitable));
    const std::uint8_t shard = bus::shard_of(bus::channel_id(kBox));
    const std::string host = shard < 128 ? "a" : "b";
    const std::string store = "process/" + host + ".store";
    const auto thief = evil("thief");
    CO_TRUE(co_await until([&] { return bool(thief->granted("process/a.thief")); }));
    const bus::Lineage lineage = co_await lineage_of(*thief, store);
    const bus::ShardTake take{7, shard, false, "a", {}, thief->granted("process/a.thief")};
    thief->say_to_library(store, take, 1, lineage);
    CO_TRUE(co_await until([&] { return thief->closed() || !thief->messages().empty(); }));
    if (thief->closed()) {
      EXPECT_EQ(thief->reset(), Errc::denied);
    } else {
      const std::string answer = thief->messages().front();
      const auto given =
          bus::decode<bus::ShardGiven>(bus::as_bytes(answer).subspan(bus::kRecordHeader));
      CO_OK(given);
      EXPECT_NE(given->status, Errc::ok);
    }
    auto box = co_await owner.bind(kBox, bus::kNoHandlers, use_awaitable);
    CO_OK(box);
    auto opened = co_await owner.open_mailbox(kBox, {}, use_awaitable);
    CO_OK(opened);
    const auto mail = co_await opened->next(use_awaitable);
    CO_OK(mail);
    EXPECT_EQ(mail->text(), "mine");
  });
}

/// With a key that busroot lists it comes in as its host, and its rows have no end.
TEST_P(ShippedTest, AHostWhoseTableHasNoEndLosesItsSession) {
  run(
      [this]() -> Task {
        CO_OK(co_await begin(echo()));
        const std::string key = cluster.make_key("evil");
        cluster.root().configure(cluster.root_config(
            {{"a", {cluster.host_key("a")}}, {"b", {cluster.host_key("b")}}, {"evil", {key}}}));
        cluster.root().reload();
        CO_TRUE(co_await until([&] { return cluster.root().log_lines_with("reloaded ") > 0; }));
        const auto keys =
            bus::io::read_secret_key_file((cluster.folder() / "evil.key").string()).value();
        bus::io::ConnectOptions with;
        with.keys = keys;
        with.server_key = cluster.root_key();
        std::shared_ptr<bus::io::Link> link;
        bus::Error refused;
        const auto connecting =
            bus::io::connect(loop, "tcp://127.0.0.1:" + std::to_string(cluster.root_port()), with,
                             [&](bus::Result<std::shared_ptr<bus::io::Link>> result) {
                               if (result) {
                                 link = *result;
                               } else {
                                 refused = result.error();
                               }
                             });
        CO_TRUE(co_await until([&] { return link != nullptr || refused.code != Errc::ok; }));
        EXPECT_TRUE(link != nullptr) << refused.to_string();
        if (link == nullptr) co_return;
        Attacker host(loop, link);
        bus::Hello hello;
        hello.minor = bus::kVersionMinor;
        hello.party = bus::PartyKind::busd;
        hello.name = "evil";
        hello.incarnation = 1;
        host.say(hello);
        const bus::Process process{bus::host_id("evil"), bus::slot_id("n"), 1};
        host.say(bus::ProcessUp{process, "n", "node", 1});
        const bus::Table page{process,
                              std::vector<bus::Row>(1'000, attack::row("x/1", Epoch::of(1, 1)))};
        for (std::size_t rows = 0; rows < 2 * bus::kMaxNamesPerHost && !host.closed();
             rows += page.rows.size()) {
          host.say(page);
          co_await pass(1ms);
        }
        CO_TRUE(co_await until([&] { return host.closed(); }));
        EXPECT_EQ(host.reset(), Errc::too_many_names);
        co_await expect_served();
      },
      60s);
}

std::string name_of_shipping(const ::testing::TestParamInfo<Shipping>& info) {
  return info.param == Shipping::deployed ? "Deployed" : "Up";
}
INSTANTIATE_TEST_SUITE_P(Setups, ShippedTest, ::testing::Values(Shipping::deployed, Shipping::up),
                         name_of_shipping);

}  // namespace
}  // namespace starbus::cluster_test
