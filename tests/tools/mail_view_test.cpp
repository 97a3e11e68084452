// bustop mail, against a daemon with canned answers.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"
#include "tests/tools/fake_daemon.hpp"
#include "tools/mail/cli.hpp"

namespace starbus::bustop::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kBoxesA =
    R"({"boxes":[{"name":"player/1","id":"00","shard":3,"kind":"mailbox","messages":7,)"
    R"("bytes":1200,"floor":2,"last":9}],"damaged":[],"next":null})";
constexpr const char* kBoxesB =
    R"({"boxes":[{"name":"log/\u001b[2J","id":"01","shard":200,"kind":"log","messages":1,)"
    R"("bytes":3,"floor":0,"last":1}],"damaged":["mailbox 02: its row cannot be read"],)"
    R"("next":null})";
constexpr const char* kStatsA =
    R"({"host":"a","state":"running","reason":"","shards_held":128,"mailboxes":1,"messages":7,)"
    R"("bytes":1200,"quota_bytes":5000,"oldest_ms":0,"unreadable":0})";

class BustopMail : public testing::Test {
 protected:
  BustopMail() {
    daemon_.set_cluster();
    for (const char* path : {"/mail/boxes", "/mail/peek", "/mail/stats"}) daemon_.serve(path);
    daemon_.set("/at/root/names",
                R"({"names":[{"name":"store/3","owner":"a.store"},)"
                R"({"name":"store/200","owner":"b.store"}],"next":null,"total":2})");
    daemon_.set("/mail/boxes", kBoxesA);
    daemon_.set("/at/b/mail/boxes", kBoxesB);
    daemon_.set("/mail/stats", kStatsA);
    daemon_.set("/at/b/mail/stats",
                R"({"host":"b","state":"full","reason":"store_full: no space","shards_held":1})");
  }
  Ran bustop(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "mail");
    return run(std::move(arguments), daemon_.url());
  }
  FakeDaemon daemon_;
};

TEST_F(BustopMail, ListsMailboxesOfAllHosts) {
  const Ran ran = bustop({"ls"});
  EXPECT_EQ(ran.code, 2) << "with a note: " << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("player/1     mailbox  a         3         7  1.2 kB     3     9"));
  EXPECT_THAT(ran.out, HasSubstr("log/\\x1b[2J"));
  EXPECT_THAT(ran.out, HasSubstr("2 mailboxes\n"));
  EXPECT_THAT(ran.out, HasSubstr("note: b: mailbox 02"));
  const json list = json::parse(bustop({"ls", "--json"}).out);
  EXPECT_EQ(list["mailboxes"][1]["host"], "a");
  EXPECT_THAT(bustop({"ls", "--host", "b"}).out, Not(HasSubstr("player/1")));
  EXPECT_EQ(bustop({"ls", "--host", "a"}).code, 0);
}

/// It has neither a process nor a shard: only its daemon knows of it.
TEST_F(BustopMail, AHostWhoseStoreIsNotOpenIsShown) {
  daemon_.set("/at/root/names",
              R"({"names":[{"name":"store/3","owner":"a.store"}],"next":null,"total":1})");
  std::string status = kStatusB;
  status.insert(1, R"("mail":{"state":"stopped","reason":"io_error: LOCK: Permission denied"},)");
  daemon_.set("/at/b/status", status);
  daemon_.set("/at/b/mail/stats", R"({"error":"the mail store is not open: see /healthz"})", 503);
  daemon_.set("/at/b/mail/boxes", R"({"error":"the mail store is not open: see /healthz"})", 503);
  const Ran stats = bustop({"stats"});
  EXPECT_EQ(stats.code, 2) << stats.err;
  EXPECT_THAT(stats.out, testing::ContainsRegex("a +running +128"));
  EXPECT_THAT(stats.out, testing::ContainsRegex("b +stopped +- +-"));
  EXPECT_THAT(stats.out, HasSubstr("note: b: io_error: LOCK: Permission denied\n"));
  const json rows = json::parse(bustop({"stats", "--json"}).out)["hosts"];
  EXPECT_EQ(rows[1]["state"], "stopped");
  EXPECT_EQ(rows[1]["reason"], "io_error: LOCK: Permission denied");
  const Ran ls = bustop({"ls"});
  EXPECT_EQ(ls.code, 2) << ls.err;
  EXPECT_THAT(ls.out, HasSubstr("player/1"));
  EXPECT_THAT(ls.out, HasSubstr("note: b: nothing of its mail store is shown, which is stopped: "
                                "io_error: LOCK: Permission denied\n"));
  EXPECT_THAT(bustop({"stats", "--host", "b"}).out, HasSubstr("stopped"));
  EXPECT_EQ(bustop({"ls", "--host", "b"}).code, 2);
}

