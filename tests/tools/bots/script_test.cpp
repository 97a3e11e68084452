// Scripts: the one of the docs and the example are read, and mistakes are named with their line.
#include <gmock/gmock.h>

#include "bus/core/error.hpp"
#include "tests/places.hpp"
#include "tools/bots/limits.hpp"
#include "tools/bots/script.hpp"

namespace starbus::bots {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

std::string problems(const std::string& text) {
  const auto read = parse_script(text, "bots.toml");
  return read ? "" : read.error().detail;
}

TEST(BotScript, TheExampleIsRead) {
  const auto read = read_script(source_file("examples/plaza/bots.toml"));
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->bots, 100u);
  EXPECT_EQ(read->duration, 30s);
  ASSERT_EQ(read->gates.urls.size(), 2u);
  EXPECT_EQ(read->gates.urls[1].address, "127.0.0.1:7702");
  ASSERT_EQ(read->says.size(), 4u);
  EXPECT_EQ(read->says[0].expect, Say::Expect::echo);
  EXPECT_EQ(read->says[1].think_most, 2s);
  EXPECT_EQ(read->says[2].when, Say::When::start);
  ASSERT_EQ(read->hears.size(), 2u);
  EXPECT_TRUE(read->hears[0].has(Hear::Field::account));
  EXPECT_EQ(read->hears[1].group, "world");
  EXPECT_EQ(read->character, "Bob {n}");
  EXPECT_EQ(read->cut_every, 10s);
  EXPECT_EQ(read->takeover_every, 60s);
  EXPECT_FALSE(read->login.in_order);
}

TEST(BotScript, ThatThereIsOneQueueIsSaid) {
  EXPECT_TRUE(parse_script("[login]\nin_order = true\n", "bots.toml")->login.in_order);
  EXPECT_THAT(problems("[login]\nin_order = 1\n"), HasSubstr("bots.toml:2:12"));
}

TEST(BotScript, MistakesNameLineAndWhatToWrite) {
  EXPECT_THAT(problems("bot = 3\n"), HasSubstr("bots.toml:1:1: unknown key 'bot'; did you mean "
                                               "'bots'?"));
  EXPECT_THAT(problems("duration = 30\n"), HasSubstr("bots.toml:1:12: 'duration' must be a "
                                                     "duration such as \"30s\""));
  EXPECT_THAT(problems("[gates]\nurls = ['http://x']\n"), HasSubstr("2:8: 'http://x' is not of "
                                                                    "the form tcp://HOST:PORT"));
  EXPECT_THAT(problems("[gates]\nurls = ['tcp://a:1', 'tls://a:2']\n"),
              HasSubstr("'tls://a:2' is of another kind"));
  EXPECT_THAT(problems("[gates]\nfrom = 'home'\n"), HasSubstr("127.1.0.0/16"));
  EXPECT_THAT(problems("[login]\naccount = 'bob'\n"), HasSubstr("must have {n}"));
  EXPECT_THAT(problems("[login]\nmethod = 'reentry'\n"), HasSubstr("--save-tickets"));
  EXPECT_THAT(problems("bots = \n"), HasSubstr("bots.toml:1:"));
}

TEST(BotScript, WhatIsSaidIsChecked) {
  const std::string say = "[[say]]\nname = 'a'\nmethod = 'c.m'\n";
  EXPECT_EQ(problems(say + "types = '(str)->str'\narguments = ['x']\nrate = 0.5\n"), "");
  EXPECT_THAT(problems(say + "types = 'str'\nrate = 1\n"), HasSubstr("not of the form"));
  EXPECT_THAT(problems(say + "types = '([str])->'\nrate = 1\n"), HasSubstr("'[str]', which no"));
  EXPECT_THAT(problems(say + "types = '(str)->'\nrate = 1\n"),
              HasSubstr("must be 1 values, as 'types' has it; they are 0"));
  EXPECT_THAT(problems(say + "types = '(u8)->'\narguments = [256]\nrate = 1\n"),
              HasSubstr("bots.toml:5:13: argument 1 is out of the range of u8"));
  EXPECT_THAT(problems(say + "types = '(u8)->'\narguments = ['x']\nrate = 1\n"),
              HasSubstr("argument 1 of type u8 must be an integer"));
  EXPECT_THAT(problems(say + "types = '()->'\n"), HasSubstr("one of 'rate', 'think' and 'at'"));
  EXPECT_THAT(problems(say + "types = '()->'\nrate = 1\nthink = '1s'\n"), HasSubstr("give one"));
  EXPECT_THAT(problems(say + "types = '()->'\nrate = 1\nexpect = 'echo'\n"),
              HasSubstr("'echo' needs 'types' that answer str"));
  EXPECT_THAT(problems("[[say]]\nname = 'a'\nmethod = 'm'\ntypes = '()->'\nrate = 1\n"),
              HasSubstr("'m' is not of the form class.method"));
  const std::string good = say + "types = '()->'\nrate = 1\n";
  EXPECT_THAT(problems(good + good), HasSubstr("'a' is the name of another one"));
}

