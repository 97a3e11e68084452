// What a client sees of a space, and how it moves in it, over written code and a scripted session.
#include "clients/cpp/space/space.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/hex.hpp"
#include "tests/clients/code/heroes.hpp"
#include "tests/clients/cpp/scripted.hpp"
#include "tests/places.hpp"

namespace starbus::game {
namespace {

using namespace scripted;
using SpaceJson = nlohmann::json;
using ::testing::ElementsAre;

SpaceJson file_of_space(const char* path) {
  return SpaceJson::parse(std::ifstream(source_file(path)));
}
const SpaceJson& space_values() {
  static const SpaceJson all = file_of_space("tests/clients/vectors/values.json");
  return all;
}
Bytes bytes_of_space(const SpaceJson& hex) {
  return bytes(starbus::bytes_of_hex(hex.get<std::string>()).value());
}
Bytes hero_step(std::string_view row, std::size_t at) {
  return bytes_of_space(space_values().at(row).at(at).at("hex"));
}

/// A body of one that walks: coarse, on the ground, `x` metres from the origin.
Bytes walk(int x) {
  const std::uint64_t word = 2U + (static_cast<std::uint64_t>(x * 100 + 1'048'576) << 6U) +
                             (std::uint64_t{1'048'576} << 27U);
  Bytes body;
  FieldWriter out(body);
  for (unsigned at = 0; at < 6; ++at) out.byte(static_cast<std::uint8_t>(word >> (8 * at)));
  out.byte(0), out.byte(0x40);
  return body;
}

/// Writes a body of sight.
class SightBytes {
 public:
  SightBytes() { out_.byte(1); }
  SightBytes& scene(std::uint32_t number, const Bytes& move = {}, std::uint32_t epoch = 3) {
    out_.byte(1), out_.number(number), out_.text("space/town");
    for (int origin = 0; origin < 3; ++origin) out_.word(0);
    out_.number(100), out_.word(1000), out_.word(epoch), out_.bytes(move), out_.text("setup");
    return *this;
  }
  SightBytes& enter(std::uint64_t index, std::string_view name, const Bytes& move = {},
                    const Bytes& properties = {}) {
    out_.byte(2), out_.number(index), out_.number(70 + index), out_.text(name);
    out_.bytes(move), out_.bytes(properties);
    return *this;
  }
  SightBytes& leave(std::uint64_t index) {
    out_.byte(3), out_.number(index);
    return *this;
  }
  SightBytes& news(std::uint64_t index, const Bytes& changes) {
    out_.byte(4), out_.number(index), out_.bytes(changes);
    return *this;
  }
  SightBytes& moves(std::uint32_t epoch, std::uint32_t time) {
    out_.byte(5), out_.byte(1), out_.word(epoch), out_.word(7), out_.word(time);
    return *this;
  }
  SightBytes& mover(std::uint8_t index, const Bytes& move) {
    out_.byte(index), out_.byte(0);
    body_.insert(body_.end(), move.begin(), move.end());
    return *this;
  }
  operator ByteView() const { return body_; }  // NOLINT(google-explicit-constructor)

 private:
  Bytes body_;
  FieldWriter out_{body_};
};

/// Keeps what a space tells, a line each.
class SpaceDiary : public SpaceEvents {
 public:
  void on_scene(const Scene* scene) override {
    line("scene " + (scene == nullptr ? "gone" : std::to_string(scene->number)));
  }
  void on_entered(const Seen& seen) override {
    const auto* const hero = seen.as<heroes::HeroSeen>();
    line("entered " + std::to_string(seen.index()) + (hero == nullptr ? "" : " a hero"));
  }
  void on_changed(const Seen& seen, const Changed& changed) override {
    line("changed " + std::to_string(seen.index()) + " " + changed.to_string().substr(254 - 5));
  }
  void on_left(const Seen& seen) override { line("left " + std::to_string(seen.index())); }
  void on_corrected(const Locomotion& from, const Locomotion& to, bool teleport) override {
    line((teleport ? "teleport " : "correction ") + std::to_string(from.position.x).substr(0, 3) +
         " " + std::to_string(to.position.x).substr(0, 3));
  }
  std::vector<std::string> read() { return std::exchange(lines_, {}); }

