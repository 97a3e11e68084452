// A client whose player travels between two hosts, to and fro: what it hears and what it asks.
#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/client.hpp"
#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/travel/pilot.hpp"

namespace starbus::cluster_test {
namespace {

/// A player's program: counts, and notes what is not the next number.
class Cockpit : public game::Events {
 public:
  explicit Cockpit(const std::string& address) : client(options(address), *this) {}
  static game::Options options(const std::string& address) {
    game::Options made;
    made.settings.addresses = {address};
    made.settings.seed = 1;
    return made;
  }
  template <auto M, class... A>
  bool ask(A... arguments) {
    bus::Bytes body;
    EXPECT_TRUE((rpc::encode_call<M>(body, rpc::Behalf::own_client, 0, arguments...)));
    const auto asked =
        client.ask(game::ByteView(body), [this](const game::Outcome& end) { ++fates[end.fate]; });
    return asked == game::Asked::ok;
  }
  std::uint64_t told() const {
    std::uint64_t sum = 0;
    for (const auto& [fate, times] : fates) sum += times;
    return sum;
  }
  void on_online(bool goes_on, const game::Ticket&) override { ++(goes_on ? went_on : entered); }
  void on_lost(const game::Lost& lost) override { losses += " lost: " + std::string(lost.text); }
  void on_full(const game::FullState& full) override {
    subject = full.subject;
    ++whole;
    state.emplace();
    state->become_replica(entity::Audience::own_client);
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(state->apply_snapshot(full.properties));
    }
  }
  void on_news(game::ByteView news) override {
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(state->apply_delta(news)) << "a hole, or something twice";
    }
  }
  void on_call(const game::Call& call) override {
    if (call.method == rpc::method_id("test_pilot_client", "landed")) return;
    ASSERT_EQ(call.method, rpc::method_id("test_pilot_client", "number"));
    const auto number = entity::Decoder(call.arguments).number<std::uint64_t>();
    if (number != heard + 1) wrong.push_back({heard, number});
    heard = number;
  }
  void on_ended(game::EndReason, std::string_view what) override { ended = what; }

  std::string subject;
  std::optional<std::string> ended;
  std::optional<PilotState> state;
  std::map<game::Fate, std::uint64_t> fates;
  std::uint64_t heard = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> wrong;
  int entered = 0;
  int went_on = 0;
  std::string losses;
  int whole = 0;  // states of its player
  game::Client client;
};

class TravelStream : public ::testing::Test {
 protected:
  void SetUp() override {
    rpc::Dictionary::of_process();  // this process has no Endpoint: the types of its calls
    std::ofstream types(cluster.folder() / "types.toml");
    for (const char* const type : {"low", "high"}) {
      types << "[[space]]\ntype = '" << type << "'\ncapacity = 40\nmin = [0, 0]\n"
            << "max = [100, 100]\nlabels = ['" << type << "']\n";
    }
    types.close();
    const auto key = nodes::login::SigningKey::generate();
    ASSERT_TRUE(key);
    const std::string secret = (cluster.folder() / "login.key").string();
    ticket_keys_ = "ticket_keys = ['" + (cluster.folder() / "login.pub").string() + "']\n";
    ASSERT_TRUE(key->write(secret, (cluster.folder() / "login.pub").string()));
    start("starbus-manager", "a", "manager-1",
          "[services]\nhosts = 1\n[[service]]\ntype = 'space'\ninstances = 1\n");
    start("starbus-spaces", "a", "spaces-1",
          "[spaces]\nfiles = ['" + (cluster.folder() / "types.toml").string() + "']\n");
    start("starbus-db", "b", "db-1", "");
    start("starbus-login", "b", "login-1", "[login]\nkey = '" + secret + "'\ncreate = true\n");
    start("starbus-test-pilot", "a", "x",
          "accounts = true\nneeds = ['service/db']\n" + ticket_keys_ +
              "[spaces]\nlabels = ['low']\n");
    start("starbus-test-pilot", "b", "y",
          "needs = ['service/db']\n" + ticket_keys_ + "[spaces]\nlabels = ['high']\n");
    address = "127.0.0.1:" + std::to_string(free_port());
    start("starbus-gate", "a", "gate-1",
          "[gate]\naddress = '" + address + "'\n[[gate.listeners]]\naddress = '" + address +
              "'\ntls = false\n");
    ASSERT_TRUE(wait_for(30s, [&] {
      return std::ranges::all_of(daemons, [](const auto& each) { return each.second->serves(); });
    }));
  }
  void start(const std::string& program, const std::string& host, const std::string& name,
             const std::string& keys) {
    daemons[name] = node_process(cluster, program, host, name, "space", keys);
    daemons[name]->start();
  }
  /// How far a client has come, for a test that fails.
  std::string where(const Cockpit& who) const {
    std::string text = std::string(game::name_of(who.client.state())) + ", plays '" + who.subject +
                       "', heard " + std::to_string(who.heard) + ", " + who.client.trouble() +
                       who.ended.value_or("");
    for (const auto& [fate, times] : who.fates) {
      text += ", fate " + std::to_string(static_cast<int>(fate)) + ": " + std::to_string(times);
    }
    return text + "\n" + daemons.at("x")->json("/entities?name=player/ada.1").dump();
  }
  template <class Condition>
  bool plays(Cockpit& who, Condition condition, std::chrono::seconds most = 20s) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      who.client.poll(1ms);
    }
    return true;
  }

  Cluster cluster{{.more = {{"b", "[mail]\nshards = ['0-255']\n"}}}};
  std::map<std::string, std::unique_ptr<Daemon>> daemons;
  std::string ticket_keys_;
  std::string address;
};

