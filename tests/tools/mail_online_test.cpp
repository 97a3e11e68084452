// starbus-mail against the admin socket of a daemon with canned answers: shards, move, backup.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/fake_daemon.hpp"
#include "tools/mail/cli.hpp"

namespace starbus::mail_tool {
namespace {

using bustop::test::FakeDaemon;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

std::string move_of(const std::string& state, int taken) {
  return R"({"state":")" + state + R"(","shards":128,"taken":)" + std::to_string(taken) +
         R"(,"shard":7,"from":"b","doing":"copies","rows":20,"bytes":4000,"error":""})";
}

class MailOnline : public testing::Test {
 protected:
  MailOnline() {
    daemon_.set_cluster();
    daemon_.serve("/mail/move");
    daemon_.serve("/mail/backup");
    for (const char* path : {"/mail/boxes", "/mail/peek", "/mail/stats"}) daemon_.serve(path);
    daemon_.take("/mail/detach");
    daemon_.take("/mail/move");
    daemon_.take("/mail/move/stop");
    daemon_.take("/mail/backup");
    daemon_.serve("/mail/offer");
    daemon_.take("/mail/offer");
    daemon_.take("/mail/offer/withdraw");
    daemon_.set("/mail/offer", R"({"offers":[{"to":"b","shards":"0-7"}]})");
    daemon_.set("/mail/offer/withdraw", R"({"withdrawn":"0-7"})");
    daemon_.set("/mail/move", R"({"state":"none","shards":0,"taken":0,"shard":null,"from":"",)"
                              R"("doing":"","rows":0,"bytes":0,"messages":0,"error":""})");
    daemon_.set("/mail/move/stop", move_of("stopping", 3));
    daemon_.set("/at/root/names", names({{0, "b"}, {7, "b"}, {8, "a"}}));
  }
  static std::string names(const std::vector<std::pair<int, std::string>>& shards) {
    json rows = json::array();
    for (const auto& [shard, host] : shards) {
      rows.push_back({{"name", "store/" + std::to_string(shard)}, {"owner", host + ".store"}});
    }
    return json{{"names", rows}, {"next", nullptr}, {"total", shards.size()}}.dump();
  }
  /// `interrupted` is asked at each turn of long work.
  Ran tool(const std::vector<std::string>& arguments, bool terminal = false,
           const std::function<bool()>& interrupted = {}) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_mail_tool(arguments, {out, err, daemon_.url(), terminal, {}, interrupted});
    return {code, out.str(), err.str()};
  }
  bool was_asked(const std::string& target) {
    const auto asked = daemon_.asked();
    return std::ranges::find(asked, target) != asked.end();
  }

