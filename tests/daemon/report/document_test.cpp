#include "daemon/report/document.hpp"

#include <gtest/gtest.h>

#include "tests/tools/samples.hpp"

namespace starbus::report {
namespace {

TEST(Document, ReadsStatus) {
  const DaemonStatus status = from_json<DaemonStatus>(bustop::test::kStatusA).value();
  EXPECT_EQ(status.kind, "busd");
  EXPECT_EQ(status.name, "a");
  EXPECT_EQ(status.protocol, "1.0");
  EXPECT_EQ(status.pid, 100);
  EXPECT_EQ(status.counter("messages_forwarded"), 1000U);
  EXPECT_EQ(status.counter("unheard_of"), 0U);
  EXPECT_TRUE(from_json<DaemonStatus>(bustop::test::kStatusRoot).value().is_root());
}

TEST(Document, ReadsTopologies) {
  const HostTopology host = from_json<HostTopology>(bustop::test::kTopologyA).value();
  EXPECT_EQ(host.host, "a");
  EXPECT_TRUE(host.uplink.connected);
  ASSERT_EQ(host.processes.size(), 2U);
  EXPECT_EQ(host.processes[1].name, "a.space-1");
  EXPECT_EQ(host.processes[1].link->silence_ms, 4200);
  const RootTopology root = from_json<RootTopology>(bustop::test::kTopologyRoot).value();
  ASSERT_EQ(root.hosts.size(), 3U);
  EXPECT_EQ(root.hosts[0].link->rtt_us, 340);
  EXPECT_FALSE(root.hosts[2].connected);
  EXPECT_FALSE(root.hosts[2].link);
}

TEST(Document, ReadsEpochsAsTextOrNumber) {
  const NamesPage page =
      from_json<NamesPage>(
          R"({"names":[{"name":"p/1","epoch":"3.17"},{"name":"p/2","epoch":3298534883345}],)"
          R"("next":"p/2","total":9})")
          .value();
  EXPECT_EQ(page.names[0].epoch, "3.17");
  EXPECT_EQ(page.names[1].epoch, "3.17");
  EXPECT_EQ(page.next, "p/2");
  EXPECT_EQ(page.total, 9U);
}

TEST(Document, IgnoresMissingExtraAndWrongFields) {
  EXPECT_TRUE(from_json<DaemonStatus>("{}"));
  EXPECT_TRUE(from_json<RouteInfo>("{}"));
  const LinkInfo link =
      from_json<LinksPage>(
          R"({"links":[7,null,{"id":"x","queued_bytes":3,"bytes_in":-4,"rtt_us":"fast",)"
          R"("suspect":"yes","new_in_version_9":[1]}]})")
          .value()
          .links.at(0);
  EXPECT_EQ(link.id, "x");
  EXPECT_EQ(link.queued(), 0U);
  EXPECT_EQ(link.bytes_in, 0U);
  EXPECT_EQ(link.rtt_us, 0);
  EXPECT_FALSE(link.suspect);
  const HostTopology host =
      from_json<HostTopology>(R"({"processes":{"a":1},"uplink":[],"names":1e300})").value();
  EXPECT_TRUE(host.processes.empty());
  EXPECT_EQ(host.names, 0U);
  EXPECT_TRUE(from_json<DaemonStatus>(R"({"counters":[1,2]})").value().counters.empty());
}

TEST(Document, RefusesTextThatIsNotAnObject) {
  for (const char* text : {"", "null", "[]", "<html>", "{", "7"}) {
    EXPECT_EQ(from_json<DaemonStatus>(text).error(), bus::Errc::bad_bytes) << text;
    EXPECT_EQ(from_json<FailuresPage>(text).error(), bus::Errc::bad_bytes) << text;
  }
  EXPECT_EQ(from_json<LinksPage>(std::string(200'000, '[')).error(), bus::Errc::bad_bytes);
}

TEST(Document, ReadsTailLines) {
  const TailLine line =
      from_json<TailLine>(
          R"({"time_ms":5,"lane":"sync","origin":"a.b","seq":7,"bytes":3,"text":"x"})")
          .value();
  EXPECT_EQ(line.seq, 7U);
  EXPECT_EQ(from_json<TailLine>(R"({"skipped":12})").value().skipped, 12U);
}

TEST(Document, ReadsMailStatus) {
  const MailStatus mail =
      from_json<DaemonStatus>(
          R"({"mail":{"state":"full","reason":"no space","shards_listed":"0-2, 7",)"
          R"("shards_kept":null,"scrub":{"damaged":1,"findings":["x",3]},)"
          R"("damage":{"lost":2,"notes":"none"},"bytes":900,"quota_bytes":1000}})")
          .value()
          .mail.value();
  EXPECT_EQ(mail.state, "full");
  EXPECT_EQ(mail.shards_listed, (std::vector<std::uint8_t>{0, 1, 2, 7}));
  EXPECT_FALSE(mail.shards_kept);
  EXPECT_EQ(mail.scrub.findings, std::vector<std::string>{"x"});
  EXPECT_EQ(mail.damage.lost, 2U);
  EXPECT_TRUE(mail.damage.notes.empty());
  EXPECT_EQ(mail.quota_bytes, 1000U);
  EXPECT_FALSE(from_json<DaemonStatus>(R"({"mail":null})").value().mail);
}

// --- the JSON of docs/operate/admin-api.md, byte by byte
// -------------------------------------------------

LinkInfo sample_link() {
  LinkInfo link;
  link.id = "7";
  link.peer = "a.gate-1";
  link.kind = "process";
  link.address = "pid 1";
  link.greeted = true;
  link.rtt_us = 120;
  link.silence_ms = 200;
  link.queued_bytes = {1, 2, 3, 4};
  link.records_in = 10;
  return link;
}

constexpr const char* kLinkText =
    R"({"address":"pid 1","bundles_in":0,"bundles_out":0,"bytes_in":0,"bytes_out":0,)"
    R"("greeted":true,"id":7,"in_flight_bytes":0,"kind":"process","peer":"a.gate-1",)"
    R"("queued_bytes":{"bulk":4,"call":2,"control":1,"sync":3},"records_in":10,"rtt_us":120,)"
    R"("silence_ms":200,"suspect":false})";

TEST(Document, WritesLinks) {
  EXPECT_EQ(to_json(sample_link()).dump(), kLinkText);
}

TEST(Document, WritesTopologyOfBusd) {
  HostTopology topology;
  topology.host = "a";
  topology.term = 3;
  topology.uplink.endpoint = "tcp://10.0.0.1:7600";
  ProcessInfo process;
  process.name = "a.gate-1";
  process.role = "gate";
  process.pid = 4711;
  process.incarnation = "8";
  process.link = sample_link();
  topology.processes = {process};
  EXPECT_EQ(to_json(topology).dump(),
            R"({"host":"a","kind":"busd","names":0,"processes":[{"connected":true,"incarnation":8,)"
            R"("link":)" +
                std::string(kLinkText) +
                R"(,"name":"a.gate-1","names":0,"pid":4711,"recent_sessions":0,"role":"gate",)"
                R"("software":"","vitals":{"moves":0,"oldest_move":null,"oldest_move_ms":0,)"
                R"("resent_per_s":0,"sent_per_s":0,"stuck_bytes":0,"stuck_channel":null,)"
                R"("window_bytes":0}}],"term":3,"uplink":{"connected":false,)"
                R"("endpoint":"tcp://10.0.0.1:7600","last_error":"","rtt_us":0,"since_s":0}})");
}

TEST(Document, WritesTopologyOfBusroot) {
  RootTopology topology;
  topology.name = "root";
  topology.waiting_for = {"b"};
  HostRow host;
  host.host = "a";
  ProcessInfo process;
  process.name = "a.gate-1";
  process.role = "gate";
  host.processes = {process};
  topology.hosts = {host};
  EXPECT_EQ(to_json(topology).dump(),
            R"({"grace":false,"hosts":[{"connected":false,"host":"a","key":"","link":null,)"
            R"("names":0,"processes":[{"name":"a.gate-1","names":0,"pid":0,"role":"gate"}],)"
            R"("recent_sessions":0,"software":""}],"kind":"busroot","name":"root","names":0,)"
            R"("software":"","term":0,"waiting_for":["b"]})");
}

TEST(Document, WritesStatusWithMailForBusdOnly) {
  DaemonStatus status;
  status.kind = "busroot";
  status.counters["acks"] = 5;
  EXPECT_EQ(to_json(status).dump(),
            R"({"clock_jump_age_s":null,"counters":{"acks":5},"kind":"busroot","loop_lag_ms":0,)"
            R"("name":"","pid":0,"protocol":"","state":"","term":0,"uptime_s":0,"version":""})");
  status.kind = "busd";
  EXPECT_TRUE(to_json(status).at("mail").is_null());
  status.mail.emplace().shards_listed = {0, 1, 5};
  status.clock_jump_age_s = 7;
  const nlohmann::json json = to_json(status);
  EXPECT_EQ(json.at("mail").at("shards_listed"), "0-1, 5");
  EXPECT_TRUE(json.at("mail").at("shards_kept").is_null());
  EXPECT_EQ(json.at("clock_jump_age_s").dump(), "7");
}

TEST(Document, WritesThreeFieldsOfARouteThatIsNotFound) {
  RouteInfo route;
  route.name = "player/7";
  route.id = "00";
  EXPECT_EQ(to_json(route).dump(), R"({"found":false,"id":"00","name":"player/7"})");
  route.found = true;
  EXPECT_EQ(to_json(route).size(), 9U);
}

TEST(Document, WritesNullForTheLastPage) {
  EXPECT_EQ(to_json(NamesPage{}).dump(), R"({"names":[],"next":null,"total":null})");
  EXPECT_EQ(to_json(MailBoxes{}).dump(), R"({"boxes":[],"damaged":[],"next":null})");
  MailPage page;
  page.next = 5;
  EXPECT_EQ(to_json(page).at("next"), 5);
  EXPECT_EQ(to_json(MailMove{}).at("shard"), nullptr);
}

TEST(Document, WritesSkippedTailLinesAlone) {
  TailLine line;
  line.time_ms = 1'795'300'001'000;
  EXPECT_EQ(to_json<nlohmann::ordered_json>(line).dump(),
            R"({"time_ms":1795300001000,"lane":"","origin":"","seq":0,"count":1,"bytes":0,)"
            R"("text":""})");
  line.skipped = 3;
  EXPECT_EQ(to_json(line).dump(), R"({"skipped":3})");
}

/// Writing and reading again gives the same document.
template <class Document>
void expect_round_trip(const Document& document) {
  EXPECT_EQ(from_json<Document>(to_json(document).dump()).value(), document);
}

TEST(Document, SurvivesWritingAndReading) {
  for (const std::string& text : {bustop::test::kStatusA, bustop::test::kStatusRoot}) {
    expect_round_trip(from_json<DaemonStatus>(text).value());
  }
  DaemonStatus crowded = from_json<DaemonStatus>(bustop::test::kStatusA).value();
  crowded.shares =
      HostShares{{1, 2}, {3, 4}, {5, 6}, {{7, 1, 2, 3, 4, 5, 0.5, {{8, "x", 1, 2, 3, 0.25}}}}};
  expect_round_trip(crowded);
  expect_round_trip(from_json<HostTopology>(bustop::test::kTopologyA).value());
  expect_round_trip(from_json<RootTopology>(bustop::test::kTopologyRoot).value());
  expect_round_trip(from_json<LinksPage>(bustop::test::kLinksA).value());
  expect_round_trip(NamesPage{{{"p/1", "00", "a.x", "3.17", "3.16", "active"}}, "p/1", 9});
  expect_round_trip(FailuresPage{{{5, "00", "p/1", "1.2", "no_owner"}}});
  expect_round_trip(Trace{"p/1", "call", "owner", {{"a", 5, 6}}});
  MailStatistics statistics;
  statistics.shards_kept = {3};
  statistics.per_shard = {{3, 1, 2, 3, 4}};
  expect_round_trip(statistics);
  MailMove move;
  move.shard = 9;
  expect_round_trip(move);
}

}  // namespace
}  // namespace starbus::report