 private:
  void line(std::string text) { lines_.push_back(std::move(text)); }
  std::vector<std::string> lines_;
};

class GameSpaceView : public ::testing::Test {
 protected:
  Taken take(ByteView body, int now = 0) { return view.take(body, Time(now)); }
  SpaceDiary diary;
  SpaceView view{heroes::seen(), diary};
};

TEST(GameSight, GoldenBodiesAreRead) {
  const SpaceJson golden = file_of_space("tests/nodes/space_sight/vectors/sight.json");
  const Ground ground{{}, 77};
  for (const SpaceJson& row : golden.at("bodies")) {
    SCOPED_TRACE(row.at("name").get<std::string>());
    const Bytes body = bytes_of_space(row.at("hex"));
    const auto read = read_sight(body, ground);
    ASSERT_TRUE(read) << name_of(read.refusal);
    const Bytes moves = bytes_of_space(row.at("moves"));
    ASSERT_EQ(read->size(), row.at("records").size() + (moves.empty() ? 0 : 1));
    std::uint32_t time = 77;
    if (!moves.empty()) {
      const auto& batch = std::get<MoveBatch>(read->back());
      time = batch.time;
      EXPECT_EQ(batch.moves.size(), read_moves(moves, {})->moves.size());
    }
    for (std::size_t at = 0; at < row.at("records").size(); ++at) {
      const SpaceJson& want = row.at("records")[at];
      const SightRecord& record = (*read)[at];
      if (const auto* const scene = std::get_if<Scene>(&record)) {
        EXPECT_EQ(want.at("kind"), "scene");
        EXPECT_EQ(scene->number, want.at("number"));
        EXPECT_EQ(scene->space, want.at("space"));
        EXPECT_EQ(scene->grid, (MoveGrid{want["grid"][0], want["grid"][1], want["grid"][2]}));
        EXPECT_EQ(scene->tick_ms, want.at("tick_ms"));
        EXPECT_EQ(scene->time, want.at("time"));
        EXPECT_EQ(scene->epoch, want.at("epoch"));
        EXPECT_EQ(scene->move.has_value(), want.at("move") != "");
        EXPECT_EQ(scene->setup, bytes_of_space(want.at("setup")));
      } else if (const auto* const enter = std::get_if<Enter>(&record)) {
        EXPECT_EQ(enter->index, want.at("index"));
        EXPECT_EQ(enter->id, want.at("id").get<std::uint64_t>());
        EXPECT_EQ(enter->class_name, want.at("class"));
        EXPECT_EQ(hex_of(text_of(enter->properties)), want.at("properties"));
        const Bytes move = bytes_of_space(want.at("move"));
        ASSERT_EQ(enter->move.has_value(), !move.empty());
        FieldReader in(move);
        if (enter->move) {
          EXPECT_EQ(*enter->move, get_move(in, time, {}).move);
        }
      } else if (const auto* const leave = std::get_if<Leave>(&record)) {
        EXPECT_EQ(leave->index, want.at("index"));
      } else {
        const auto& news = std::get<SeenNews>(record);
        EXPECT_EQ(news.index, want.at("index"));
        EXPECT_EQ(hex_of(text_of(news.changes)), want.at("changes"));
      }
    }
  }
  for (const SpaceJson& row : golden.at("malformed")) {
    const Bytes body = bytes_of_space(row.at("hex"));
    const auto read = read_sight(body, ground);
    EXPECT_EQ(name_of(read.refusal), row.at("error").get<std::string>()) << row.at("name");
  }
}

TEST_F(GameSpaceView, WhoIsInSightEntersChangesMovesAndLeaves) {
  EXPECT_EQ(view.scene(), nullptr);
  ASSERT_EQ(take(SightBytes().scene(1)), Taken::ok);
  EXPECT_EQ(view.scene()->space, "space/town");
  ASSERT_EQ(take(SightBytes().enter(1, "hero", walk(3), hero_step("seen", 0)).enter(2, "tree")),
            Taken::ok);
  const Seen* const hero = view.at(1);
  EXPECT_EQ(hero->id(), 71U);
  EXPECT_EQ(hero->move()->position.x, 3);
  EXPECT_EQ(view.at(2)->as<heroes::HeroSeen>(), nullptr);
  EXPECT_FALSE(view.at(2)->at(5));
  ASSERT_EQ(take(SightBytes().news(1, hero_step("seen", 1)).moves(1, 1100).mover(1, walk(4)), 150),
            Taken::ok);
  EXPECT_EQ(hero->as<heroes::HeroSeen>()->mood, 3);
  EXPECT_EQ(hero->as<heroes::HeroState>(), nullptr);
  EXPECT_EQ(hero->at(1050)->position.x, 3.5F);
  ASSERT_EQ(take(SightBytes().leave(1).enter(1, "tree")), Taken::ok);
  EXPECT_THAT(diary.read(), ElementsAre("scene 1", "entered 1 a hero", "entered 2",
                                        "changed 1 00011", "left 1", "entered 1"));
  std::vector<std::string> all;
  view.each([&](const Seen& seen) { all.push_back(seen.class_name()); });
  EXPECT_THAT(all, ElementsAre("tree", "tree"));
}

TEST_F(GameSpaceView, WhatOthersSeeFollowsTheRecordedSteps) {
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "hero", {}, hero_step("seen", 0))), Taken::ok);
  for (std::size_t at = 1; at < space_values().at("seen").size(); ++at) {
    ASSERT_EQ(take(SightBytes().news(1, hero_step("seen", at))), Taken::ok) << at;
    const SpaceJson& state = space_values().at("seen")[at].at("state");
    const auto* const hero = view.at(1)->as<heroes::HeroSeen>();
    ASSERT_NE(hero, nullptr);
    EXPECT_EQ(hero->nick, state.at("nick"));
    EXPECT_EQ(hero->mood, state.at("mood"));
    EXPECT_EQ(hero->stats.strength, state.at("stats").at("strength"));
    EXPECT_EQ(hero->items.size(), state.at("items").size());
  }
}

