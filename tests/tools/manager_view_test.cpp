// bustop cluster and shutdown: what they make of the manager's reports.
#include "tools/bustop/manager_view.hpp"

#include <gmock/gmock.h>

#include "tests/tools/fake_daemon.hpp"

namespace starbus::bustop::test {
namespace {

using nodes::manager::ClusterReport;
using nodes::manager::ShutdownPhase;
using nodes::manager::ShutdownReport;
using nodes::manager::StageReport;
using nodes::manager::StageState;
using testing::HasSubstr;
using testing::Not;

StageReport stage(const std::string& name, StageState state, std::uint64_t ended) {
  StageReport made;
  made.name = name;
  made.roles = {"role"};
  made.deadline_ms = 30'000;
  made.state = state;
  made.elapsed_ms = 120;
  made.ended = ended;
  return made;
}

ShutdownReport running() {
  ShutdownReport report;
  report.phase = ShutdownPhase::running;
  report.manager = "a.manager-1";
  report.reason = "test";
  report.stages = {stage("gates", StageState::done, 4), stage("services", StageState::running, 0),
                   stage("spaces", StageState::waiting, 0)};
  report.stages[1].nodes = {{"b.chat-1", "chat", "draining: \x1b[2J"}};
  return report;
}

TEST(ManagerView, CourseShowsEachStageOnce) {
  ShutdownCourse course{Look{}};
  ShutdownReport report = running();
  EXPECT_EQ(course.news(report, false), "gates: done, 4 nodes ended in 120 ms\n");
  EXPECT_EQ(course.news(report, false), "");
  EXPECT_EQ(course.news(report, true),
            "services: waits for 1 node\n  b.chat-1 (chat): draining: \\x1b[2J\n");
  report.stages[1].state = StageState::late;
  report.stages[1].nodes.clear();
  report.stages[2].state = StageState::done;
  report.blocked = {{{"b.chat-1", "chat", "does not answer"}, "services", false}};
  report.phase = ShutdownPhase::done;
  report.elapsed_ms = 31'000;
  EXPECT_EQ(course.news(report, true),
            "services: late, 0 nodes ended in 120 ms\n  b.chat-1 (chat): does not answer\n"
            "spaces: done, 0 nodes ended in 120 ms\n");
  EXPECT_THAT(render_verdict(report, Look{}), HasSubstr("in 31 s, but 1 node did not end in time"));
  EXPECT_THAT(render_verdict(report, Look{}), HasSubstr("does not answer; blocked services"));
  report.blocked[0].gone = true;
  EXPECT_THAT(render_verdict(report, Look{}), HasSubstr("has left since"));
  report.blocked.clear();
  EXPECT_EQ(render_verdict(report, Look{}), "the cluster is shut down, in 31 s\n");
  report.phase = ShutdownPhase::abandoned;
  EXPECT_THAT(render_verdict(report, Look{}), HasSubstr("ask again"));
}

TEST(ManagerView, WhatIsHeldAgainstServicesIsTold) {
  nodes::manager::SetbackReport report;
  EXPECT_EQ(render_setbacks(report, Look{}), "");
  report.rows = {{"chat/2", 6, 5, "b.host-3", 61'000, true, 0},
                 {"rank/3of16", 2, 0, "a.host-1", 1'000, false, 4'000},
                 {"rank/4of16", 2, 0, "a.host-1", 1'000, false, 0}};
  report.left_out = 2;
  EXPECT_EQ(render_setbacks(report, Look{}),
            "chat/2: in quarantine; 6 hosts died while it started or was young, b.host-3 last, "
            "1 m 1 s ago\n"
            "rank/3of16: pauses for 4.0 s; 2 hosts died while it started or was young, a.host-1 "
            "last, 1.0 s ago\n"
            "rank/4of16: watched; 2 hosts died while it started or was young, a.host-1 last, "
            "1.0 s ago\n"
            "note: 2 further ones\n"
            "  -> read the logs and core dumps of those hosts; when the cause is removed: "
            "bustop cluster --release chat/2\n");
}

TEST(ManagerView, ManyNodesAreCounted) {
  ShutdownCourse course{Look{}};
  ShutdownReport report = running();
  report.stages[1].nodes.resize(9, {"b.x", "", ""});
  report.stages[1].left_out = 2;
  const std::string text = course.news(report, true);
  EXPECT_THAT(text, HasSubstr("services: waits for 11 nodes\n"));
  EXPECT_THAT(text, HasSubstr("  and 6 others\n"));
}

TEST(ManagerView, APlanAndAReportAreTables) {
  ShutdownReport report = running();
  EXPECT_THAT(render_shutdown(report, Look{}), HasSubstr("running for 0 ms, a.manager-1: test"));
  report.phase = ShutdownPhase::idle;
  EXPECT_THAT(render_shutdown(report, Look{}), HasSubstr("no shutdown is under way"));
}

TEST(ManagerView, ShowsSilentNodesAndPrintableNames) {
  ClusterReport report;
  report.manager = "a.manager-1";
  report.total = 3;
  report.left_out = 2;
  report.nodes = {{"a.\x1b[2J", "chat", true, true, 400, "ready", "ready, works", 12.3, 0, 1, 2},
                  {"a.silent", "space", true, false, 7'000, "ready", "", 600, 3, 0, 0},
                  {"a.new", "", false, false, 0, "", "", 0, 0, 0, 0}};
  const std::string text = render_managed(report, Look{});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("12 ms"));
  EXPECT_THAT(text, HasSubstr("no answer"));
  EXPECT_THAT(text, HasSubstr("3 nodes, as a.manager-1 sees them"));
  EXPECT_THAT(text, HasSubstr("2 further nodes for which it has no room"));
}

TEST(ManagerView, SaysWhichNodesOfOneRoleAreOfDifferentBuilds) {
  ClusterReport report;
  const auto add = [&](const char* process, const char* role, std::uint64_t dictionary) {
    report.nodes.push_back({process, role, true, true, 0, "ready", "", 0, 0, 0, 0, dictionary});
  };
  add("a.chat-1", "chat", 7);
  add("b.chat-1", "chat", 7);
  add("a.space-1", "space", 8);
  add("c.chat-1", "chat", 0);  // has not answered
  EXPECT_THAT(render_managed(report, Look{}), Not(HasSubstr("note:")));
  add("c.chat-2", "chat", 9);
  EXPECT_THAT(render_managed(report, Look{}),
              HasSubstr("note: nodes of role chat are of 2 builds, which differ in their RPC "
                        "methods: a.chat-1, c.chat-2\n"));
}

TEST(ManagerView, WithoutABusdItSaysWhatToDo) {
  for (const char* command : {"cluster", "shutdown"}) {
    const Ran ran = run({command, "--busd", "unix:///nobody/here", "--timeout", "200ms"}, "");
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("--busd"));
  }
}

}  // namespace
}  // namespace starbus::bustop::test