TEST(BotScript, WhatIsHeardIsChecked) {
  const std::string hear = "[[hear]]\nname = 'a'\nmethod = 'c.m'\ntypes = '(str,u64)'\n";
  EXPECT_EQ(problems(hear + "fields = ['account', 'number']\n"), "");
  EXPECT_EQ(problems(hear), "");
  EXPECT_THAT(problems(hear + "fields = ['number']\n"), HasSubstr("'number' must be an argument "
                                                                  "of type u64"));
  EXPECT_THAT(problems(hear + "fields = ['what']\n"), HasSubstr("field 1 must be one of skip"));
  EXPECT_THAT(problems(hear + "fields = ['skip', 'skip', 'skip']\n"), HasSubstr("are more than"));
}

TEST(BotScript, EachBoundIsRefusedByNameAndLine) {
  EXPECT_THAT(problems("bots = 100001\n"), HasSubstr("'bots' must be between 1 and 100000"));
  const std::string say = "[[say]]\nname = 'a'\nmethod = 'c.m'\ntypes = '()->'\n";
  EXPECT_THAT(problems(say + "rate = 1001\n"), HasSubstr("between 0.001 and 1000"));
  EXPECT_THAT(problems(say + "rate = 1\nsize = 60001\n"), HasSubstr("between 0 and 60000"));
  std::string many;
  for (std::size_t i = 0; i <= kSays; ++i) {
    many +=
        "[[say]]\nname = 'a" + std::to_string(i) + "'\nmethod = 'c.m'\ntypes = '()->'\nrate = 1\n";
  }
  EXPECT_THAT(problems(many), HasSubstr("at most 32 of [[say]]"));
  many.clear();
  for (std::size_t i = 0; i <= kHears; ++i) {
    many += "[[hear]]\nname = 'a" + std::to_string(i) + "'\nmethod = 'c.m'\ntypes = '()'\n";
  }
  EXPECT_THAT(problems(many), HasSubstr("at most 32 of [[hear]]"));
  many.clear();
  for (std::size_t i = 0; i <= kStates; ++i) {
    many += "[[state]]\nname = 'a" + std::to_string(i) + "'\nclass = 'c'\nproperties = 'p'\n";
  }
  EXPECT_THAT(problems(many), HasSubstr("at most 4 of [[state]]"));
}

TEST(BotScript, TheOneOfTheArenaIsRead) {
  const auto read = read_script(source_file("examples/arena/chaos.toml"));
  ASSERT_TRUE(read) << read.error().detail;
  ASSERT_TRUE(read->travel);
  EXPECT_EQ(read->travel->portals.size(), 6u);
  EXPECT_EQ(read->travel->portals[3].space, "forest");
  EXPECT_EQ(read->travel->portals[3].x, 190);
  ASSERT_TRUE(read->leave);
  EXPECT_EQ(read->leave->away, 3s);
  EXPECT_EQ(read->walk->toward, "monster");
  EXPECT_TRUE(read->says[2].has_other && read->says[2].has_letter);
  EXPECT_FALSE(read->says[0].has_other);
  EXPECT_EQ(read->says[3].target, "monster");
  ASSERT_EQ(read->states.size(), 2u);
  const StateTable& hero = read->states[0];
  EXPECT_TRUE(hero.own);
  EXPECT_EQ(hero.key, 0u);
  EXPECT_EQ(hero.fields.size(), 8u);
  EXPECT_FALSE(hero.fields[3].others);
  ASSERT_EQ(hero.sums.size(), 1u);
  EXPECT_EQ(hero.sums[0].left, hero.find("gold"));
  ASSERT_EQ(hero.sums[0].right.size(), 3u);
  EXPECT_FALSE(hero.sums[0].right[2].first) << "given is taken away";
  EXPECT_EQ(hero.within, 200ms);
}

