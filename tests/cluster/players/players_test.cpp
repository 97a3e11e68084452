// The whole way in, as real processes: starbus-gate, starbus-login, starbus-db, a game, and
// clients.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/client.hpp"
#include "nodes/login/tickets/keys.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/cluster/node_process.hpp"
#include "tests/cluster/players/player_town.hpp"

namespace starbus::cluster_test {
namespace {

namespace game = starbus::game;
using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ClusterOptions with_store() {
  ClusterOptions options;
  options.more["b"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

/// A player's program.
class Device : public game::Events {
 public:
  explicit Device(const std::vector<std::string>& addresses, std::uint64_t seed = 1)
      : client(options(addresses, seed), *this) {}
  static game::Options options(const std::vector<std::string>& addresses, std::uint64_t seed) {
    game::Options made;
    made.settings.addresses = addresses;
    made.settings.seed = seed;
    return made;
  }
  void log_in(const std::string& method, const std::string& account, const std::string& password) {
    const game::ByteView bytes = game::bytes_of(password);
    client.login({method, account, {bytes.begin(), bytes.end()}});
  }
  template <auto M, class... A>
  game::Asked ask(A... arguments) {
    bus::Bytes body;
    EXPECT_TRUE((rpc::encode_call<M>(body, rpc::Behalf::own_client, 0, arguments...)));
    return client.ask(game::ByteView(body), [this](const game::Outcome& outcome) {
      ++fates[outcome.fate];
      const auto answer = game::read_answer(outcome.answer);
      if (answer && answer->kind != game::AnswerKind::value) {
        refusal = answer->detail + " " + std::to_string(answer->domain) + "/" +
                  std::to_string(answer->number);
      }
    });
  }
  std::uint64_t told() const {
    std::uint64_t sum = 0;
    for (const auto& [fate, times] : fates) sum += times;
    return sum;
  }
  void on_online(bool goes_on, const game::Ticket&) override { ++(goes_on ? went_on : entered); }
  void on_full(const game::FullState& full) override {
    subject = full.subject;
    state.emplace();
    state->become_replica(entity::Audience::own_client);
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(state->apply_snapshot(full.properties));
    }
  }
  void on_news(game::ByteView news) override {
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(state->apply_delta(news));
    }
  }
  void on_spoken(const game::Spoken& spoken) override {
    const auto call = game::read_call(spoken.body);
    ASSERT_TRUE(call);
    EXPECT_EQ(call->method, rpc::method_id("starbus_client", "notice"));
    notices.emplace_back(entity::Decoder(call->arguments).text());
  }
  void on_ended(game::EndReason why, std::string_view what) override {
    ended = why;
    text = what;
  }

  std::string subject, text, refusal;
  std::vector<std::string> notices;
  std::optional<FighterState> state;
  std::map<game::Fate, std::uint64_t> fates;
  int entered = 0, went_on = 0;
  std::optional<game::EndReason> ended;
  game::Client client;
};

class PlayersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    rpc::Dictionary::of_process();  // this process has no Endpoint: the types of its calls
    const auto key = nodes::login::SigningKey::generate();
    ASSERT_TRUE(key);
    ASSERT_TRUE(key->write((cluster.folder() / "login.key").string(),
                           (cluster.folder() / "login.pub").string()));
    start("starbus-manager", "a", "manager-1", "");
    start("starbus-db", "b", "db-1", "");
    start("starbus-login", "b", "login-1",
          "[login]\nkey = '" + (cluster.folder() / "login.key").string() + "'\ncreate = true\n");
    start("starbus-test-players", "a", "town-1",
          "needs = ['service/db']\nticket_keys = ['" + (cluster.folder() / "login.pub").string() +
              "']\n");
    start_gate("a", "gate-1");
    start_gate("b", "gate-2");
    ASSERT_TRUE(wait_for(30s, [&] {
      return std::ranges::all_of(daemons, [](const auto& each) { return each->serves(); });
    }));
  }
  Daemon& start(const std::string& program, const std::string& host, const std::string& name,
                const std::string& keys) {
    daemons.push_back(node_process(cluster, program, host, name, "town", keys));
    daemons.back()->start();
    by_name[name] = daemons.back().get();
    return *daemons.back();
  }
  void start_gate(const std::string& host, const std::string& name) {
    const std::string address = "127.0.0.1:" + std::to_string(free_port());
    start("starbus-gate", host, name,
          "[gate]\naddress = '" + address +
              "'\ndrain_time = '5s'\n[[gate.listeners]]\naddress = '" + address +
              "'\ntls = false\n");
    addresses.push_back(address);
  }
  Device& device(std::uint64_t seed = 1) {
    devices.push_back(std::make_unique<Device>(addresses, seed));
    return *devices.back();
  }
  template <class Condition>
  bool plays(Condition condition, std::chrono::seconds most = 30s) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      for (const auto& each : devices) each->client.poll(1ms);
    }
    return true;
  }
  bool enter(Device& who, const std::string& name) {
    who.log_in("create", name, "correct horse");
    if (!plays([&] { return who.subject == "account/" + name; })) return false;
    who.ask<&players::Account::create>(std::string("Bob"));
    if (!plays([&] { return who.told() == 1; })) return false;
    who.ask<&players::Account::choose>(name + ".1");
    return plays([&] { return who.subject == "player/" + name + ".1"; });
  }

  /// Runs bustop at host a; its output. `code`: its exit code, if that is certain.
  std::string bustop(std::vector<std::string> arguments, std::optional<int> code) {
    const std::string log = "bustop-" + std::to_string(++runs);
    arguments.insert(arguments.begin(), program("bustop"));
    arguments.insert(arguments.end(), {"--busd", cluster.endpoint("a")});
    const std::optional<int> ended = cluster.run(arguments, log)->wait(30s);
    EXPECT_TRUE(ended) << cluster.log_of(log);
    if (code) {
      EXPECT_EQ(ended, code) << cluster.log_of(log);
    }
    return cluster.log_of(log);
  }
  nlohmann::json bustop_json(std::vector<std::string> arguments, std::optional<int> code) {
    arguments.push_back("--json");
    auto json = nlohmann::json::parse(bustop(std::move(arguments), code), nullptr, false);
    EXPECT_FALSE(json.is_discarded());
    return json;
  }
  void operators_see_and_address(Device& desk);

  /// How far a client has come, for a test that fails.
  std::string where(const Device& who) const {
    std::string text = "state " + std::string(game::name_of(who.client.state())) + ", plays '" +
                       who.subject + "', " + std::to_string(who.told()) + " fates, " +
                       (who.ended ? std::string(game::name_of(*who.ended)) + " " : "") +
                       who.client.trouble() + " " + who.text + " " + who.refusal + "\n";
    for (const auto& [name, daemon] : by_name) {
      if (name.starts_with("gate")) text += daemon->json("/gate").dump() + "\n";
      if (name.starts_with("login")) text += daemon->json("/login").dump() + "\n";
    }
    return text;
  }

  Cluster cluster{with_store()};
  std::vector<std::unique_ptr<Daemon>> daemons;
  std::map<std::string, Daemon*> by_name;
  std::vector<std::string> addresses;
  int runs = 0;  // of bustop
  std::vector<std::unique_ptr<Device>> devices;
};