TEST_F(GameSpaceView, ASceneForgetsWhatWasSeenAndAFullStateTheScene) {
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "tree")), Taken::ok);
  ASSERT_EQ(take(SightBytes().enter(2, "tree").scene(2).enter(1, "tree")), Taken::ok);
  EXPECT_EQ(view.size(), 1U);
  view.restart(false);
  view.restart(false);
  EXPECT_THAT(diary.read(),
              ElementsAre("scene 1", "entered 1", "scene 2", "entered 1", "scene gone"));
  EXPECT_EQ(take(SightBytes().enter(1, "tree")), Taken::malformed);
}

TEST_F(GameSpaceView, WhatDoesNotFitEndsItAndTellsNothingElse) {
  const Bytes hero = hero_step("seen", 0);
  const Bytes own = hero_step("steps", 0);
  const std::pair<SightBytes, Taken> bad[] = {
      {SightBytes().leave(3), Taken::malformed},
      {SightBytes().enter(1, "tree"), Taken::malformed},
      {SightBytes().leave(1).news(1, hero), Taken::malformed},
      {SightBytes().news(1, own), Taken::malformed},
      {SightBytes().news(1, hero_step("seen", 4)), Taken::gap},
      {SightBytes().enter(3, "hero").news(3, hero_step("seen", 1)), Taken::gap},
      {SightBytes().moves(7, 1100).mover(0, walk(1)), Taken::malformed},
      {SightBytes().scene(8).leave(1), Taken::malformed},
  };
  for (const auto& [body, taken] : bad) {
    ASSERT_EQ(take(SightBytes().scene(7).enter(1, "hero", {}, hero)), Taken::ok);
    diary.read();
    EXPECT_EQ(take(body), taken);
    EXPECT_EQ(view.scene(), nullptr);
    EXPECT_EQ(view.size(), 0U);
    EXPECT_THAT(diary.read(), ElementsAre("scene gone"));
  }
}

TEST_F(GameSpaceView, BytesThatAreCutOrDamagedAreTakenOrEndIt) {
  const SightBytes whole = SightBytes()
                               .news(1, hero_step("seen", 1))
                               .enter(2, "hero", walk(1), hero_step("seen", 0))
                               .leave(1)
                               .scene(8)
                               .enter(3, "hero", walk(1), hero_step("seen", 0))
                               .moves(8, 1100)
                               .mover(3, walk(2));
  const ByteView all = whole;
  std::vector<Bytes> tries;
  for (std::size_t at = 0; at < all.size(); ++at) {
    tries.emplace_back(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at));
    for (const std::byte value : {std::byte{0}, std::byte{0xff}, all[at] ^ std::byte{1}}) {
      tries.emplace_back(all.begin(), all.end());
      tries.back()[at] = value;
    }
  }
  std::size_t refused = 0;
  for (const Bytes& body : tries) {
    ASSERT_EQ(take(SightBytes().scene(7).enter(1, "hero", {}, hero_step("seen", 0))), Taken::ok);
    if (take(body) == Taken::ok) continue;
    ++refused;
    ASSERT_EQ(view.size(), 0U);
  }
  EXPECT_GT(refused, all.size());
}

