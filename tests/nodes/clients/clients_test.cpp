// Entities with clients: one stream of calls, properties and replies, through moves; a double
// stands for the gate, another for the account.
#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <functional>

#include "entity/client/link.hpp"
#include "entity/objects/names/client_names.hpp"
#include "entity/properties/properties.hpp"
#include "entity/rpc/rpc.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/nodes/hosting/town.hpp"

namespace starbus::nodes::entities {

// Not in the namespace without a name: nobody defines its methods.
struct KnightClient {
  void said(std::string text);
  void hit(int damage, std::string by);
  static constexpr auto kClient = entity::client_methods(
      "test_knight_client", entity::client_method<&KnightClient::said>("said"),
      entity::client_method<&KnightClient::hit>("hit"));
};

namespace {

using boost::asio::use_awaitable;
using bus::Task;
using ::testing::ElementsAre;
namespace sessions = entity::sessions;
using sessions::PartKind;

struct KnightState : entity::Properties<KnightState> {
  entity::Field<int, entity::own_client> gold{this, "gold"};
  entity::Field<int> secret{this, "secret"};
};

class Saddle final : public entity::ComponentOf<Saddle>, public rpc::Callable<Saddle> {
 public:
  static constexpr std::string_view kComponentName = "test_saddle";
  int mount(rpc::Caller&, int speed) { return speed + 1; }
  int fall(rpc::Caller&) { throw std::runtime_error("/srv/horses.toml of host b"); }
  static constexpr auto kRpc =
      rpc::methods("test_saddle", rpc::method<&Saddle::mount>("mount", rpc::own_client),
                   rpc::method<&Saddle::fall>("fall", rpc::own_client));
};

class Knight final : public entity::EntityOf<Knight, entity::Entity, entity::Components<Saddle>> {
 public:
  static constexpr std::string_view kTypeName = "knight";
  explicit Knight(const entity::ConstructKey& key) : EntityOf(key) {}
  int buy(rpc::Caller& from, int price) {
    last = from.from;
    if (before_buying) before_buying();
    state.gold -= price;
    static_cast<void>(client().call<&KnightClient::said>("bought"));
    return state.gold;
  }
  void forbidden(rpc::Caller&) { state.secret = 1; }
  entity::Root* properties() override { return &state; }
  void on_client() override { ++comings; }
  void on_client_gone(sessions::Reason reason) override { goings.push_back(reason); }
  void on_player_word(const sessions::ToAccount& word) override {
    left.push_back(std::get<sessions::Left>(word));
  }
  KnightState state;
  rpc::From last = rpc::From::server;
  int comings = 0;
  std::vector<sessions::Reason> goings;
  std::vector<sessions::Left> left;
  std::function<void()> before_buying{};
  static constexpr auto kRpc =
      rpc::methods("test_knight", rpc::method<&Knight::buy>("buy", rpc::own_client),
                   rpc::method<&Knight::forbidden>("forbidden"));