/// Of the client that plays ada, whose first device was replaced.
void PlayersTest::operators_see_and_address(Device& desk) {
  const auto list = bustop_json({"clients", "account/a"}, 0);
  const auto& rows = list["clients"];
  const auto bound = std::ranges::find(rows, "bound", [](const auto& row) { return row["state"]; });
  ASSERT_NE(bound, rows.end()) << list;
  EXPECT_EQ((*bound)["account"], "account/ada");
  EXPECT_EQ((*bound)["subject"], "player/ada.1");
  EXPECT_EQ((*bound)["transport"], "tcp");
  EXPECT_EQ((*bound)["address"], "127.0.0.1");
  EXPECT_TRUE(bustop_json({"clients", "nobody"}, 0)["clients"].empty());

  const auto client = bustop_json({"client", "ada"}, 0);
  EXPECT_THAT(client["partings"].dump(), HasSubstr("\"why\":\"replaced\""));
  const auto by_session = bustop({"client", (*bound)["session"]}, 0);
  EXPECT_THAT(by_session, HasSubstr("account  account/ada"));
  EXPECT_THAT(by_session, HasSubstr("properties"));
  bustop({"client", "nobody"}, 1);

  EXPECT_EQ(bustop_json({"announce", "*", "--preview"}, 0)["clients"], 1);
  EXPECT_EQ(bustop_json({"announce", "guild/7", "--preview"}, 0)["clients"], 0);
  bustop({"announce", "*", "never said", "--ask-from", "1"}, 1);  // there is nobody to ask
  EXPECT_TRUE(desk.notices.empty());
  const auto said = bustop_json({"announce", "*", "we restart", "--yes"}, 0);
  EXPECT_EQ(said["taken"], 2);
  EXPECT_EQ(said["handed"], 1);
  EXPECT_TRUE(plays([&] { return !desk.notices.empty(); }));
  EXPECT_THAT(desk.notices, ElementsAre("we restart"));
  for (const char* gate : {"gate-1", "gate-2"}) {
    EXPECT_THAT(by_name[gate]->log(), HasSubstr("as it says: announcement 1 to group \"\""));
  }
  // Without roles all are servers, gates too; nothing else is wrong with gates and logins.
  // Of a machine under load doctor may say more.
  const auto found =
      bustop_json({"doctor", "--admin", cluster.busd("a").admin()}, std::nullopt)["findings"];
  std::size_t trusted = 0;
  for (const auto& finding : found) {
    trusted += finding["check"] == "gate_trusted" ? 1 : 0;
    EXPECT_THAT(std::vector<std::string>({"certificate_ends", "gate_closed", "gate_silent",
                                          "sessions_without_home", "login_missing", "clock_skew"}),
                Not(Contains(finding["check"].get<std::string>())));
  }
  EXPECT_EQ(trusted, 2U) << found;
}