TEST_F(GameSpaceView, MovesOfAnotherSceneAreIgnored) {
  ASSERT_EQ(take(SightBytes().scene(2).enter(1, "tree", walk(1))), Taken::ok);
  ASSERT_EQ(take(SightBytes().moves(1, 1100).mover(1, walk(5)), 100), Taken::ok);
  EXPECT_EQ(view.at(1)->move()->position.x, 1);
  ASSERT_EQ(take(SightBytes().moves(2, 1100).mover(2, walk(5)).mover(1, walk(3)), 100), Taken::ok);
  EXPECT_EQ(view.at(1)->move()->position.x, 3);
}

TEST_F(GameSpaceView, MoversAreShownAtServerTimeTwoTicksLate) {
  EXPECT_EQ(view.server_time(Time(50)), 0);
  ASSERT_EQ(take(SightBytes().scene(1), 5000), Taken::ok);
  EXPECT_EQ(view.server_time(Time(5000)), 1000);
  EXPECT_EQ(view.shown_time(Time(5000)), 800);
  ASSERT_EQ(take(SightBytes().enter(1, "tree", walk(1)).moves(1, 1100), 5090), Taken::ok);
  EXPECT_EQ(view.at(1)->move()->at, 1100U);  // the time of the batch with which it came
}

TEST_F(GameSpaceView, WhatOthersSeeOfAnotherSchemaWaitsForTheNames) {
  const auto later = [](std::size_t at) { return hero_step("later_seen", at); };
  const Bytes answer = bytes_of_space(space_values().at("names").at("later"));
  const auto names = read_names(ByteView(answer).subspan(2));
  ASSERT_TRUE(names);
  view.restart(true);
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "hero", {}, later(0))), Taken::ok);
  ASSERT_EQ(take(SightBytes().news(1, later(1))), Taken::ok);
  EXPECT_EQ(view.at(1)->as<heroes::HeroSeen>(), nullptr);
  diary.read();
  ASSERT_EQ(view.learn(*names), Taken::ok);
  const SpaceJson& last = space_values().at("later_seen").back();
  const auto* const hero = view.at(1)->as<heroes::HeroSeen>();
  ASSERT_NE(hero, nullptr);
  EXPECT_EQ(hero->stats.strength, last.at("strength"));
  EXPECT_EQ(hero->items.size(), last.at("items"));
  EXPECT_EQ(hero->nick, "");  // of another type there
  EXPECT_EQ(diary.read().size(), 1U);
  // One that comes later is read at once.
  ASSERT_EQ(take(SightBytes().enter(2, "hero", {}, later(0))), Taken::ok);
  EXPECT_EQ(view.at(2)->as<heroes::HeroSeen>()->stats.strength, 3);
}

TEST_F(GameSpaceView, WhatNobodyExplainsIsNotShown) {
  view.restart(true);
  const Bytes later = hero_step("later_seen", 0);
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "hero", walk(1), later)), Taken::ok);
  ASSERT_EQ(view.learn({}), Taken::ok);
  ASSERT_EQ(take(SightBytes().news(1, hero_step("later_seen", 1))), Taken::ok);
  EXPECT_EQ(view.at(1)->as<heroes::HeroSeen>(), nullptr);
  EXPECT_EQ(view.at(1)->move()->position.x, 1);
}

TEST_F(GameSpaceView, WhatOnlyTheServersCodeCanReadIsNotShown) {
  const Bytes answer = bytes_of_space(space_values().at("names").at("later"));
  auto names = read_names(ByteView(answer).subspan(2));
  for (ServerNames::Class& each : names.value.classes) {
    if (!each.name.ends_with("Pet@others")) continue;  // below a field that is passed over
    each.fields.front().shape = "?";
  }
  view.restart(true);
  const Bytes later = hero_step("later_seen", 0);
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "hero", walk(1), later)), Taken::ok);
  ASSERT_EQ(view.learn(*names), Taken::ok);
  ASSERT_EQ(take(SightBytes().news(1, hero_step("later_seen", 1))), Taken::ok);
  EXPECT_EQ(view.at(1)->as<heroes::HeroSeen>(), nullptr);
  EXPECT_EQ(view.size(), 1U);
}