  FakeDaemon daemon_;
};

TEST_F(MailOnline, OffersShardsToAHost) {
  for (const auto& wrong : {std::vector<std::string>{"offer", "0-7"},
                            {"offer", "--to", "b"},
                            {"offer", "--withdraw"},
                            {"offer", "0-7", "--to", "b", "--withdraw"},
                            {"offer", "0-999", "--to", "b"}}) {
    EXPECT_EQ(tool(wrong).code, 2);
  }
  const Ran ran = tool({"offer", "0-7", "--to", "b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "host b may take 0-7\n");
  EXPECT_TRUE(was_asked("/mail/offer shards=0-7 to=b"));
  EXPECT_EQ(tool({"offer"}).out, "host b may take 0-7\n");
  EXPECT_EQ(json::parse(tool({"offer", "--json"}).out)["offers"][0]["to"], "b");
  EXPECT_EQ(tool({"offer", "0-7", "--withdraw"}).out, "no host may take 0-7 any more\n");
  EXPECT_TRUE(was_asked("/mail/offer/withdraw shards=0-7"));
  daemon_.set("/mail/offer", R"({"offers":[]})");
  EXPECT_EQ(tool({"offer"}).out, "no shards are offered\n");
}

TEST_F(MailOnline, MovesShardsOrThoseOfAHostButNotBoth) {
  const Ran both = tool({"move", "0-7", "--from", "b"});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.err, AllOf(HasSubstr("leave out 0-7"), HasSubstr("or --from")));
  EXPECT_EQ(tool({"move", "0-7", "--stop"}).code, 2);
  EXPECT_EQ(tool({"move", "--from", "b", "--follow"}).code, 2);
  EXPECT_TRUE(daemon_.asked().empty());
}

TEST_F(MailOnline, MovesAllThatAHostHas) {
  daemon_.set("/mail/move", move_of("done", 128));
  const Ran ran = tool({"move", "--from", "b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "128 of 128 shards are here\n");
  EXPECT_TRUE(was_asked("/mail/move shards=0, 7"));
  const Ran none = tool({"move", "--from", "c"});
  EXPECT_EQ(none.code, 0);
  EXPECT_EQ(none.out, "host c has no shards\n");
  EXPECT_EQ(json::parse(tool({"move", "--from", "c", "--json"}).out)["shards"], 0);
}

TEST_F(MailOnline, AHostThatNobodyKnowsIsAnError) {
  const Ran ran = tool({"move", "--from", "zzz"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("host zzz: not in this cluster"));
  daemon_.set("/at/root/names", "{}", 504);
  daemon_.set("/names", names({{8, "a"}}));
  EXPECT_THAT(tool({"move", "--from", "b"}).err, HasSubstr("busroot does not answer"));
}

TEST_F(MailOnline, WhatIsNoListOfShardsIsAMistakeOnTheCommandLine) {
  for (const char* shards : {"0-300", "x", "256", "7-3"}) {
    const Ran ran = tool({"move", shards});
    EXPECT_EQ(ran.code, 2) << shards;
    EXPECT_THAT(ran.err, HasSubstr("is not a list of shards"));
  }
  EXPECT_TRUE(daemon_.asked().empty());
}

TEST_F(MailOnline, SaysThatThereIsNoMove) {
  EXPECT_EQ(tool({"move"}).out, "no move\n");
  EXPECT_EQ(tool({"move"}).code, 0);
  const Ran ran = tool({"move", "--stop"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "no move is under way\n");
  EXPECT_FALSE(was_asked("/mail/move/stop"));
}

TEST_F(MailOnline, ShowsAMoveOnceWhereThereIsNoTerminal) {
  daemon_.set("/mail/move", move_of("running", 3));
  const Ran ran = tool({"move"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "3 of 128 shards are here; copies shard 7 of b: 20 rows, 4.0 kB\n");
  EXPECT_EQ(json::parse(tool({"move", "--json"}, true).out)["state"], "running");
}

TEST_F(MailOnline, ShowsAMoveUntilItHasEnded) {
  for (const bool terminal : {true, false}) {
    daemon_.set("/mail/move", move_of("running", 3));
    const std::function<bool()> end_it = [this] {
      daemon_.set("/mail/move", move_of("done", 128));
      return false;
    };
    const Ran ran = tool(
        terminal ? std::vector<std::string>{"move"} : std::vector<std::string>{"move", "--follow"},
        terminal, end_it);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.out, "128 of 128 shards are here\n");
  }
}

TEST_F(MailOnline, InterruptedItEndsOnlyWhatItHasBegun) {
  daemon_.set("/mail/move", move_of("running", 3));
  const Ran shown = tool({"move"}, true, [] { return true; });
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.err, HasSubstr("the move continues"));
  EXPECT_FALSE(was_asked("/mail/move/stop"));
  int turns = 0;
  const Ran begun = tool({"move", "0-127"}, true, [&] {
    if (++turns == 2) daemon_.set("/mail/move", move_of("failed", 4));
    return true;
  });
  EXPECT_EQ(begun.code, 1);
  EXPECT_THAT(begun.err, HasSubstr("repeat the command to continue"));
  EXPECT_TRUE(was_asked("/mail/move/stop"));
}

TEST_F(MailOnline, StopsAMove) {
  daemon_.set("/mail/move", move_of("running", 3));
  const Ran ran = tool({"move", "--stop"}, false, [this] {
    daemon_.set("/mail/move", move_of("failed", 4));
    return false;
  });
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "4 of 128 shards are here\n");
  EXPECT_TRUE(was_asked("/mail/move/stop"));
}

TEST_F(MailOnline, SaysWhatABackupHas) {
  daemon_.set("/mail/backup", R"({"state":"done","to":"/b","mailboxes":1,"messages":225,)"
                              R"("rows":230,"bytes":12400,"damaged":0,"error":""})");
  Ran ran = tool({"backup", "/b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "1 mailbox, 225 messages, 12.4 kB are in /b\n");
  daemon_.set("/mail/backup", R"({"state":"failed","to":"/b","rows":0,"bytes":0,)"
                              R"("error":"/b is there already and is not empty"})");
  ran = tool({"backup", "/b"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err, "starbus-mail: no backup: /b is there already and is not empty\n");
}

// To look at the mail of a busd that runs took its store away, and all posts waited.
TEST_F(MailOnline, LsPeekAndStatsLeaveTheStoreToItsBusd) {
  const std::string box =
      R"("name":"player/1","id":"0a","shard":3,"kind":"mailbox","messages":1,"bytes":4,)"
      R"("floor":7,"last":8)";
  daemon_.set("/mail/boxes", R"({"boxes":[{)" + box + R"(}],"damaged":[],"next":null})");
  daemon_.set("/mail/peek", "{" + box +
                                R"(,"rows":[{"number":8,"time_ms":1000,"bytes":4,)"
                                R"("body":"bWFpbA==","cut":false,"trouble":null}],)"
                                R"("next":null})");
  daemon_.set("/mail/stats",
              R"({"host":"a","state":"running","mailboxes":1,"messages":1,"bytes":4,)"
              R"("oldest_ms":1000,"unreadable":0,"age_ms":0,)"
              R"("per_shard":[{"shard":3,"mailboxes":1,"messages":1,"bytes":4,)"
              R"("oldest_ms":1000}]})");
  const auto look = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--directory", "/nowhere", "--busd", daemon_.url(), "--json"});
    return tool(arguments);
  };
  const Ran ls = look({"ls", "player/", "--limit", "5"});
  EXPECT_EQ(ls.code, 0) << ls.err;
  EXPECT_EQ(json::parse(ls.out), json::parse("{" + box + "}"));
  EXPECT_TRUE(was_asked("/mail/boxes limit=5 prefix=player/"));
  const Ran peek = look({"peek", "player/1"});
  EXPECT_EQ(peek.code, 0) << peek.err;
  EXPECT_EQ(json::parse(peek.out)["body"], "bWFpbA==");
  const Ran stats = look({"stats", "--shards"});
  EXPECT_EQ(stats.code, 0) << stats.err;
  EXPECT_EQ(json::parse(stats.out)["shards"][0]["shard"], 3);
  for (const std::string& target : daemon_.asked()) {
    EXPECT_FALSE(target.starts_with("/mail/detach")) << target;
  }
}

TEST_F(MailOnline, SaysThatAnAdminPortIsBusroots) {
  FakeDaemon root;
  root.set("/status", bustop::test::kStatusRoot);
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(run_mail_tool({"move", "--admin", root.url()}, {out, err, ""}), 1);
  EXPECT_THAT(err.str(), HasSubstr("is the admin socket of busroot"));
  EXPECT_THAT(err.str(), HasSubstr("name that of a busd"));
}

}  // namespace
}  // namespace starbus::mail_tool
