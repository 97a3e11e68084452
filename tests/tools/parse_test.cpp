#include "tools/bustop/parse.hpp"

#include <gtest/gtest.h>

#include "tests/tools/samples.hpp"

namespace starbus::bustop {
namespace {

TEST(Parse, Status) {
  const DaemonStatus status = parse_status(test::kStatusA).value();
  EXPECT_EQ(status.kind, "busd");
  EXPECT_EQ(status.name, "a");
  EXPECT_EQ(status.protocol, "1.0");
  EXPECT_EQ(status.pid, 100);
  EXPECT_EQ(status.counter("messages_forwarded"), 1000U);
  EXPECT_EQ(status.counter("unheard_of"), 0U);
  EXPECT_TRUE(parse_status(test::kStatusRoot).value().is_root());
}

TEST(Parse, Topologies) {
  const HostTopology host = parse_host_topology(test::kTopologyA).value();
  EXPECT_EQ(host.host, "a");
  EXPECT_TRUE(host.uplink.connected);
  ASSERT_EQ(host.processes.size(), 2U);
  EXPECT_EQ(host.processes[1].name, "a.space-1");
  EXPECT_EQ(host.processes[1].link->silence_ms, 4200);
  const RootTopology root = parse_root_topology(test::kTopologyRoot).value();
  ASSERT_EQ(root.hosts.size(), 3U);
  EXPECT_EQ(root.hosts[0].link->rtt_us, 340);
  EXPECT_FALSE(root.hosts[2].connected);
  EXPECT_FALSE(root.hosts[2].link);
}

TEST(Parse, EpochsMayBeTextOrPacked) {
  const NamesPage page =
      parse_names(
          R"({"names":[{"name":"p/1","epoch":"3.17"},{"name":"p/2","epoch":3298534883345}],)"
          R"("next":"p/2","total":9})")
          .value();
  EXPECT_EQ(page.names[0].epoch, "3.17");
  EXPECT_EQ(page.names[1].epoch, "3.17");
  EXPECT_EQ(page.next, "p/2");
  EXPECT_EQ(page.total, 9U);
}

TEST(Parse, MissingExtraAndWrongFieldsDoNotMatter) {
  EXPECT_TRUE(parse_status("{}"));
  EXPECT_TRUE(parse_route("{}"));
  const LinkInfo link =
      parse_links(R"({"links":[7,null,{"id":"x","queued_bytes":3,"bytes_in":-4,"rtt_us":"fast",)"
                  R"("suspect":"yes","new_in_version_9":[1]}]})")
          .value()
          .at(0);
  EXPECT_EQ(link.id, "x");
  EXPECT_EQ(link.queued(), 0U);
  EXPECT_EQ(link.bytes_in, 0U);
  EXPECT_EQ(link.rtt_us, 0);
  EXPECT_FALSE(link.suspect);
  const HostTopology host =
      parse_host_topology(R"({"processes":{"a":1},"uplink":[],"names":1e300})").value();
  EXPECT_TRUE(host.processes.empty());
  EXPECT_EQ(host.names, 0U);
  EXPECT_TRUE(parse_status(R"({"counters":[1,2]})").value().counters.empty());
}

TEST(Parse, WhatIsNoObjectIsBadBytes) {
  for (const char* text : {"", "null", "[]", "<html>", "{", "7"}) {
    EXPECT_EQ(parse_status(text).error(), Errc::bad_bytes) << text;
    EXPECT_EQ(parse_failures(text).error(), Errc::bad_bytes) << text;
  }
  EXPECT_EQ(parse_links(std::string(200'000, '[')).error(), Errc::bad_bytes);
}

TEST(Parse, TailLines) {
  const TailLine line =
      parse_tail_line(R"({"time_ms":5,"lane":"sync","origin":"a.b","seq":7,"bytes":3,"text":"x"})")
          .value();
  EXPECT_EQ(line.seq, 7U);
  EXPECT_EQ(parse_tail_line(R"({"skipped":12})").value().skipped, 12U);
}

}  // namespace
}  // namespace starbus::bustop
