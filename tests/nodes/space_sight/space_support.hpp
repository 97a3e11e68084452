/// What the tests of sight in spaces share: a node with a space, players whose clients are at a
/// double of a gate, and what these clients have been told.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "entity/client/link.hpp"
#include "nodes/space/sight/mover.hpp"
#include "nodes/space/sight/space_client.hpp"
#include "nodes/space/sight/watcher.hpp"
#include "tests/nodes/space/node/support.hpp"
#include "tests/nodes/space_sight/sight_world.hpp"

namespace starbus::nodes::sight::test {

namespace sessions = entity::sessions;
using bus::Task;
using sessions::PartKind;
using namespace std::chrono_literals;

class Player final
    : public entity::EntityOf<Player, entity::Entity, entity::Components<Mover, Watcher>> {
 public:
  static constexpr std::string_view kTypeName = "player";
  Mover& mover() { return *component<Mover>(); }
  Watcher& watcher() { return *component<Watcher>(); }
  ThingState state;
};
class Wolf final : public entity::EntityOf<Wolf, entity::Entity, entity::Components<Mover>> {
 public:
  static constexpr std::string_view kTypeName = "wolf";
  Mover& mover() { return *component<Mover>(); }
  ThingState state;
};

class Square final : public space::GameSpace {
 public:
  using GameSpace::GameSpace;

 private:
  WatchOptions watch_options(const entity::Entity& player) override {
    WatchOptions how = GameSpace::watch_options(player);
    how.setup = player.persistent_id() == "loud" ? std::string(kSceneSetup + 1, 'x') : "night";
    return how;
  }
};

/// A client at the gate: takes the parts of its session in the order of their numbers.
struct ClientDouble {
  void take(const sessions::Introduction& at, const sessions::Section& section) {
    if (at.run != run) {
      run = at.run;
      next = 1;
      held.clear();
    }
    bind = at.bind;
    turn = at.turn;
    for (std::size_t i = 0; i < section.parts.size(); ++i) {
      held[section.first + i] = section.parts[i];
    }
    while (held.contains(next)) {
      const sessions::Part part = held[next];
      held.erase(next++);
      kinds.emplace_back(name_of(part.kind));
      on(part);
    }
  }
  void on(const sessions::Part& part) {
    if (part.kind == PartKind::full) {
      copy.seen.clear();
      copy.is_ready = has_scene = false;
    } else if (part.kind == PartKind::sight) {
      on_sight(*part.body);
    } else if (part.kind == PartKind::call) {
      entity::Decoder in(*part.body);
      const auto head = in.take(8);
      EXPECT_EQ(bus::load<std::uint32_t>(head.data()),
                entity::rpc::method_id("starbus_space", "correct"));
      const auto told = entity::decode<movement::Correction>(in.rest());
      ASSERT_TRUE(told);
      corrections.push_back(*told);
    } else if (part.kind == PartKind::reply) {
      const auto reply = sessions::decode_reply(*part.body);
      replies[reply->u] = reply->answer;
    }
  }
  void on_sight(const bus::Bytes& body) {
    const auto read = decode_sight(body);
    ASSERT_TRUE(read);
    if (!read->records.empty()) {
      if (const auto* first = std::get_if<Scene>(&read->records.front())) {
        scene = *first;
        has_scene = true;
      }
    }
    EXPECT_TRUE(has_scene) << "a record before the first scene of a run";
    copy.take(body);
  }
  /// By online id; null: it is not in sight.
  const ClientCopy::Seen* seen(entity::OnlineId id) const {
    for (const auto& [index, each] : copy.seen) {
      if (each.id == static_cast<std::uint64_t>(id)) return &each;
    }
    return nullptr;
  }

  sessions::SessionId session{};
  sessions::Run run{};
  sessions::Bind bind{};
  std::uint32_t turn = 1;
  std::uint64_t next = 1;
  std::uint64_t asked = 0;
  std::map<std::uint64_t, sessions::Part> held;
  std::vector<std::string> kinds;
  ClientCopy copy;
  Scene scene;
  bool has_scene = false;
  std::vector<movement::Correction> corrections;
  std::map<std::uint64_t, bus::Bytes> replies;
};

struct SightGate {
  SightGate(boost::asio::io_context& loop, const bus::Options& options) : bus(loop, options) {}
  void take(bus::ByteView body) {
    const auto sections = sessions::decode_bundle(body);
    if (!sections) return;
    for (const sessions::Section& section : *sections) {
      if (section.introduces) handles[section.handle] = *section.introduces;
      const sessions::Introduction& at = handles.at(section.handle);
      clients[at.session.low].take(at, section);
    }
  }
  bus::Bus bus;
  entity::rpc::Endpoint endpoint{bus};
  std::map<std::uint32_t, sessions::Introduction> handles;
  std::map<std::uint64_t, ClientDouble> clients;
};

class SightSpaces : public space::node_test::SpaceOrdersTest {
 protected:
  static constexpr const char* kGate = "gate/a.g1";