 private:
  ~Knight() override = default;
};

/// A process that owns a gate's name. It puts parts in the order of their numbers, as a gate does.
struct GateDouble {
  GateDouble(boost::asio::io_context& loop, const bus::Options& options, std::string name)
      : bus(loop, options), channel(std::move(name)) {}
  void take(bus::ByteView body) {
    auto sections = sessions::decode_bundle(body);
    if (!sections) {
      if (const auto word = sessions::decode_to_gate(body)) words.push_back(*word);
      return;
    }
    for (const sessions::Section& section : *sections) {
      if (section.introduces) handles[section.handle] = *section.introduces;
      const sessions::Introduction& at = handles.at(section.handle);
      if (at.run != run) {
        run = at.run;
        next = 1;
      }
      turn = at.turn;
      for (std::size_t i = 0; i < section.parts.size(); ++i) {
        held[section.first + i] = section.parts[i];
      }
      while (held.contains(next)) {
        const sessions::Part part = held[next];
        held.erase(next++);
        kinds.emplace_back(name_of(part.kind));
        parts.push_back(part);
        if (part.kind == PartKind::full) full = *sessions::decode_full(*part.body);
        if (part.kind == PartKind::full && !full.properties.empty()) {
          EXPECT_TRUE(copy.apply_snapshot(full.properties));
        }
        if (part.kind == PartKind::news) {
          EXPECT_TRUE(copy.apply_delta(*part.body));
        }
      }
    }
  }
  std::size_t count(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::count(kinds, kind));
  }
  sessions::GateId id() const { return {channel, bus.self()}; }

  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  std::string channel;
  std::map<std::uint32_t, sessions::Introduction> handles;
  std::map<std::uint64_t, sessions::Part> held;
  sessions::Run run{};
  std::uint64_t next = 1;
  std::uint32_t turn = 0;
  std::vector<std::string> kinds;
  std::vector<sessions::Part> parts;
  std::vector<sessions::ToGate> words;
  sessions::FullState full;
  KnightState copy;
};

class ClientsTest : public bus::LoopTest {
 protected:
  ClientsTest() {
    x->host.declare<Knight>();
    y->host.declare<Knight>();
    gate->copy.become_replica(entity::Audience::own_client);
    other->copy.become_replica(entity::Audience::own_client);
  }
  boost::asio::awaitable<bool> open() {
    for (Town* town : {x.get(), y.get()}) {
      const auto connected = co_await town->bus.connect(use_awaitable);
      if (!connected) co_return false;
      const auto ready = co_await town->endpoint.ready(use_awaitable);
      if (!ready) co_return false;
    }
    for (GateDouble* each : {gate.get(), other.get()}) {
      const auto connected = co_await each->bus.connect(use_awaitable);
      if (!connected) co_return false;
      bus::Handlers handlers;
      handlers.on_message = [each](bus::Message& message) { each->take(message.body()); };
      std::optional<bool> bound;
      each->bus.bind(each->channel, std::move(handlers),
                     [&](const bus::Result<bus::Bound>& done) { bound = done.has_value(); });
      if (!co_await until([&] { return bound.has_value(); }) || !*bound) co_return false;
      const bus::Process process = each->bus.self();
      if (!co_await until([&] {
            return x->endpoint.gates().is_gate(process) && y->endpoint.gates().is_gate(process);
          })) {
        co_return false;
      }
    }
    account = static_cast<Knight*>(x->host.entities().create_by_name("knight").value());
    knight = static_cast<Knight*>(x->host.entities().create_by_name("knight").value());
    co_return co_await publish(*account, "account/ada") && co_await publish(*knight, "knight/7");
  }
  boost::asio::awaitable<bool> publish(Knight& who, std::string name) {
    std::optional<bool> done;
    x->host.publish(who, std::move(name), [&](const bus::Result<>& r) { done = r.has_value(); });
    const bool come = co_await until([&] { return done.has_value(); });
    co_return come&&* done;
  }
  /// A word, from the process of this endpoint.
  boost::asio::awaitable<sessions::Answer> say(rpc::Endpoint& from,
                                               const sessions::ToSubject& word) {
    bus::Bytes bytes;
    sessions::encode(word, bytes);
    const std::string text(bus::as_text(bytes));
    const auto answer = co_await rpc::call<&entity::Entity::session>(from, "knight/7", {}, text);
    EXPECT_TRUE(answer) << answer.error().to_string();
    if (!answer) co_return sessions::Answer{};
    co_return *sessions::decode_answer(bus::as_bytes(*answer));
  }
  sessions::SetLink set(std::uint64_t counter = 1, sessions::SessionId session = {5, 5},
                        std::uint64_t login = 1) const {
    return {
        session,     gate->id(), 1, {1, counter}, login, "account/ada", sessions::seal_of({8, 8}),
        std::nullopt};
  }
  boost::asio::awaitable<bool> link() {
    const sessions::ToSubject word1 = set();
    const sessions::Answer answer = co_await say(y->endpoint, word1);
    EXPECT_EQ(answer.kind, sessions::AnswerKind::ok);
    co_return co_await until([&] { return gate->count("full") == 1; });
  }
  template <auto M, class... A>
  sessions::Request request(std::uint64_t u, std::uint32_t turn, const A&... arguments) const {
    sessions::Request made{{5, 5}, turn, {1, 1}, u, {}};
    EXPECT_TRUE((rpc::encode_call<M>(made.body, rpc::Behalf::own_client, 0, arguments...)));
    return made;
  }
  /// The value of the reply to u; nullopt: an error, or none.
  std::optional<int> replied(const GateDouble& at, std::uint64_t u) const {
    for (const sessions::Part& part : at.parts) {
      if (part.kind != PartKind::reply) continue;
      const sessions::Reply reply = *sessions::decode_reply(*part.body);
      if (reply.u != u) continue;
      entity::Decoder in(reply.answer);
      rpc::ReplyKind kind{};
      rpc::Error error;
      if (!rpc::get_reply_head(in, kind, error) || kind != rpc::ReplyKind::value) continue;
      return in.number<int>();
    }
    return std::nullopt;
  }
  boost::asio::awaitable<bool> move_to(Town& to) {
    Town& from = &to == x.get() ? *y : *x;
    auto* const here = from.host.entities().find_as<Knight>(id);
    std::optional<std::string> end;
    from.host.move(*here, &to == x.get() ? "a.x" : "b.y", [&](const bus::Result<>& moved) {
      end = moved ? "moved" : moved.error().to_string();
    });
    const bool come = co_await until([&] { return end.has_value(); });
    EXPECT_EQ(end.value_or("?"), "moved");
    knight = to.host.entities().find_as<Knight>(id);
    co_return come&& knight != nullptr;
  }

  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  std::unique_ptr<Town> x = std::make_unique<Town>(loop, cluster.node("a", "x"), 0);
  std::unique_ptr<Town> y = std::make_unique<Town>(loop, cluster.node("b", "y"), 1'000);
  std::unique_ptr<GateDouble> gate =
      std::make_unique<GateDouble>(loop, cluster.node("b", "g1"), "gate/b.g1");
  std::unique_ptr<GateDouble> other =
      std::make_unique<GateDouble>(loop, cluster.node("a", "g2"), "gate/a.g2");
  Knight* account = nullptr;
  Knight* knight = nullptr;
  const entity::OnlineId id{2};
};

TEST_F(ClientsTest, CallsPropertiesAndRepliesGoDownOneStream) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_FALSE(knight->client());
    EXPECT_EQ(knight->client().call<&KnightClient::said>("x").error(),
              sessions::SessionErrc::no_client);
    knight->state.gold = 100;
    EXPECT_TRUE(co_await link());
    EXPECT_TRUE(knight->client());
    EXPECT_EQ(knight->comings, 1);
    EXPECT_EQ(gate->full.subject, "knight/7");
    EXPECT_EQ(gate->copy.gold.get(), 100);
    EXPECT_TRUE((knight->client().call<&KnightClient::hit>(5, "orc")));
    knight->state.gold = 90;
    EXPECT_TRUE(co_await until([&] { return gate->copy.gold.get() == 90; }));
    const sessions::ToSubject word2 = request<&Knight::buy>(1, 1, 30);
    const sessions::Answer taken = co_await say(gate->endpoint, word2);
    EXPECT_EQ(taken.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return gate->copy.gold.get() == 60; }));
    EXPECT_EQ(knight->last, rpc::From::own_client);
    EXPECT_EQ(replied(*gate, 1), 60);
    EXPECT_THAT(gate->kinds, ElementsAre("full", "call", "news", "call", "reply", "news"));
    // The bytes of a call: id, types, arguments.
    entity::Decoder in(*gate->parts[1].body);
    const auto head = in.take(8);
    EXPECT_EQ(bus::load<std::uint32_t>(head.data()), rpc::method_id("test_knight_client", "hit"));
    EXPECT_EQ(in.number<int>(), 5);
    EXPECT_EQ(in.text(), "orc");
  });
}

