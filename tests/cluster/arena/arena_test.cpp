/// The arena of examples/ over two hosts, with bots that walk and talk: a node that is killed, and
/// one that drains.
#include "tests/cluster/arena/arena_fixture.hpp"

namespace starbus::cluster_test {
namespace {

constexpr int kBots = 20;

class ArenaTest : public ArenaFixture {
 protected:
  std::unique_ptr<Child> play_meadow() {
    return play("bots = " + std::to_string(kBots) + "\narrive = 0\nduration = '0s'\n[gates]\n" +
                gates() +
                "[login]\nmethod = 'create'\npassword = 'a secret of {n}'\n"
                "[character]\nname = 'B {n}'\n"
                "[walk]\nspeed = 5\nrange = 30\nrest = '0s'\n"
                "[[say]]\nname = 'say'\nmethod = 'hero.say'\n"
                "types = '(str)->!{{u16,u16},{n,bytes}}'\narguments = ['hello']\nrate = 1\n"
                "[[hear]]\nname = 'said'\nmethod = 'arena_client.said'\ntypes = '(str,str,str)'\n"
                "fields = ['skip', 'skip', 'skip']\n");
  }
  /// Where they all are, once they all are in; "": they are not.
  std::string all_in() {
    std::string host;
    EXPECT_TRUE(wait_for(60s, [&] {
      for (const std::string each : {"a", "b"}) {
        if (heroes(each) == kBots) host = each;
      }
      return !host.empty();
    })) << log();
    return host;
  }
};

TEST_F(ArenaTest, HeroesOfANodeThatIsKilledPlayOnElsewhereWithinFiveSeconds) {
  const auto bots = play_meadow();
  const std::string host = all_in();
  ASSERT_FALSE(host.empty());
  daemons["arena-" + host]->kill();
  EXPECT_TRUE(wait_for(5s, [&] { return heroes(other(host)) == kBots; })) << log();
  const json summary = summary_of(*bots);
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["bots"]["came_in"], kBots);
  EXPECT_EQ(summary["connections"]["lost"], 0) << "of a node the gates are not a part";
  EXPECT_EQ(summary["connections"]["troubles"], json::object());
}

TEST_F(ArenaTest, HeroesOfANodeThatDrainsGoToTheOtherHostAndNobodyNotices) {
  const auto bots = play_meadow();
  const std::string host = all_in();
  ASSERT_FALSE(host.empty());
  EXPECT_TRUE(wait_for(20s, [&] { return log().find("2s measured") != std::string::npos; }));
  EXPECT_EQ(daemons["arena-" + host]->terminate(30s), 0);
  EXPECT_EQ(heroes(other(host)), kBots) << log();
  const json summary = summary_of(*bots);
  EXPECT_EQ(summary["violations"]["count"], 0) << summary.dump(1);
  EXPECT_EQ(summary["connections"]["lost"], 0);
  EXPECT_EQ(summary["connections"]["troubles"], json::object());
  EXPECT_EQ(summary["sessions"]["fulls"], 2 * kBots) << "of the account, of the hero: one stretch";
  EXPECT_GT(summary["sight"]["entered"], kBots);
  EXPECT_EQ(summary["sight"]["corrections"], 0);
  // Who asks at the edge of the measured time counts as one who asked and as one who was answered
  // in different stretches; that each request has ended is for the bots to say.
  const json& say = summary["say"][0];
  EXPECT_GT(say["replied"], 0);
  EXPECT_EQ(say["reply_lost"], 0);
  EXPECT_EQ(say["not_begun"], 0);
  EXPECT_EQ(say["unknown"], 0);
}

}  // namespace
}  // namespace starbus::cluster_test