TEST_F(TravelStream, AClientHearsOneStreamWhileItsPlayerTravelsBetweenHosts) {
  Cockpit ada(address);
  const game::ByteView password = game::bytes_of("correct horse");
  ada.client.login({"create", "ada", {password.begin(), password.end()}});
  ASSERT_TRUE(plays(ada, [&] { return ada.subject == "account/ada"; }));
  ASSERT_TRUE(ada.ask<&players::Account::create>(std::string("Ada")));
  ASSERT_TRUE(plays(ada, [&] { return ada.told() == 1; }));
  ASSERT_TRUE(ada.ask<&players::Account::choose>(std::string("ada.1")));
  ASSERT_TRUE(plays(ada, [&] { return ada.subject == "player/ada.1" && ada.heard > 3; }))
      << where(ada);
  std::uint64_t asked = ada.told();
  const int whole = ada.whole;
  const int entered = ada.entered;
  const std::uint64_t before = ada.heard;
  int earned = 0;
  // A gate lets a client ask only so often.
  auto next = std::chrono::steady_clock::now();
  const auto plays_on = [&](auto condition) {
    return plays(ada, [&] {
      const auto now = std::chrono::steady_clock::now();
      if (now >= next && ada.ask<&Pilot::earn>(1)) {
        next = now + 20ms;
        ++earned;
        ++asked;
      }
      return condition();
    });
  };
  for (int trip = 0; trip < 6; ++trip) {
    const std::string type = trip % 2 == 0 ? "low" : "high";
    ASSERT_TRUE(ada.ask<&Pilot::fly>(type));
    ++asked;
    ASSERT_TRUE(plays_on([&] { return ada.state->where.get() == type + "-1"; }))
        << ada.state->where.get();
  }
  ASSERT_TRUE(plays_on([&] { return ada.heard > before + 50; }));
  ASSERT_TRUE(plays(ada, [&] { return ada.told() == asked; }));
  ASSERT_TRUE(plays(ada, [&] { return ada.state->gold.get() == earned; })) << earned;
  EXPECT_EQ(ada.fates[game::Fate::replied], asked) << "each request was begun once, and answered";
  EXPECT_THAT(ada.wrong, ::testing::IsEmpty()) << "nothing is lost, doubled, or out of order";
  EXPECT_EQ(ada.whole, whole) << "no hole was to be mended with a whole state";
  EXPECT_EQ(ada.entered, entered) << "no session has begun anew";
  EXPECT_EQ(ada.went_on, 0) << ada.losses << "at " << where(ada);
  EXPECT_FALSE(ada.ended);
  EXPECT_EQ(daemons["y"]->json("/spaces")["spaces"][0]["players"], 1);
}

}  // namespace
}  // namespace starbus::cluster_test