/// So that it leaves with the answer to the gate, which wakes once for both.
TEST_F(ClientsTest, AReplyIsSaidBeforeWhatItsRequestHasPosted) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    std::optional<std::size_t> unsaid;
    knight->before_buying = [&] {
      boost::asio::post(loop, [&] { unsaid = knight->client().link()->state().unsent.size(); });
    };
    const sessions::ToSubject word = request<&Knight::buy>(1, 1, 30);
    EXPECT_EQ((co_await say(gate->endpoint, word)).kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return replied(*gate, 1).has_value(); }));
    EXPECT_EQ(unsaid, 0U);
  });
}

TEST_F(ClientsTest, ARequestHasTheRightsOfItsOwnClientAlone) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::ToSubject word3 = request<&Knight::forbidden>(1, 1);
    const auto begun = co_await say(gate->endpoint, word3);
    EXPECT_EQ(begun.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return gate->count("reply") == 1; }));
    EXPECT_EQ(knight->state.secret.get(), 0);
    // Another gate, and another client of the same gate, are not its own.
    const sessions::LinkState& state = knight->client().link()->state();
    const std::uint64_t number = sessions::client_number(state.session, state.bind);
    const rpc::CallOptions own{.behalf = rpc::Behalf::own_client, .client = number};
    const rpc::CallOptions wrong{.behalf = rpc::Behalf::own_client, .client = number + 1};
    auto good = co_await rpc::call<&Knight::buy>(gate->endpoint, "knight/7", own, 1);
    EXPECT_TRUE(good) << good.error().to_string();
    auto bad = co_await rpc::call<&Knight::buy>(gate->endpoint, "knight/7", wrong, 1);
    EXPECT_EQ(bad.error(), rpc::Errc::not_permitted);
    bad = co_await rpc::call<&Knight::buy>(other->endpoint, "knight/7", own, 1);
    EXPECT_EQ(bad.error(), rpc::Errc::not_permitted);
    // One that nobody plays believes no gate.
    bad = co_await rpc::call<&Knight::buy>(gate->endpoint, "account/ada", own, 1);
    EXPECT_EQ(bad.error(), rpc::Errc::not_permitted);
    EXPECT_EQ(x->endpoint.counters().false_clients, 3U);
    const sessions::ToSubject word4 = request<&Knight::buy>(2, 1, 1);
    const auto stranger = co_await say(other->endpoint, word4);
    EXPECT_EQ(stranger.kind, sessions::AnswerKind::refused);
  });
}