TEST_F(BustopMail, OfAHostThatDoesNotAnswerNobodyKnowsThatItHasNone) {
  daemon_.set("/at/root/names",
              R"({"names":[{"name":"store/3","owner":"a.store"}],"next":null,"total":1})");
  daemon_.set("/at/b/status", R"({"error":"deadline"})", 504);
  daemon_.set("/at/b/mail/stats", R"({"error":"deadline"})", 504);
  const Ran ran = bustop({"stats"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("b +no answer"));
}

TEST_F(BustopMail, PeeksWhereTheShardIs) {
  const std::string shard = bus::shard_name(bus::shard_of(bus::channel_id("player/1")));
  daemon_.set("/at/root/route",
              R"({"name":")" + shard + R"(","found":true,"owner":"b.store","host":"b"})");
  daemon_.set("/at/b/mail/peek",
              R"({"name":"player/1","messages":2,"bytes":5,"rows":[{"number":3,"time_ms":1000,)"
              R"("bytes":5,"body":"aGVsbG8=","cut":false,"trouble":null},{"number":4,)"
              R"("trouble":"lost"}],"next":5})");
  const Ran ran = bustop({"peek", "player/1"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("player/1 on b: 2 messages"));
  EXPECT_THAT(ran.out, HasSubstr("hello"));
  EXPECT_THAT(ran.out, HasSubstr("lost"));
  EXPECT_THAT(ran.out, HasSubstr("more: --from 5"));
  EXPECT_EQ(json::parse(bustop({"peek", "player/1", "--json"}).out)["rows"][0]["body"], "aGVsbG8=");
  daemon_.set("/at/b/mail/peek", R"({"name":"player/1","messages":1,"bytes":5,"rows":[{"number":3,)"
                                 R"("trouble":"in a damaged block: corrupted"}],"next":null})");
  EXPECT_EQ(bustop({"peek", "player/1"}).code, 2) << "it cannot be read";
  EXPECT_EQ(bustop({"peek", "nothing"}).code, 64);
  daemon_.set("/at/b/mail/peek",
              R"({"error":"unreachable","detail":"no host of that name is connected to busroot"})",
              404);
  const Ran down = bustop({"peek", "player/1"});
  EXPECT_EQ(down.code, 4);
  EXPECT_THAT(down.err, HasSubstr("is kept by b, which is not connected"));
  daemon_.set("/at/root/route", R"({"found":false})");
  EXPECT_EQ(bustop({"peek", "player/1"}).code, 1);
}

TEST_F(BustopMail, StatisticsSayWhatIsFull) {
  const Ran ran = bustop({"stats"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("running"));
  EXPECT_THAT(ran.out, HasSubstr("note: b: store_full: no space"));
  EXPECT_EQ(bustop({"stats", "--host", "a"}).code, 0);
  EXPECT_THAT(ran.out, testing::ContainsRegex("1.2 kB +5.0 kB"));
  EXPECT_EQ(json::parse(bustop({"stats", "--json"}).out)["hosts"][0]["quota_bytes"], 5000);
  daemon_.set("/at/b/mail/stats", R"({"error":"deadline"})", 504);
  EXPECT_THAT(bustop({"stats"}).out, HasSubstr("no answer"));
}

/// Known by the process of its store alone.
TEST_F(BustopMail, AHostWithAStoreAndNoShardsIsShown) {
  std::string topology = kTopologyRoot;
  const std::string none = R"("names":3,"processes":[])";
  ASSERT_NE(topology.find(none), std::string::npos);
  topology.replace(topology.find(none), none.size(),
                   R"("names":3,"processes":[{"name":"b.store","role":"store"}])");
  daemon_.set("/at/root/topology", topology);
  daemon_.set("/at/root/names",
              R"({"names":[{"name":"store/3","owner":"a.store"}],"next":null,"total":1})");
  daemon_.set("/at/b/mail/stats",
              R"({"host":"b","state":"running","reason":"","shards_held":0,"mailboxes":0})");
  const Ran ran = bustop({"stats"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::ContainsRegex("b +running +0 +0 +0"));
  std::ostringstream out;
  std::ostringstream err;
  mail_tool::run_mail_tool({"shards"}, {out, err, daemon_.url()});
  EXPECT_THAT(out.str(), testing::ContainsRegex("b +0 +-\n"));
}

TEST_F(BustopMail, DeadLettersAreShownAsWhatTheyWere) {
  const std::string& log = mail::dead_letters_log(7);
  bus::Bytes letter;
  mail::encode_dead_letter({"player/9", 42, 1'795'300'001'000, "too old", bus::as_bytes("a sword")},
                           letter);
  const std::string text = std::string(bus::as_text(letter));
  daemon_.set("/at/root/route", R"({"name":"store/7","found":true,"owner":"b.store","host":"b"})");
  json rows = json::array();
  rows.push_back({{"number", 1},
                  {"time_ms", 1000},
                  {"bytes", text.size()},
                  {"body", to_base64(text)},
                  {"cut", false}});
  rows.push_back({{"number", 2}, {"time_ms", 1000}, {"bytes", 1}, {"body", "eA=="}});
  daemon_.set("/at/b/mail/peek",
              json{{"name", log}, {"messages", 1}, {"bytes", text.size()}, {"rows", rows}}.dump());
  const Ran ran = bustop({"peek", log});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(" on b: 1 message, "));
  EXPECT_THAT(ran.out, testing::ContainsRegex("7 B +player/9 +42 +too old +a sword"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("1 B +- +- +- +x")) << "no letter: as it is";
  const json shown = json::parse(bustop({"peek", log, "--json"}).out);
  EXPECT_EQ(shown["rows"][0]["letter"]["reason"], "too old");
  EXPECT_FALSE(shown["rows"][1].contains("letter"));
}

TEST_F(BustopMail, APurgeSaysHowManyItErased) {
  daemon_.take("/mail/purge");
  daemon_.set("/mail/purge", R"({"name":"player/1","purged":7})");
  for (const char* const none : {"-1", "0", "99999999999999999999", "x"}) {
    EXPECT_EQ(bustop({"purge", "player/1", "--upto", none}).code, 64) << none;
  }
  Ran ran = bustop({"purge", "player/1", "--upto", "9"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "7 messages erased\n");
  daemon_.set("/mail/purge", R"({"error":"no_owner","detail":"elsewhere"})", 404);
  ran = bustop({"purge", "player/1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("is not in the store of the host at " + daemon_.url()));
  EXPECT_THAT(ran.err, HasSubstr("--admin URL of its busd"));
  EXPECT_EQ(bustop({"purge", "no kind"}).code, 64);
  EXPECT_EQ(bustop({"purge"}).code, 64);
}

TEST_F(BustopMail, NoMailAtAll) {
  daemon_.set("/at/root/names", R"({"names":[],"next":null,"total":0})");
  EXPECT_EQ(bustop({"ls"}).code, 1);
  EXPECT_EQ(bustop({"stats"}).code, 1);
  EXPECT_EQ(bustop({}).code, 64);
}

TEST_F(BustopMail, TheDoctorSeesWhoServesTheShards) {
  std::string status = kStatusB;
  status.insert(1, R"("mail":{"state":"running","shards_listed":"3, 200-255",)"
                   R"("shards_kept":"7, 200-201, 203-255"},)");
  daemon_.set("/at/b/status", status);
  const Ran ran = run({"doctor"}, daemon_.url());
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, HasSubstr("no host serves 254 shards of mail (0-2, 4-199, 201-255)"));
  EXPECT_THAT(ran.out, HasSubstr("b: lists 1 shard of mail (3), which a serves"));
  EXPECT_THAT(ran.out, HasSubstr("b: lists 1 shard of mail (202), which its store does not have"));
  EXPECT_THAT(ran.out, HasSubstr("b: keeps 1 shard of mail (7), which no configuration lists"));
  daemon_.set("/at/root/names", R"({"names":[],"next":null,"total":0})");
  EXPECT_THAT(run({"doctor"}, daemon_.url()).out, Not(HasSubstr("shards of mail")));
}

TEST_F(BustopMail, TheDoctorSeesAShardThatMovesMeanwhile) {
  std::string all;
  for (unsigned shard = 0; shard < bus::kShards; ++shard) {
    all += (shard == 0 ? "" : ",") + std::string(R"({"name":")") +
           bus::shard_name(static_cast<std::uint8_t>(shard)) + R"(","owner":"a.store"})";
  }
  daemon_.set("/at/root/names", R"({"names":[)" + all + R"(],"next":null,"total":256})");
  const Ran ran = run({"doctor"}, daemon_.url(), [this] {  // between the two readings
    daemon_.set("/at/root/names",
                R"({"names":[{"name":"store/3","owner":"b.store"}],"next":null,"total":1})");
  });
  EXPECT_THAT(ran.out, Not(HasSubstr("mail_shards_missing")));
}

TEST_F(BustopMail, TheDoctorSeesAFullStore) {
  std::string status = kStatusB;
  status.insert(1, R"("mail":{"state":"full","reason":"store_full: no space"},)");
  daemon_.set("/at/b/status", status);
  const Ran ran = run({"doctor"}, daemon_.url());
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.out, HasSubstr("its mail store is full: store_full: no space"));
  EXPECT_THAT(ran.out, HasSubstr("mail_store_full"));
  status.replace(status.find("\"full\""), 6, "\"stopped\"");
  daemon_.set("/at/b/status", status);
  EXPECT_THAT(run({"doctor"}, daemon_.url()).out, HasSubstr("mail_store_stopped"));
  status.replace(status.find("\"stopped\""), 9, "\"opening\"");
  daemon_.set("/at/b/status", status);
  EXPECT_THAT(run({"doctor"}, daemon_.url()).out, HasSubstr("mail_store_opening"));
}

}  // namespace
}  // namespace starbus::bustop::test
