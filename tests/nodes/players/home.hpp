/// Processes with accounts and heroes, kept on one shelf; gates and logins are doubles.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "nodes/hosting/db_saver.hpp"
#include "nodes/players/account.hpp"
#include "nodes/players/player.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/shelf.hpp"

namespace starbus::nodes::players {

namespace rpc = entity::rpc;

struct PersonState : entity::Properties<PersonState, AccountState> {
  STARBUS_FIELDS(Field<int, own_client | save> coins{*this};)
};
class Person final : public entity::EntityOf<Person, Account> {
 public:
  PersonState state;
  AccountState& saved() override { return state; }
  Result<> may_create(const std::string& name) override {
    if (name == "admin") return PlayerErrc::bad_name;
    return {};
  }
  void on_closed(Reason reason) override { closed.push_back(reason); }
  std::vector<Reason> closed;
};

struct HeroState : entity::Properties<HeroState> {
  STARBUS_FIELDS(Field<int, own_client | save> gold{*this};)
};
/// What has happened to heroes that may have ended.
struct HeroLog {
  int losses = 0;
};
class Hero final : public entity::EntityOf<Hero, Player> {
 public:
  HeroState state;
  void on_online(bool back) override { ++(back ? backs : comings); }
  void on_disconnected(Reason) override { ++world().get<HeroLog>().losses; }
  void on_logout() override { state.gold += 1; }
  int comings = 0, backs = 0;
};

/// One process of the game.
struct Home {
  Home(boost::asio::io_context& loop, const bus::Options& options, entities::Shelf& shelf,
       std::uint64_t first, const PlayerTimes& times)
      : drawn(first),
        bus(loop, options),
        saver(shelf, checked_out()),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    host.declare<Person>({.save_when = entities::SaveWhen::at_end});
    host.declare<Hero>({.save_when = entities::SaveWhen::every_change});
    around.load = load_here<Hero>(host);
    around.ticket = [](const std::string&, bus::ByteView bytes) { return read(bytes); };
    around.times = times;
    host.world().add(around);
    host.world().add(log);
    endpoint.on_lease_lost([this] { host.lose_all(); });
  }
  entities::HostOptions with() {
    entities::HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    made.save = saver.store();
    made.load = saver.loader();
    made.take_in = {"player/", "account/"};
    made.tick = std::chrono::milliseconds(5);
    return made;
  }
  entities::DbSaverOptions checked_out() {
    entities::DbSaverOptions how;
    how.checkout = [this](const std::string& type, const std::string& id) {
      return bus.epoch((type == "person" ? "account/" : "player/") + id).value;
    };
    return how;
  }
  /// A ticket of these tests: login, session and gate; without a session a re-entry.
  static bus::Bytes ticket(std::uint64_t login, std::uint64_t session = 0,
                           const std::string& gate = {}) {
    const std::string text = std::to_string(login) + " " + std::to_string(session) + " " + gate;
    const bus::ByteView bytes = bus::as_bytes(text);
    return {bytes.begin(), bytes.end()};
  }
  static std::optional<TicketSeen> read(bus::ByteView bytes) {
    const std::string text(bus::as_text(bytes));
    if (text.empty()) return std::nullopt;
    const auto one = text.find(' ');
    const auto two = text.find(' ', one + 1);
    const std::uint64_t session = std::stoull(text.substr(one + 1, two - one - 1));
    return TicketSeen{session == 0, {session, session}, text.substr(two + 1), std::stoull(text)};
  }
  std::uint64_t drawn;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  entities::DbSaver saver;
  MainLoop main;
  AccountWorld around;
  HeroLog log;
  entities::EntityHost host;
};

/// A process that owns a gate's name. It keeps what it hears, in the order of the parts' numbers.
struct Gate {
  Gate(boost::asio::io_context& loop, const bus::Options& options, std::string name)
      : bus(loop, options), channel(std::move(name)) {}
  sessions::GateId id() const { return {channel, bus.self()}; }
  void take(bus::ByteView body) {
    const auto sections = sessions::decode_bundle(body);
    if (!sections) {
      if (const auto word = sessions::decode_to_gate(body)) words.push_back(*word);
      return;
    }
    for (const sessions::Section& section : *sections) {
      if (section.introduces) handles[section.handle] = *section.introduces;
      at = handles.at(section.handle);
      for (const sessions::Part& part : section.parts) {
        kinds.emplace_back(name_of(part.kind));
        if (part.kind == sessions::PartKind::full) full = *sessions::decode_full(*part.body);
        if (part.kind == sessions::PartKind::reply) {
          const sessions::Reply reply = *sessions::decode_reply(*part.body);
          replies[reply.u] = reply.answer;
        }
      }
    }
  }
  const sessions::End* ended() const {
    for (const sessions::ToGate& word : words) {
      if (const auto* end = std::get_if<sessions::End>(&word)) return end;
    }
    return nullptr;
  }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  std::string channel;
  std::map<std::uint32_t, sessions::Introduction> handles;
  sessions::Introduction at;
  std::vector<std::string> kinds;
  std::vector<sessions::ToGate> words;
  std::map<std::uint64_t, bus::Bytes> replies;
  sessions::FullState full;
};