TEST_F(PlayersTest, PlayersComeInThroughDrainsAndKilledGatesAndNodes) {
  Device& ada = device(3);
  ASSERT_TRUE(enter(ada, "ada")) << where(ada);
  int earned = 0;
  const auto earn = [&] {
    ++earned;
    return ada.ask<&Fighter::earn>(1) == game::Asked::ok;
  };
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(earn());
  ASSERT_TRUE(plays([&] { return ada.state->gold.get() == 20; }));
  EXPECT_EQ(ada.fates[game::Fate::replied], 22u);

  // A wrong password is not let in; a right one takes over.
  Device& thief = device(4);
  thief.log_in("password", "ada", "wrong horse!");
  ASSERT_TRUE(plays([&] { return thief.ended.has_value(); }));
  EXPECT_EQ(*thief.ended, game::EndReason::denied);
  Device& desk = device(5);
  desk.log_in("password", "ada", "correct horse");
  ASSERT_TRUE(plays([&] { return desk.subject == "player/ada.1" && ada.ended.has_value(); }));
  EXPECT_EQ(*ada.ended, game::EndReason::replaced);
  EXPECT_EQ(desk.state->gold.get(), 20);
  operators_see_and_address(desk);

  // Each gate is drained once, and then killed once, while requests go on.
  std::uint64_t asked = 0;
  const auto play_on = [&](auto condition) {
    return plays([&] {
      if (desk.client.session().requests_open() < 8) {
        asked += desk.ask<&Fighter::earn>(1) == game::Asked::ok ? 1 : 0;
      }
      return condition();
    });
  };
  // What it is shown is what it has earned.
  const auto shown = [&] {
    return plays([&] { return desk.told() == asked; }, 10s) &&
           plays(
               [&] {
                 return desk.state->gold.get() >=
                        20 + static_cast<int>(desk.fates[game::Fate::replied]);
               },
               5s);
  };
  for (const char* gate : {"gate-1", "gate-2"}) {
    EXPECT_EQ(by_name[gate]->terminate(20s), 0);
    by_name[gate]->start();
    ASSERT_TRUE(wait_for(30s, [&] { return by_name[gate]->serves(); }));
    const std::uint64_t before = desk.fates[game::Fate::replied];
    ASSERT_TRUE(play_on([&] { return desk.fates[game::Fate::replied] > before + 20; }))
        << where(desk);
    ASSERT_TRUE(shown()) << gate << desk.state->gold.get() << " " << where(desk);
  }
  EXPECT_EQ(desk.entered, 1) << "no drain has ended the session";
  for (const char* gate : {"gate-1", "gate-2"}) {
    by_name[gate]->kill();
    by_name[gate]->start();
    ASSERT_TRUE(wait_for(30s, [&] { return by_name[gate]->serves(); }));
    const std::uint64_t before = desk.fates[game::Fate::replied];
    ASSERT_TRUE(play_on([&] { return desk.fates[game::Fate::replied] > before + 20; }))
        << where(desk);
    ASSERT_TRUE(shown()) << gate << desk.state->gold.get() << " " << where(desk);
  }
  // The game's process is killed: the player is loaded again, with all that was saved.
  ASSERT_TRUE(plays([&] { return desk.told() == asked; })) << where(desk);
  ASSERT_TRUE(wait_for(10s, [&] { return by_name["town-1"]->json("/entities")["unsaved"] == 0; }));
  ASSERT_TRUE(shown()) << where(desk);
  const int saved = desk.state->gold.get();
  EXPECT_LE(saved, 20 + static_cast<int>(asked)) << "no request was begun twice";
  by_name["town-1"]->kill();
  by_name["town-1"]->start();
  const std::uint64_t before = desk.fates[game::Fate::replied];
  ASSERT_TRUE(play_on([&] { return desk.fates[game::Fate::replied] > before + 20; }))
      << where(desk);
  ASSERT_TRUE(plays([&] { return desk.told() == asked; })) << where(desk);
  ASSERT_TRUE(plays([&] { return desk.state->gold.get() >= saved + 20; })) << where(desk);
  EXPECT_LE(desk.state->gold.get(), 20 + static_cast<int>(asked));
}

}  // namespace
}  // namespace starbus::cluster_test
