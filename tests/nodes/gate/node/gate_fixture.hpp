/// A whole way in: clients of clients/cpp over TCP, gates, accounts and players of nodes/players,
/// on real routers, in one thread. The login is a double that believes everybody.
#pragma once

#include <gmock/gmock.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/client.hpp"
#include "nodes/gate/node/call_outcome.hpp"
#include "nodes/gate/node/gate.hpp"
#include "nodes/gate/node/limits.hpp"
#include "nodes/players/account_calls.hpp"
#include "nodes/players/account_loader.hpp"
#include "tests/nodes/players/home.hpp"

namespace starbus::nodes::players {

// Not in the namespace without a name: nobody defines its methods.
struct FighterClient {
  void hit(int damage);
  static constexpr auto kClient = entity::client_methods(
      "test_fighter_client", entity::client_method<&FighterClient::hit>("hit"));
};

struct FighterState : entity::Properties<FighterState> {
  STARBUS_FIELDS(Field<int, own_client | save> gold{*this};)
};
class Fighter final : public entity::EntityOf<Fighter, Player> {
 public:
  static constexpr std::string_view kTypeName = "fighter";
  FighterState state;
  entity::Root* properties() override { return &state; }
  void on_online(bool) override { static_cast<void>(client().join("arena")); }
  int buy(rpc::Caller&, int price) {
    state.gold += price;
    ++bought;
    return state.gold;
  }
  static constexpr auto kRpc =
      rpc::methods("test_fighter", rpc::method<&Fighter::buy>("buy", rpc::own_client));
  int bought = 0;
};

}  // namespace starbus::nodes::players

namespace starbus::nodes::gate {

namespace game = starbus::game;
using boost::asio::use_awaitable;
using bus::Task;
using players::Fighter;
using players::Home;
using players::Person;
using namespace std::chrono_literals;

/// A ticket of these tests; without a session a re-entry.
inline bus::Bytes ticket(std::uint64_t login, const SessionId& session, const std::string& gate) {
  const std::string text = std::to_string(login) + " " + std::to_string(session.high) + " " +
                           std::to_string(session.low) + " " + gate;
  const bus::ByteView bytes = bus::as_bytes(text);
  return {bytes.begin(), bytes.end()};
}
inline std::optional<players::TicketSeen> read_ticket(bus::ByteView bytes) {
  std::istringstream in{std::string(bus::as_text(bytes))};
  players::TicketSeen seen;
  in >> seen.login >> seen.session.high >> seen.session.low >> seen.gate;
  seen.reentry = !seen.session;
  if (seen.login == 0) return std::nullopt;
  return seen;
}

/// A process with a gate.
struct GateHome {
  GateHome(boost::asio::io_context& loop, const bus::Options& options, std::string its_process)
      : process(std::move(its_process)), bus(loop, options), main(loop), accounts(endpoint) {
    GateSettings settings;
    settings.front.listeners.push_back({*net::parse_address("127.0.0.1:0")});
    settings.drain_time = 3s;
    settings.compress_above =
        process == "a.g1" ? 512 : 0;  // one that deflates, and one that does not
    gate.emplace(GatePlace{loop, bus, endpoint, main.timers(), [this] { return process; }},
                 settings, account_port(), login_port(), 0);
  }
  AccountPort account_port() {
    return {[this](const std::string& account, const sessions::AskAccount& word,
                   AccountPort::Done done) {
              accounts.ask(account, word, 2s,
                           [done = std::move(done)](const entity::rpc::Result<std::string>& reply) {
                             if (reply) return done(Outcome::ok, bus::as_bytes(*reply));
                             done(outcome_of(reply.error()), {});
                           });
            },
            [this](const std::string& account) { accounts.load(account); }};
  }
  LoginPort login_port() {
    return {[this](std::uint64_t, const LoginAsk& ask, LoginPort::Said said) {
              if (ask.method == kReentryMethod) {
                const std::string text(bus::as_text(ask.proof));
                LoginAdmitted in{"account/ada", std::stoull(text), ask.proof, ask.proof};
                return boost::asio::post(bus_loop(), [said, in] { said(in); });
              }
              prove(ask, std::move(said));
            },
            [](std::uint64_t) {}};
  }
  boost::asio::io_context& bus_loop() { return endpoint.loop(); }
  void prove(const LoginAsk& ask, LoginPort::Said said) {
    const std::string account = "account/" + ask.account;
    // A login is a server: gates cannot draw numbers.
    logins->ask(account, sessions::Prove{}, 2s,
                [this, account, ask, said](const entity::rpc::Result<std::string>& reply) {
                  const auto answer =
                      reply ? sessions::decode_account_answer(bus::as_bytes(*reply)).value()
                            : sessions::AccountAnswer{};
                  if (answer.login == 0) {  // it is being loaded
                    accounts.load(account);
                    const auto again = [this, ask, said] { prove(ask, said); };
                    EXPECT_TRUE(main.timers().after(timers, 20ms, again));
                    return;
                  }
                  said(LoginAdmitted{account, answer.login,
                                     ticket(answer.login, ask.session, "gate/" + process),
                                     ticket(answer.login, {}, {})});
                });
  }
  std::string address() {
    return "127.0.0.1:" + std::to_string(gate->front().addresses().front().port);
  }

