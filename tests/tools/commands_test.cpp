// The real commands against a daemon with canned answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "bus/core/wire/ids.hpp"
#include "tests/tools/fake_daemon.hpp"

namespace starbus::bustop::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Commands : public testing::Test {
 protected:
  Commands() { daemon_.set_cluster(); }
  Ran bustop(std::vector<std::string> arguments) {
    return run(std::move(arguments), daemon_.url());
  }
  /// Parsed output of a run with --json that succeeds.
  json bustop_json(std::vector<std::string> arguments, int code = 0) {
    arguments.push_back("--json");
    const Ran ran = bustop(std::move(arguments));
    EXPECT_EQ(ran.code, code) << ran.err;
    return json::parse(ran.out);
  }
  FakeDaemon daemon_;
};

TEST_F(Commands, Tree) {
  const Ran ran = bustop({"tree"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "NAME           ROLE    PID  NAMES     RTT  STATE         VERSION\n"
            "busroot        root         1.5 k          up\n"
            "├─ a *         busd         1.5 k  340 us  up            0.1.0\n"
            "│  ├─ gate-1   gate   4711      2  120 us  up            arena 1\n"
            "│  └─ space-1  space  4712  1.5 k   95 us  silent 4.2 s  arena 1\n"
            "├─ b           busd             3  400 us  up            0.1.0\n"
            "│  └─ space-2  space    99      3   80 us  up            arena 1\n"
            "└─ c           busd             0       -  down          0.1.0\n");
}

TEST_F(Commands, TreeAsJson) {
  const json tree = bustop_json({"tree"});
  EXPECT_EQ(tree["root"]["term"], 3);
  ASSERT_EQ(tree["hosts"].size(), 3U);
  EXPECT_EQ(tree["hosts"][0]["processes"][1]["name"], "a.space-1");
  EXPECT_EQ(tree["hosts"][0]["processes"][1]["state"], "silent");
  EXPECT_EQ(tree["hosts"][2]["state"], "down");
  EXPECT_TRUE(tree["notes"].empty());
}

TEST_F(Commands, WithoutBusrootThisHostIsShown) {
  daemon_.set("/at/root/topology", R"({"error":"unreachable"})", 503);
  const Ran ran = bustop({"tree"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("gate-1"));
  EXPECT_THAT(ran.out, HasSubstr("note: busroot did not answer"));
  EXPECT_EQ(bustop_json({"tree"})["root"], nullptr);
}

TEST_F(Commands, AHostThatDoesNotAnswerIsShownAsBusrootKnowsIt) {
  daemon_.set("/at/b/topology", R"({"error":"deadline"})", 504);
  const Ran ran = bustop({"tree"});
  EXPECT_THAT(ran.out, HasSubstr("no answer"));
  EXPECT_THAT(ran.out, HasSubstr("note: b did not answer"));
}

TEST_F(Commands, HostsAndNodes) {
  EXPECT_THAT(bustop({"hosts"}).out, HasSubstr("rq:rM>}U…"));
  EXPECT_EQ(bustop_json({"hosts"})["hosts"].size(), 3U);
  EXPECT_EQ(bustop_json({"hosts"})["hosts"][0]["link"]["rtt_us"], 340);
  EXPECT_THAT(bustop({"nodes"}).out, HasSubstr("a.space-1  space  4712  silent 4.2 s  1.5 k"));
  EXPECT_EQ(bustop_json({"nodes"})["nodes"][2]["host"], "b");
}

TEST_F(Commands, BusrootAsTheDaemonThatIsAsked) {
  FakeDaemon root;
  root.set("/status", kStatusRoot);
  root.set("/topology", kTopologyRoot);
  root.set("/links", kLinksRoot);
  const Ran ran = run({"tree"}, root.url());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("gate-1"));
  EXPECT_THAT(ran.out, Not(HasSubstr("note:")));
  EXPECT_EQ(run({"tail", "player/1"}, root.url()).code, 4);
  EXPECT_LE(run({"doctor"}, root.url()).code, 2);
}

TEST_F(Commands, RootAdminIsAskedDirectly) {
  FakeDaemon root;
  root.set("/topology", R"({"name":"direct","term":9,"hosts":[]})");
  EXPECT_THAT(bustop({"--root-admin", root.url(), "tree"}).out, HasSubstr("direct"));
}

TEST_F(Commands, ChannelsPageThroughAll) {
  daemon_.set("/at/root/names",
              R"({"names":[{"name":"player/1","owner":"a.space-1","epoch":"3.1","lineage":"3.1",)"
              R"("state":"active"}],"next":"player/1","total":2})");
  const Ran first = bustop({"channels", "player/", "--limit", "1"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("player/1  a.space-1"));
  EXPECT_THAT(first.out, HasSubstr("1 of 2 names that begin with player/, as busroot knows; more "
                                   "with --all"));
  EXPECT_THAT(daemon_.asked(), Contains("/at/root/names limit=1 prefix=player/"));
  // The fake gives the same page for ever: a page that does not advance ends it.
  EXPECT_EQ(bustop_json({"channels", "--all"})["channels"].size(), 2U);
  EXPECT_THAT(daemon_.asked(), Contains("/at/root/names limit=1000 after=player/1 prefix="));
}

TEST_F(Commands, ChannelsOfAHostAndWithoutBusroot) {
  daemon_.set("/at/b/names", R"({"names":[{"name":"only/b"}],"total":1})");
  EXPECT_THAT(bustop({"channels", "--host", "b"}).out, HasSubstr("only/b"));
  EXPECT_THAT(bustop({"channels", "--host", "b"}).out, HasSubstr("\n1 name, as b knows\n"));
  EXPECT_THAT(bustop({"channels", "only/", "--host", "b"}).out,
              HasSubstr("1 name that begins with only/, as b knows\n"));
  daemon_.set("/names", R"({"names":[{"name":"only/a"}],"total":1})");
  EXPECT_THAT(bustop({"channels"}).out, HasSubstr("note: busroot did not answer"));
}

TEST_F(Commands, RouteWithItsHops) {
  daemon_.set("/at/root/route",
              R"({"name":"player/7","id":"3f","found":true,"owner":"b.space-2","host":"b",)"
              R"("epoch":"3.17","lineage":"3.2","confirmed":true,"state":"active"})");
  const Ran ran = bustop({"route", "player/7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "channel  player/7\n"
            "id       3f\n"
            "owner    b.space-2 on b\n"
            "epoch    3.17, lineage 3.2, active\n"
            "\n"
            "HOP  FROM     TO         ROUND TRIP\n"
            "1    busd a   busroot        340 us\n"
            "2    busroot  busd b         400 us\n"
            "3    busd b   b.space-2       80 us\n"
            "     sum                     820 us\n");
  EXPECT_EQ(bustop_json({"route", "player/7"})["rtt_us"], 820);
}

TEST_F(Commands, RouteOfNobodys) {
  daemon_.set("/at/root/route", R"({"found":false})");
  EXPECT_EQ(bustop({"route", "player/7"}).code, 1);
  EXPECT_THAT(bustop({"route", "player/7"}).out, HasSubstr("no_owner"));
  EXPECT_THAT(bustop({"route", "service/chat"}).out, HasSubstr("bustop channels service/chat#"));
  EXPECT_EQ(bustop_json({"route", "player/7"}, 1)["found"], false);
  EXPECT_EQ(bustop({"route", "nokind"}).code, 64);
}

TEST_F(Commands, RouteToAProcessIsKnownToItsHost) {
  daemon_.set("/at/root/route", R"({"name":"process/b.space-2","id":"70","found":false})");
  const Ran ran = bustop({"route", "process/b.space-2"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("owner    b.space-2 on b\n"));
  EXPECT_THAT(ran.out, HasSubstr("820 us"));
  EXPECT_EQ(bustop({"route", "process/b.gone"}).code, 1);
}

TEST_F(Commands, WhyMergesDaemonsAndNamesTheCure) {
  daemon_.set("/at/root/route",
              R"({"found":true,"owner":"b.space-2","host":"b","confirmed":true})");
  daemon_.set("/at/root/failures",
              R"({"failures":[{"age_ms":2000,"origin":"x","reason":"overflow"}]})");
  daemon_.set(
      "/at/b/failures",
      R"({"failures":[{"age_ms":50,"origin":"y","reason":"already_bound: by \u001b[2J"}]})");
  const Ran ran = bustop({"why", "player/7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(ran.out.find("50 ms  b"), ran.out.find("2.0 s  root"));
  EXPECT_THAT(ran.out, HasSubstr("already_bound: the channel has an owner"));
  EXPECT_THAT(ran.out, HasSubstr("-> use another name"));
  EXPECT_THAT(ran.out, HasSubstr("overflow: a queue on the way was full"));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(bustop_json({"why", "player/7"})["failures"][0]["where"], "b");
}

TEST_F(Commands, WhyResolvesOriginsOfKnownProcesses) {
  daemon_.set("/at/root/route", R"({"found":false})");
  char origin[32];
  std::snprintf(origin, sizeof origin, "%08x.%08x", bus::host_id("a"), bus::slot_id("space-1"));
  daemon_.set("/at/root/failures", std::string(R"({"failures":[{"age_ms":1,"reason":"no_owner",)") +
                                       R"("origin":")" + origin + R"("}]})");
  EXPECT_THAT(bustop({"why", "player/7"}).out, HasSubstr("a.space-1"));
}

TEST_F(Commands, WhyIsHonestAboutNothing) {
  daemon_.set("/at/root/route", R"({"found":false})");
  daemon_.set("/at/root/failures", R"({"error":"deadline"})", 504);
  const Ran ran = bustop({"why", "player/7"});
  EXPECT_THAT(ran.out, HasSubstr("nothing recorded by a."));
  EXPECT_THAT(ran.out, HasSubstr("note: busroot did not answer"));
  EXPECT_EQ(bustop_json({"why", "player/7"})["silent"][0], "busroot");
}

TEST_F(Commands, TailOnTheOwnersHost) {
  daemon_.set("/at/root/route", R"({"found":true,"owner":"a.space-1","host":"a"})");
  daemon_.tail = {R"({"time_ms":1,"lane":"sync","origin":"a.gate-1","seq":7,"count":2,"bytes":9,)"
                  R"("text":"hi\u001b[2J"})",
                  "", R"({"skipped":3})"};
  const Ran ran = bustop({"tail", "player/7"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("sync  a.gate-1  #7+1  9 B  hi\\x1b[2J\n"));
  EXPECT_THAT(ran.out, HasSubstr("3 lines skipped"));
  const Ran one = bustop({"tail", "player/7", "--json", "--count", "1"});
  EXPECT_EQ(json::parse(one.out)["seq"], 7);
}

TEST_F(Commands, TailElsewhereSaysWhere) {
  daemon_.set("/at/root/route", R"({"found":true,"owner":"b.space-2","host":"b"})");
  const Ran ran = bustop({"tail", "player/7"});
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("on host b run:  bustop tail 'player/7'"));
  EXPECT_EQ(bustop({"tail", "--here", "player/7"}).code, 0);
}

TEST_F(Commands, RatesFromTwoReadings) {
  const auto grow = [this] {
    daemon_.set("/at/root/status", R"({"kind":"busroot","name":"busroot","pid":90,"counters":)"
                                   R"({"messages_forwarded":99999,"bytes_forwarded":9999999}})");
  };
  const Ran ran = run({"rates", "--once", "--json"}, daemon_.url(), grow);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json rates = json::parse(ran.out);
  EXPECT_EQ(rates["daemons"][0]["name"], "busroot");
  EXPECT_GT(rates["daemons"][0]["messages_per_s"], 0);
  EXPECT_EQ(rates["daemons"][1]["links"].size(), 3U);
  EXPECT_EQ(rates["daemons"].size(), 3U);  // c has no link: it is not asked
  EXPECT_EQ(bustop_json({"rates", "--once", "--local"})["daemons"].size(), 1U);
}

TEST_F(Commands, DoctorFindsTheHostThatIsDown) {
  const Ran ran = bustop({"doctor"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("error   c: busroot knows it"));
  EXPECT_THAT(ran.out, HasSubstr("[host_down]"));
  const json doctor = bustop_json({"doctor"}, 2);
  EXPECT_EQ(doctor["findings"][0]["check"], "host_down");
  EXPECT_EQ(doctor["exit_code"], 2);
}

TEST_F(Commands, DoctorWithoutADaemon) {
  const Ran ran = run({"doctor", "--timeout", "500ms"}, "http://127.0.0.1:1");
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("[daemon_unreachable]"));
}

TEST(CommandsWithoutADaemon, SayWhatToDo) {
  for (const char* command : {"tree", "hosts", "nodes", "channels", "rates"}) {
    const Ran ran = run({command}, "http://127.0.0.1:1");
    EXPECT_EQ(ran.code, 3) << command;
    EXPECT_THAT(ran.err, HasSubstr("--admin unix://PATH")) << command;
    EXPECT_EQ(ran.out, "");
  }
  EXPECT_EQ(run({"route", "player/1"}, "http://127.0.0.1:1").code, 3);
  EXPECT_EQ(run({"why", "player/1"}, "http://127.0.0.1:1").code, 3);
  EXPECT_EQ(run({"tail", "player/1"}, "http://127.0.0.1:1").code, 3);
}

TEST(CommandsWithoutADaemon, ForeignServersAreTold) {
  FakeDaemon other;
  other.set("/status", "<html>hello</html>");
  const Ran ran = run({"tree"}, other.url());
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("is not the admin socket"));
}

TEST(CommandLine, WrongUseAndHelp) {
  EXPECT_EQ(run({"nonsense"}, "").code, 64);
  EXPECT_EQ(run({"route"}, "").code, 64);
  EXPECT_EQ(run({"rates", "--interval", "soon"}, "").code, 64);
  EXPECT_EQ(run({"channels", "--limit", "0"}, "").code, 64);
  EXPECT_EQ(run({"--admin", "nowhere", "tree"}, "").code, 64);
  EXPECT_EQ(run({"--json"}, "").code, 64);
  EXPECT_EQ(run({"--help"}, "").code, 0);
  EXPECT_THAT(run({"--help"}, "").out, HasSubstr("doctor"));
  EXPECT_EQ(run({"--version"}, "").code, 0);
}

}  // namespace
}  // namespace starbus::bustop::test
