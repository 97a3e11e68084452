// bustop mail, against a daemon with canned answers.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "bus/core/name.hpp"
#include "bus/core/post_head.hpp"
#include "tests/tools/fake_daemon.hpp"

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
    R"("bytes":1200,"oldest_ms":0,"unreadable":0})";

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
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("player/1     mailbox  a         3         7  1.2 kB     3     9"));
  EXPECT_THAT(ran.out, HasSubstr("log/\\x1b[2J"));
  EXPECT_THAT(ran.out, HasSubstr("2 mailboxes\n"));
  EXPECT_THAT(ran.out, HasSubstr("note: b: mailbox 02"));
  const json list = json::parse(bustop({"ls", "--json"}).out);
  EXPECT_EQ(list["mailboxes"][1]["host"], "a");
  EXPECT_THAT(bustop({"ls", "--host", "b"}).out, Not(HasSubstr("player/1")));
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
  EXPECT_EQ(bustop({"peek", "nothing"}).code, 64);
  daemon_.set("/at/root/route", R"({"found":false})");
  EXPECT_EQ(bustop({"peek", "player/1"}).code, 1);
}

TEST_F(BustopMail, StatisticsSayWhatIsFull) {
  const Ran ran = bustop({"stats"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("running"));
  EXPECT_THAT(ran.out, HasSubstr("note: b: store_full: no space"));
  EXPECT_EQ(bustop({"stats", "--host", "a"}).code, 0);
  daemon_.set("/at/b/mail/stats", R"({"error":"deadline"})", 504);
  EXPECT_THAT(bustop({"stats"}).out, HasSubstr("no answer"));
}

TEST_F(BustopMail, APurgeSaysHowManyItErased) {
  daemon_.take("/mail/purge");
  daemon_.set("/mail/purge", R"({"name":"player/1","purged":7})");
  Ran ran = bustop({"purge", "player/1", "--upto", "9"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "7 messages erased\n");
  daemon_.set("/mail/purge", R"({"error":"no_owner","detail":"elsewhere"})", 404);
  ran = bustop({"purge", "player/1"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("is not in this host's store"));
  EXPECT_EQ(bustop({"purge", "no kind"}).code, 64);
  EXPECT_EQ(bustop({"purge"}).code, 64);
}

TEST_F(BustopMail, NoMailAtAll) {
  daemon_.set("/at/root/names", R"({"names":[],"next":null,"total":0})");
  EXPECT_EQ(bustop({"ls"}).code, 1);
  EXPECT_EQ(bustop({"stats"}).code, 1);
  EXPECT_EQ(bustop({}).code, 64);
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