class PlayersTest : public bus::LoopTest {
 protected:
  boost::asio::awaitable<bool> open() {
    x = std::make_unique<Home>(loop, cluster.node("a", "x"), shelf, 0, times);
    y = std::make_unique<Home>(loop, cluster.node("b", "y"), shelf, 1'000, times);
    for (Home* home : {x.get(), y.get()}) {
      const auto connected = co_await home->bus.connect(boost::asio::use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await home->endpoint.ready(boost::asio::use_awaitable);
      if (!ready) co_return false;
    }
    for (Gate* each : {gate.get(), other.get()}) {
      const auto connected = co_await each->bus.connect(boost::asio::use_awaitable);
      if (!connected) co_return false;
      bus::Handlers handlers;
      handlers.on_message = [each](bus::Message& message) { each->take(message.body()); };
      std::optional<bool> bound;
      each->bus.bind(each->channel, std::move(handlers),
                     [&](const bus::Result<bus::Bound>& done) { bound = done.has_value(); });
      const bool come = co_await until([&] { return bound.has_value(); });
      if (!come || !*bound) co_return false;
      const bus::Process process = each->bus.self();
      const bool known = co_await until([&] {
        return x->endpoint.gates().is_gate(process) && y->endpoint.gates().is_gate(process);
      });
      if (!known) co_return false;
    }
    co_return co_await enter(*x);
  }
  /// ada's account lives here from now on.
  boost::asio::awaitable<bool> enter(Home& home) {
    boost::asio::steady_timer pause(loop);
    for (int tries = 0; tries < 400; ++tries) {
      const auto in =
          co_await home.host.enter<Person>("account/ada", {}, boost::asio::use_awaitable);
      if (in && in->entity != nullptr) {
        ada = in->entity;
        co_return true;
      }
      pause.expires_after(std::chrono::milliseconds(5));
      co_await pause.async_wait(boost::asio::use_awaitable);
    }
    co_return false;
  }
  boost::asio::awaitable<sessions::AccountAnswer> ask(rpc::Endpoint& from,
                                                      const sessions::AskAccount& word) {
    bus::Bytes bytes;
    sessions::encode(word, bytes);
    const std::string text(bus::as_text(bytes));
    const auto answer = co_await rpc::call<&Account::ask>(from, "account/ada", {}, text);
    EXPECT_TRUE(answer) << answer.error().to_string();
    if (!answer) co_return sessions::AccountAnswer{};
    co_return *sessions::decode_account_answer(bus::as_bytes(*answer));
  }
  /// ada proves herself, and comes with this session through this gate.
  boost::asio::awaitable<bool> log_in(Gate& at, std::uint64_t session) {
    const sessions::AskAccount proof = sessions::Prove{};
    const auto proved = co_await ask(y->endpoint, proof);
    const sessions::AskAccount word =
        sessions::BindSession{{session, session},
                              at.id(),
                              1,
                              sessions::seal_of({8, 8}),
                              Home::ticket(proved.login, session, at.channel)};
    const auto bound = co_await ask(at.endpoint, word);
    co_return bound.kind == sessions::AccountAnswerKind::bound;
  }
  boost::asio::awaitable<bool> plays(const Gate& at, const std::string& subject) {
    return until([&at, subject] { return at.full.subject == subject; });
  }
  /// A request of the client to its subject; its answer.
  template <auto M, class... A>
  boost::asio::awaitable<bool> request(Gate& at, std::uint64_t u, A... arguments) {
    sessions::Request made{at.at.session, at.at.turn, at.at.bind, u, {}};
    EXPECT_TRUE((rpc::encode_call<M>(made.body, rpc::Behalf::own_client, 0, arguments...)));
    bus::Bytes bytes;
    sessions::encode(sessions::ToSubject(made), bytes);
    const std::string text(bus::as_text(bytes));
    const std::string subject = at.full.subject;
    const auto taken = co_await rpc::call<&entity::Entity::session>(at.endpoint, subject, {}, text);
    EXPECT_TRUE(taken) << taken.error().to_string();
    co_return co_await until([&at, u] { return at.replies.contains(u); });
  }
  /// Whether the answer is a value.
  static bool good(const Gate& at, std::uint64_t u) {
    entity::Decoder in(at.replies.at(u));
    rpc::ReplyKind kind{};
    rpc::Error error;
    return rpc::get_reply_head(in, kind, error) && kind == rpc::ReplyKind::value;
  }
  /// ada plays her first hero, "player/ada.1".
  boost::asio::awaitable<bool> play() {
    const bool in = co_await log_in(*gate, 5);
    const bool lobby = co_await plays(*gate, "account/ada");
    const bool made = co_await request<&Account::create>(*gate, 1, std::string("Bob"));
    const bool chosen = co_await request<&Account::choose>(*gate, 2, std::string("ada.1"));
    const bool there = co_await plays(*gate, kHero);
    const bool online =
        co_await until([this] { return ada->life_cycle().state_name() == "online"; });
    co_return in&& lobby&& made&& chosen&& there&& online;
  }
  Hero* hero(Home& home) {
    Hero* found = nullptr;
    for (std::uint64_t id = 1; id < 2'000 && found == nullptr; ++id) {
      entity::Entity* const each = home.host.entities().find_here(entity::OnlineId{id});
      if (each != nullptr && each->persistent_id() == "ada.1") found = static_cast<Hero*>(each);
    }
    return found;
  }
  std::string state_of(Home& home) {
    Hero* const there = hero(home);
    return there == nullptr ? "gone" : std::string(there->life_cycle().state_name());
  }

  static constexpr const char* kHero = "player/ada.1";
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  entities::Shelf shelf{loop};
  PlayerTimes times;
  std::unique_ptr<Home> x, y;
  std::unique_ptr<Gate> gate = std::make_unique<Gate>(loop, cluster.node("b", "g1"), "gate/b.g1");
  std::unique_ptr<Gate> other = std::make_unique<Gate>(loop, cluster.node("a", "g2"), "gate/a.g2");
  Person* ada = nullptr;
};

}  // namespace starbus::nodes::players