  std::string process;
  bus::Bus bus;
  entity::rpc::Endpoint endpoint{bus};
  MainLoop main;
  players::AccountCalls accounts;
  players::AccountCalls* logins = nullptr;
  std::optional<Gate> gate;
  entity::TimerOwner timers;
};

/// A player's program.
class Device : public game::Events {
 public:
  explicit Device(std::vector<std::string> addresses)
      : client(options(std::move(addresses)), *this) {}
  static game::Options options(std::vector<std::string> addresses) {
    game::Options made;
    made.settings.addresses = std::move(addresses);
    made.settings.program = "test";
    return made;
  }
  void log_in() { client.login({"password", "ada", {}}); }
  template <auto M, class... A>
  void ask(A... arguments) {
    bus::Bytes body;
    EXPECT_TRUE(
        (entity::rpc::encode_call<M>(body, entity::rpc::Behalf::own_client, 0, arguments...)));
    ++asked;
    EXPECT_EQ(client.ask(game::ByteView(body),
                         [this](const game::Outcome& outcome) { fates.push_back(outcome.fate); }),
              game::Asked::ok);
  }
  void on_online(bool goes_on, const game::Ticket&) override { entries.push_back(goes_on); }
  void on_full(const game::FullState& full) override {
    subject = full.subject;
    ++fulls;
    copy.emplace();
    copy->become_replica(entity::Audience::own_client);
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(copy->apply_snapshot(full.properties));
    }
  }
  void on_news(game::ByteView news) override {
    if (subject.starts_with("player/")) {
      EXPECT_TRUE(copy->apply_delta(news));
    }
  }
  void on_call(const game::Call& call) override {
    entity::Decoder in(call.arguments);
    hits.push_back(in.number<int>());
  }
  void on_spoken(const game::Spoken& spoken) override {
    heard.emplace_back(spoken.group);
    const auto call = game::read_call(spoken.body);
    if (!call) return;
    entity::Decoder in(call->arguments);
    if (call->method == entity::rpc::method_id("test_fighter_client", "hit")) {
      heard_hits.push_back(in.number<int>());
    } else if (call->method == entity::rpc::method_id("starbus_client", "notice")) {
      notices.emplace_back(in.text());
    }
  }
  void on_ended(game::EndReason why, std::string_view) override { ended = why; }

  std::vector<bool> entries;
  std::string subject;
  int fulls = 0;
  int asked = 0;
  std::vector<game::Fate> fates;
  std::vector<int> hits;
  std::vector<std::string> heard;
  std::vector<int> heard_hits;
  std::vector<std::string> notices;
  std::optional<players::FighterState> copy;
  std::optional<game::EndReason> ended;
  game::Client client;
};

class GateNodeTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> open() {
    home = std::make_unique<Home>(loop, cluster.node("a", "x"), shelf, 0, times);
    home->host.declare<Fighter>({.save_when = entities::SaveWhen::every_change});
    home->around.ticket = [](const std::string&, bus::ByteView bytes) {
      return read_ticket(bytes);
    };
    home->around.load = players::load_here<Fighter>(home->host);
    loader.emplace(players::load_account_here<Person>(home->host));
    one = std::make_unique<GateHome>(loop, cluster.node("a", "g1"), "a.g1");
    two = std::make_unique<GateHome>(loop, cluster.node("b", "g2"), "b.g2");
    logins.emplace(home->endpoint);
    one->logins = two->logins = &*logins;
    std::optional<bool> done;
    const auto ended = [&done](const bus::Result<>& result) {
      EXPECT_TRUE(result) << result.error().to_string();
      done = result.has_value();
    };
    for (auto* bus : {&home->bus, &one->bus, &two->bus}) {
      const auto connected = co_await bus->connect(use_awaitable);
      if (!connected) co_return false;
    }
    for (auto* endpoint : {&home->endpoint, &one->endpoint, &two->endpoint}) {
      const auto ready = co_await endpoint->ready(use_awaitable);
      if (!ready) co_return false;
    }
    const auto bound =
        co_await home->endpoint.bind(std::string(players::kAccountService), *loader, use_awaitable);
    if (!bound) co_return false;
    for (GateHome* each : {one.get(), two.get()}) {
      done.reset();
      each->gate->open(ended);
      const bool come = co_await until([&] { return done.has_value(); });
      if (!come || !*done) co_return false;
      bus::Handlers handlers = each->gate->group_handlers();
      const auto member = co_await each->bus.bind("group/gates", handlers, use_awaitable);
      if (!member) co_return false;
      const bus::Process process = each->bus.self();
      const bool known = co_await until([&] { return home->endpoint.gates().is_gate(process); });
      if (!known) co_return false;
    }
    co_return true;
  }
  /// Serves the devices meanwhile.
  boost::asio::awaitable<bool> plays(std::function<bool()> condition) {
    return until([this, condition = std::move(condition)] {
      for (Device* device : devices) device->client.service();
      return condition();
    });
  }
  Device& device(std::vector<std::string> addresses) {
    made.push_back(std::make_unique<Device>(std::move(addresses)));
    devices.push_back(made.back().get());
    return *made.back();
  }
  /// ada makes a fighter, and plays it.
  boost::asio::awaitable<bool> enter(Device& who) {
    who.log_in();
    const bool lobby = co_await plays([&] { return who.subject == "account/ada"; });
    if (!lobby) co_return false;
    who.ask<&players::Account::create>(std::string("Bob"));
    const bool created = co_await plays([&] { return who.fates.size() == 1; });
    if (!created) co_return false;
    who.ask<&players::Account::choose>(std::string("ada.1"));
    co_return co_await plays([&] { return who.subject == "player/ada.1" && fighter() != nullptr; });
  }
  Fighter* fighter() {
    for (std::uint64_t id = 1; id < 100; ++id) {
      entity::Entity* const each = home->host.entities().find_here(entity::OnlineId{id});
      if (each != nullptr && each->persistent_id() == "ada.1") return static_cast<Fighter*>(each);
    }
    return nullptr;
  }
  void hit(int damage) {
    EXPECT_TRUE(fighter()->client().call<&players::FighterClient::hit>(damage));
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  entities::Shelf shelf{loop};
  players::PlayerTimes times;
  std::unique_ptr<Home> home;
  std::optional<players::AccountLoader> loader;
  std::optional<players::AccountCalls> logins;
  std::unique_ptr<GateHome> one, two;
  std::vector<std::unique_ptr<Device>> made;
  std::vector<Device*> devices;
};

}  // namespace starbus::nodes::gate