TEST(BotScript, TravelsAndLeavesAreChecked) {
  const std::string walk = "[walk]\n[travel]\n";
  const std::string portal = "[[travel.portal]]\nspace = 'town'\n";
  EXPECT_EQ(problems(walk + portal + "at = [1, 2.5]\n"), "");
  EXPECT_THAT(problems(walk), HasSubstr("at least one [[travel.portal]]"));
  EXPECT_THAT(problems(walk + portal + "at = [1]\n"), HasSubstr("5:6: 'at' must be [x, y]"));
  EXPECT_THAT(problems("[travel]\n" + portal + "at = [1, 2]\n"),
              HasSubstr("[travel] needs [walk]"));
  std::string many = walk;
  for (std::size_t i = 0; i <= kPortals; ++i) many += portal + "at = [1, 2]\n";
  EXPECT_THAT(problems(many), HasSubstr("at most 64 of [[travel.portal]]"));
  EXPECT_THAT(problems("[leave]\nevery = 5\n"), HasSubstr("bots.toml:2:9: 'every' must be a"));
}

TEST(BotScript, TargetsAreChecked) {
  const std::string say =
      "[[say]]\nname = 'a'\nmethod = 'c.m'\ntypes = '(u64)->b'\nrate = 1\narguments = "
      "['{target}']\n";
  EXPECT_EQ(problems(say + "target = 'monster'\n"), "");
  EXPECT_THAT(problems(say), HasSubstr("'{target}' needs 'target', a class"));
}

TEST(BotScript, BotsWalkOnlyIfToldTo) {
  const std::string text =
      "[gates]\nurls = ['tcp://127.0.0.1:7000']\n[login]\naccount = 'bot{n}'\n";
  EXPECT_FALSE(parse_script(text, "x")->walk);
  const auto walks = parse_script(text + "[walk]\nspeed = 2\nrest = '0s'\n", "x");
  ASSERT_TRUE(walks) << walks.error().detail;
  ASSERT_TRUE(walks->walk);
  EXPECT_EQ(walks->walk->speed, 2);
  EXPECT_EQ(walks->walk->range, 40);
  EXPECT_EQ(walks->walk->rest, milliseconds(0));
  EXPECT_FALSE(walks->walk->paths);
  EXPECT_EQ(parse_script(text + "[walk]\npaths = 7\n", "x")->walk->paths, 7U);
  EXPECT_THAT(problems("[walk]\nspeed = 0\n"), HasSubstr("'speed' must be between 0.1 and 100"));
  EXPECT_THAT(problems("[walk]\nrange = 0\n"), HasSubstr("'range' must be between 1 and 10000"));
}

TEST(BotScript, PlacesAreFilled) {
  EXPECT_EQ(filled("a {n} {account} {payload} {n}", 7, {"bob", "{n}"}), "a 7 bob {n} 7");
  EXPECT_EQ(filled("{other}: {letter}", 7, {"bob", "", "ada", "1.2"}), "ada: 1.2");
}

TEST(GateUrls, OfEachKindAreRead) {
  const auto plain = read_gate_url("tcp://127.0.0.1:7000");
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tls || plain->web_socket);
  const auto secure = read_gate_url("wss://gate.example:7443/play?x=1");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->tls);
  EXPECT_EQ(secure->web_socket, "/play?x=1");
  EXPECT_EQ(secure->address, "gate.example:7443");
  EXPECT_EQ(read_gate_url("ws://[::1]:1")->web_socket, "/");
  for (const char* bad : {"127.0.0.1:7000", "tcp://x", "tcp://x:0", "tcp://x:1/y", "udp://x:1",
                          "ws://x:1/a b", "ws://x:1/a\r\nHost: y", "://"}) {
    EXPECT_FALSE(read_gate_url(bad)) << bad;
  }
}

TEST(GateUrls, SourcesAreTheAddressesOfANetwork) {
  const auto all = read_sources("127.1.0.0/16");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->count, 65'534u);
  EXPECT_EQ(all->at(0), "127.1.0.1");
  EXPECT_EQ(all->at(65'534), "127.1.0.1");
  EXPECT_EQ(all->at(256), "127.1.1.1");
  EXPECT_EQ(read_sources("127.0.0.9")->at(3), "127.0.0.9");
  for (const char* bad : {"", "x", "127.0.0.1/31", "127.0.0.1/7", "127.0.0.1/", "::1/64"}) {
    EXPECT_FALSE(read_sources(bad)) << bad;
  }
}

}  // namespace
}  // namespace starbus::bots