TEST_F(ClientsTest, ARequestReachesTheMethodsOfComponents) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::ToSubject word = request<&Saddle::mount>(1, 1, 41);
    const sessions::Answer taken = co_await say(gate->endpoint, word);
    EXPECT_EQ(taken.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return gate->count("reply") == 1; }));
    EXPECT_EQ(replied(*gate, 1), 42);
  });
}

TEST_F(ClientsTest, AClientIsNotToldTheTextOfWhatWasThrown) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::ToSubject word = request<&Saddle::fall>(1, 1);
    EXPECT_EQ((co_await say(gate->endpoint, word)).kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return gate->count("reply") == 1; }));
    const sessions::Reply reply = *sessions::decode_reply(*gate->parts.back().body);
    entity::Decoder in(reply.answer);
    rpc::ReplyKind kind{};
    rpc::Error error;
    EXPECT_TRUE(rpc::get_reply_head(in, kind, error));
    EXPECT_EQ(error, rpc::Errc::failed);
    EXPECT_EQ(error.detail, "");
  });
}

TEST_F(ClientsTest, AQuestionForNamesIsAnsweredForAnySubject) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const auto ask = [](std::uint64_t u, std::uint64_t hash) {
      sessions::Request made{{5, 5}, 1, {1, 1}, u, {}};
      entity::Encoder out(made.body);
      rpc::CallHeader head;
      head.method = rpc::method_id("starbus", "names");
      head.signature = rpc::hash32("([u64])->names1");
      rpc::put_header(out, head);
      for (const std::uint64_t number : {std::uint64_t{1}, hash}) out.varint(number);
      return made;
    };
    const sessions::ToSubject same = ask(1, entity::client_table().hash);
    const sessions::ToSubject foreign = ask(2, 7);
    co_await say(gate->endpoint, same);
    co_await say(gate->endpoint, foreign);
    EXPECT_TRUE(co_await until([&] { return gate->count("reply") == 2; }));
    std::vector<std::string> answers;
    for (const sessions::Part& part : gate->parts) {
      if (part.kind != PartKind::reply) continue;
      const sessions::Reply reply = *sessions::decode_reply(*part.body);
      answers.emplace_back(bus::as_text(reply.answer));
    }
    EXPECT_EQ(answers[0].size(), 12U);  // head, form, hash, same
    EXPECT_NE(answers[1].find("test_knight.buy"), std::string::npos);
    EXPECT_NE(answers[1].find("test_knight_client.said"), std::string::npos);
    EXPECT_NE(answers[1].find("KnightState"), std::string::npos);
    EXPECT_EQ(answers[1].find("test_knight.forbidden"), std::string::npos);
  });
}

TEST_F(ClientsTest, TheStreamGoesOnThroughAMove) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::Run run = gate->run;
    EXPECT_TRUE((knight->client().call<&KnightClient::said>("before")));
    knight->state.gold = 1;
    EXPECT_TRUE(co_await move_to(*y));
    EXPECT_TRUE(knight->client());
    EXPECT_TRUE((knight->client().call<&KnightClient::said>("after")));
    knight->state.gold = 2;
    EXPECT_TRUE(co_await until([&] { return gate->copy.gold.get() == 2; }));
    EXPECT_EQ(gate->run, run) << "no full state";
    EXPECT_EQ(gate->count("full"), 1U);
    EXPECT_EQ(gate->count("call"), 2U);
    EXPECT_EQ(gate->count("idle"), 1U);
    EXPECT_TRUE(gate->held.empty());
    const sessions::ToSubject word5 = request<&Knight::buy>(1, 1, 1);
    const auto taken = co_await say(gate->endpoint, word5);
    EXPECT_EQ(taken.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return replied(*gate, 1) == 1; }));
  });
}