  boost::asio::awaitable<bool> open() {
    const auto declare = [](space::node_test::Place& at) {
      at.entities.declare<Player>();
      at.entities.declare<Wolf>();
      at.host.declare<Square>("square");
    };
    if (!co_await begin({}, declare)) co_return false;
    const auto connected = co_await gate.bus.connect(boost::asio::use_awaitable);
    if (!connected) co_return false;
    bus::Handlers handlers;
    handlers.on_message = [this](bus::Message& message) { gate.take(message.body()); };
    std::optional<bool> bound;
    gate.bus.bind(kGate, std::move(handlers),
                  [&](const bus::Result<bus::Bound>& done) { bound = done.has_value(); });
    if (!co_await until([&] { return bound.has_value(); }) || !*bound) co_return false;
    const bus::Process process = gate.bus.self();
    co_return co_await until([&] { return a->endpoint.gates().is_gate(process); });
  }
  boost::asio::awaitable<bool> make_square(std::uint64_t life = 1, std::uint32_t line = 1) {
    space::SpaceType type = space::node_test::town_type(100);
    type.name = "square";
    decltype(space::Order::what) what = space::Create{{{"square", ""}, line}, std::move(type), ""};
    const Error refused = co_await order(life, std::move(what));
    EXPECT_EQ(refused.code, Code{}) << refused.to_string();
    co_return co_await until([&] { return square(line) != nullptr; });
  }
  space::GameSpace* square(std::uint32_t line = 1) {
    return a->host.find(space::SpaceName{{"square", ""}, line});
  }
  /// A player with a name; its session has this number.
  boost::asio::awaitable<Player*> player(const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    Player* const made = a->entities.entities().create_with<Player>(how).value();
    std::optional<bool> done;
    a->entities.publish(*made, "player/" + name,
                        [&](const bus::Result<>& r) { done = r.has_value(); });
    const bool come = co_await until([&] { return done.has_value(); });
    EXPECT_TRUE(come && *done);
    co_return made;
  }
  boost::asio::awaitable<bool> enter(Player& who, Position at, std::uint64_t life = 1) {
    const std::uint64_t seat = ++seats;
    co_await reserve(life, seat);
    const auto arrived = a->host.arrive(who, ticket(seat), at);
    EXPECT_TRUE(arrived) << arrived.error().to_string();
    co_return arrived.has_value();
  }
  boost::asio::awaitable<sessions::Answer> say(entity::rpc::Endpoint& from, std::string channel,
                                               sessions::ToSubject word) {
    bus::Bytes bytes;
    sessions::encode(word, bytes);
    const std::string text(bus::as_text(bytes));
    const auto answer =
        co_await entity::rpc::call<&entity::Entity::session>(from, channel, {}, text);
    EXPECT_TRUE(answer) << answer.error().to_string();
    if (!answer) co_return sessions::Answer{};
    co_return *sessions::decode_answer(bus::as_bytes(*answer));
  }
  /// A client plays it from now on: the session of that number.
  boost::asio::awaitable<bool> link(std::string name, std::uint64_t session) {
    const sessions::GateId id{kGate, gate.bus.self()};
    const sessions::ToSubject word = sessions::SetLink{
        {session, session},        id,          1, {1, ++binds}, session, "account/" + name,
        sessions::seal_of({8, 8}), std::nullopt};
    const sessions::Answer answer = co_await say(boss->endpoint, "player/" + name, word);
    EXPECT_EQ(answer.kind, sessions::AnswerKind::ok);
    ClientDouble& client = gate.clients[session];
    client.session = {session, session};
    co_return co_await until([&] { return client.has_scene; });
  }
  /// Its client asks; the number of the request.
  template <auto M, class... A>
  boost::asio::awaitable<std::uint64_t> ask(std::string name, ClientDouble& client,
                                            A... arguments) {
    sessions::Request made{client.session, client.turn, client.bind, ++client.asked, {}};
    const std::uint64_t u = client.asked;
    EXPECT_TRUE(
        (entity::rpc::encode_call<M>(made.body, entity::rpc::Behalf::own_client, 0, arguments...)));
    const sessions::ToSubject word = std::move(made);
    const sessions::Answer answer = co_await say(gate.endpoint, "player/" + name, word);
    EXPECT_EQ(answer.kind, sessions::AnswerKind::ok);
    const bool replied = co_await until([&] { return client.replies.contains(u); });
    EXPECT_TRUE(replied);
    co_return u;
  }
  template <class T>
  T value_of(const ClientDouble& client, std::uint64_t u) {
    entity::Decoder in(client.replies.at(u));
    entity::rpc::ReplyKind kind{};
    entity::rpc::Error error;
    EXPECT_TRUE(entity::rpc::get_reply_head(in, kind, error));
    EXPECT_EQ(kind, entity::rpc::ReplyKind::value) << error.to_string();
    const auto value = entity::decode<T>(in.rest());
    EXPECT_TRUE(value);
    return value ? *value : T{};
  }
  /// It has loaded its scene.
  boost::asio::awaitable<bool> ready(std::string name, std::uint64_t session) {
    ClientDouble& client = gate.clients[session];
    client.copy.is_ready = true;  // what is told may come before the reply
    const std::uint64_t u = co_await ask<&Watcher::ready>(name, client, client.copy.number);
    co_return value_of<bool>(client, u);
  }
  movement::MoveReport report(const Player& who, std::uint32_t number, Position to) {
    const movement::MoveCheck& check = *who.component<Mover>()->check();
    movement::MoveReport made{check.epoch(), number, number * 50, {}};
    made.move.position = to;
    return made;
  }

  SightGate gate{loop, cluster.node("a", "g1")};
  std::uint64_t seats = 0;
  std::uint64_t binds = 0;
};

}  // namespace starbus::nodes::sight::test