TEST_F(GameSpaceView, WhatWaitsForTheNamesIsBounded) {
  view.restart(true);
  const Bytes later = hero_step("later_seen", 0);
  ASSERT_EQ(take(SightBytes().scene(1).enter(1, "hero", {}, later).enter(2, "hero", {}, later)),
            Taken::ok);
  const Bytes large(kPacketBytes);
  ASSERT_EQ(take(SightBytes().news(1, large)), Taken::ok);
  EXPECT_EQ(take(SightBytes().news(2, large)), Taken::gap);
}

/// A program that plays in a space.
class SpaceProgram : public Events {
 public:
  explicit SpaceProgram(World& world)
      : world_(world), space(heroes::seen(), diary, world.session, step) {}
  static Locomotion step(const Locomotion& from, const float& metres) {
    Locomotion to = from;
    to.position.x += metres;
    return to;
  }
  void on_full(const FullState&) override { space.restart(false); }
  void on_call(const Call& call) override { heard.push_back(space.hear(call, world_.now)); }
  SpaceDiary diary;
  std::vector<Heard> heard;

 private:
  World& world_;

 public:
  Space<float> space;
};

class GameSpace : public ::testing::Test {
 protected:
  void SetUp() override {
    world.diary.also = &program;
    ASSERT_TRUE(world.session.login({"password", "anna", bytes("secret")}, world.now));
    static_cast<void>(world.greeted());
    world.welcome();
    world.full({1, 1});
    ASSERT_EQ(world.session.state(), State::online);
  }
  void begin(std::uint32_t number, std::uint32_t epoch) {
    ASSERT_EQ(program.space.take(SightBytes().scene(number, walk(0), epoch), world.now), Taken::ok);
    ASSERT_EQ(program.space.ready(*program.space.scene()), Asked::ok);
  }
  /// The reports that were said and not been read yet.
  std::vector<MoveReport> reports() {
    std::vector<MoveReport> all;
    for (const auto& frame : world.said()) {
      const auto* const ask = std::get_if<wire::Ask>(&frame);
      if (ask == nullptr) continue;
      last_u = ask->u;
      if (method_of(ask->body) != kMoveMethod) continue;
      ValueReader in(ByteView(ask->body).subspan(10));
      get_value(in, all.emplace_back());
      EXPECT_EQ(in.finish(), Refusal::none);
    }
    return all;
  }
  static std::vector<std::uint32_t> numbers(const std::vector<MoveReport>& all) {
    std::vector<std::uint32_t> made;
    for (const MoveReport& each : all) made.push_back(each.number);
    return made;
  }
  template <class T>
  void answer(std::uint64_t u, const T& value) {
    Bytes body = bytes(std::string_view("\xa8\0", 2));
    ValueWriter out(body);
    put_value(out, value);
    world.packet(wire::PacketKind::reply, sessions::Reply{u, body});
  }
  void correct(const Correction& correction) {
    Bytes body;
    ValueWriter out(body);
    out.word(kCorrectMethod), out.word(kCorrectTypes);
    put_value(out, correction);
    world.say(wire::Packet{++world.c, wire::PacketKind::call, body});
  }
  static Correction correction_to(std::uint32_t epoch, std::uint32_t number, bool teleport,
                                  float x) {
    Correction made{epoch, number, teleport, {}};
    made.move.position.x = x;
    return made;
  }

  World world;
  SpaceProgram program{world};
  std::uint64_t last_u = 0;
};

TEST_F(GameSpace, APacketOfSightIsAnEventWithItsBody) {
  struct Hears : Events {
    Bytes body;
    void on_sight(ByteView sight) override { body.assign(sight.begin(), sight.end()); }
  } hears;
  const auto read = read_to_client(bytes("\x44\x01\x09\x01\x03\x01"));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::get<Packet>(*read).kind, PacketKind::sight);
  world.diary.also = &hears;
  world.say(wire::Packet{++world.c, static_cast<wire::PacketKind>(9), bytes("\x01\x03\x01")});
  EXPECT_EQ(text_of(hears.body), "\x01\x03\x01");
}