TEST_F(ClientsTest, AnotherGateTakesOverAndATakeoverReplaces) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::Relink relink{
        {5, 5}, {1, 1}, 2, other->id(), {{{8, 8}, sessions::seal_of({9, 9})}}};
    const sessions::ToSubject word6 = relink;
    const auto obeyed = co_await say(other->endpoint, word6);
    EXPECT_EQ(obeyed.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return other->turn == 2; }));
    const sessions::ToSubject word7 = request<&Knight::buy>(1, 1, 1);
    const auto late = co_await say(gate->endpoint, word7);
    EXPECT_EQ(late.kind, sessions::AnswerKind::dropped);
    // A second login, at the first gate.
    const sessions::ToSubject word8 = set(2, {6, 6}, 2);
    const auto taken = co_await say(y->endpoint, word8);
    EXPECT_EQ(taken.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(co_await until([&] { return !other->words.empty() && gate->count("full") == 2; }));
    EXPECT_EQ(std::get<sessions::End>(other->words[0]).reason, sessions::Reason::replaced);
    const sessions::ToSubject word9 = sessions::Pulse{{5, 5}, 2, {1, 1}, {}, 1};
    const auto replaced = co_await say(other->endpoint, word9);
    EXPECT_EQ(replaced.kind, sessions::AnswerKind::replaced);
  });
}

/// Calls go on without credit; when there is some, what has waited comes at its newest.
TEST_F(ClientsTest, PropertiesAndUpdatesWaitForCreditAndCallsDoNot) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const entity::Client client = knight->client();
    EXPECT_TRUE(client.call<&KnightClient::said>(std::string(sessions::kFirstCredit, 'x')));
    EXPECT_TRUE(co_await until([&] { return gate->count("call") == 1; }));
    const sessions::DropRule stays{sessions::kNeverOld, 0};
    for (int i = 1; i <= 5; ++i) {
      knight->state.gold = i;
      EXPECT_TRUE(client.update<&KnightClient::hit>(7, stays, i, "a bear"));
      EXPECT_TRUE(client.update<&KnightClient::hit>(8, stays, i, "a bear"));
      EXPECT_TRUE(client.call<&KnightClient::said>("still here"));
      const std::size_t calls = static_cast<std::size_t>(i) + 1;
      EXPECT_TRUE(co_await until([&] { return gate->count("call") == calls; }));
    }
    client.drop_update(8);
    EXPECT_EQ(gate->count("news"), 0U);
    const sessions::ToSubject credit =
        sessions::Credit{{5, 5}, {1, 1}, gate->run, gate->next - 1, 100'000};
    const auto taken = co_await say(gate->endpoint, credit);
    EXPECT_EQ(taken.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(
        co_await until([&] { return gate->count("news") == 1 && gate->count("call") == 7; }));
    EXPECT_EQ(gate->copy.gold.get(), 5);
    EXPECT_EQ(x->host.clients().droppables(), (sessions::DropCounters{1, 8, 0, 0}));
  });
}

TEST_F(ClientsTest, AnEntityThatEndsLetsItsClientGo) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    knight->destroy();
    EXPECT_TRUE(co_await until([&] { return !account->left.empty() && gate->count("over") == 1; }));
    EXPECT_EQ(account->left[0].subject, "knight/7");
    EXPECT_EQ(account->left[0].reason, sessions::Reason::ended);
    EXPECT_EQ(x->host.clients().size(), 0U);
  });
}

TEST_F(ClientsTest, AClientWhoseGateIsGoneIsAway) {
  run([this]() -> Task {
    EXPECT_TRUE(co_await open());
    EXPECT_TRUE(co_await link());
    const sessions::ToSubject word10 = sessions::Unknown{{5, 5}, 1};
    const auto unknown = co_await say(gate->endpoint, word10);
    EXPECT_EQ(unknown.kind, sessions::AnswerKind::ok);
    EXPECT_TRUE(knight->client().link()->away());
    EXPECT_TRUE(knight->client()) << "until kAwayTime";
    const sessions::ToSubject word11 = sessions::ClientGone{{5, 5}, {1, 1}};
    const auto gone = co_await say(gate->endpoint, word11);
    EXPECT_EQ(gone.kind, sessions::AnswerKind::ok);
    EXPECT_THAT(knight->goings, ElementsAre(sessions::Reason::away));
    EXPECT_TRUE(co_await until([&] { return !account->left.empty(); }));
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