TEST_F(GameSpace, ReportsBeginWhenTheSceneIsReady) {
  ASSERT_EQ(program.space.take(SightBytes().scene(1, walk(0)), world.now), Taken::ok);
  ASSERT_NE(program.space.move(1, world.now), nullptr);
  EXPECT_TRUE(reports().empty());
  std::optional<bool> seen;
  ASSERT_EQ(program.space.ready(*program.space.scene(),
                                [&](const auto& answered) { seen = answered.value; }),
            Asked::ok);
  program.space.service(world.now);
  const auto said = reports();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].epoch, 3U);
  EXPECT_EQ(said[0].number, 1U);
  EXPECT_EQ(said[0].move.position.x, 1);
  answer(last_u - 1, true);
  EXPECT_EQ(seen, true);
}

TEST_F(GameSpace, ReportsAreRareAndAcksAreTaken) {
  begin(1, 3);
  for (int frame = 0; frame < 8; ++frame, world.now += 16ms) program.space.move(1, world.now);
  EXPECT_THAT(numbers(reports()), ElementsAre(1, 8));
  answer(last_u, MoveAck{3, 8});
  program.space.move(1, world.now);
  EXPECT_EQ(program.space.due_at(), Time(world.now - 16ms + kReportTime));
  world.now += 100ms;
  program.space.service(world.now);
  EXPECT_THAT(numbers(reports()), ElementsAre(9));
  begin(2, 9);  // numbers go on
  world.now += 100ms;
  program.space.move(1, world.now);
  const auto said = reports();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said[0].number, 10U);
  EXPECT_EQ(said[0].epoch, 9U);
}

TEST_F(GameSpace, CorrectionsAreTakenOnce) {
  begin(1, 3);
  for (int frame = 0; frame < 3; ++frame, world.now += 16ms) program.space.move(1, world.now);
  correct(correction_to(4, 1, false, 0.5F));
  correct(correction_to(4, 1, false, 9));
  EXPECT_EQ(program.space.own()->position.x, 2.5F);
  EXPECT_EQ(program.space.own_shown(world.now)->x, 3);
  correct(correction_to(5, 3, true, 50));
  EXPECT_EQ(program.space.own_shown(world.now)->x, 50);
  EXPECT_THAT(program.diary.read(),
              ElementsAre("scene 1", "correction 3.0 2.5", "teleport 2.5 50."));
  correct(correction_to(6, 3, true, std::numeric_limits<float>::quiet_NaN()));
  EXPECT_EQ(program.heard.back(), Heard::unreadable);
  world.call("other");
  EXPECT_EQ(program.heard.back(), Heard::unknown);
}

TEST_F(GameSpace, WhoHasNoBodyDoesNotMove) {
  ASSERT_EQ(program.space.take(SightBytes().scene(1), world.now), Taken::ok);
  ASSERT_EQ(program.space.ready(*program.space.scene()), Asked::ok);
  EXPECT_EQ(program.space.move(1, world.now), nullptr);
  EXPECT_FALSE(program.space.own_shown(world.now));
  correct(correction_to(4, 1, false, 0.5F));
  EXPECT_TRUE(reports().empty());
}

TEST_F(GameSpace, ReportsThatNobodyAnswersAreBounded) {
  begin(1, 3);
  for (std::size_t turn = 0; turn < 3 * kReportsOpen; ++turn, world.now += 100ms) {
    program.space.move(1, world.now);
  }
  EXPECT_EQ(reports().size(), kReportsOpen);
  EXPECT_EQ(program.space.due_at(), Time::max());
  answer(last_u, MoveAck{3, kReportsOpen});
  program.space.service(world.now);
  EXPECT_THAT(numbers(reports()), ElementsAre(3 * kReportsOpen));
}

TEST_F(GameSpace, MovesWaitWhileTheClientIsAway) {
  begin(1, 3);
  static_cast<void>(reports());
  world.session.disconnected(world.now);
  for (int turn = 0; turn < 9; ++turn, world.now += 100ms) program.space.move(1, world.now);
  EXPECT_EQ(program.space.due_at(), Time::max());
  EXPECT_EQ(world.session.requests_open(), 1U);  // ready alone
}

TEST_F(GameSpace, AnAnswerToASpaceThatIsGoneIsIgnored) {
  begin(1, 3);
  program.space.move(1, world.now);
  static_cast<void>(reports());
  begin(2, 9);
  answer(last_u, MoveAck{9, 1});
  EXPECT_EQ(program.space.own()->position.x, 0);
}

}  // namespace
}  // namespace starbus::game
