// The admin interface of real daemons: which role each path needs, what the port serves, and what
// the role of a caller is worth at another host.
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

using testing::HasSubstr;

constexpr unsigned kObserver = 54321;
constexpr unsigned kReader = 54322;
constexpr unsigned kStranger = 65534;

/// Asks as another user: the thread changes, the process does not.
HttpAnswer as_user(unsigned uid, const std::function<HttpAnswer()>& ask) {
  HttpAnswer answer;
  std::thread([&] {
    ASSERT_EQ(::syscall(SYS_setgroups, 0, nullptr), 0);
    ASSERT_EQ(::syscall(SYS_setresgid, uid, uid, uid), 0);
    ASSERT_EQ(::syscall(SYS_setresuid, uid, uid, uid), 0);
    answer = ask();
  }).join();
  return answer;
}

/// "GET /names": "observe", as the daemon says.
std::map<std::string, std::string> roles_of(const Daemon& daemon) {
  std::map<std::string, std::string> roles;
  const nlohmann::json answer = daemon.json("/nothing-is-here");
  for (const auto& route : answer.at("routes")) {
    const auto path = route.at("path").get<std::string>();
    if (route.contains("role")) roles["GET " + path] = route.at("role").get<std::string>();
    if (route.at("methods").get<std::string>().ends_with("POST")) roles["POST " + path] = "operate";
  }
  return roles;
}

class AdminTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    ASSERT_EQ(::chmod(cluster.folder().c_str(), 0755), 0);
  }
  int status_as(unsigned uid, const std::string& target) {
    const std::string admin = cluster.busd("a").admin();
    return as_user(uid, [&] { return http_get(admin, target); }).status;
  }

  Cluster cluster{ClusterOptions{.more = {{"a",
                                           "[admin.observe]\nusers = ['54321']\n"
                                           "[admin.read]\nusers = ['54322']\n"}}}};
};

const std::map<std::string, std::string> kBoth = {
    {"GET /at/", "observe"},    {"GET /failures", "observe"}, {"GET /healthz", "none"},
    {"GET /links", "observe"},  {"GET /log", "observe"},      {"POST /log", "operate"},
    {"GET /metrics", "none"},   {"GET /names", "observe"},    {"GET /route", "observe"},
    {"GET /status", "observe"}, {"GET /topology", "observe"},
};

TEST_F(AdminTest, EveryRouteHasItsRole) {
  EXPECT_EQ(roles_of(cluster.root()), kBoth);
  std::map<std::string, std::string> busd = {{"GET /mail/backup", "observe"},
                                             {"POST /mail/backup", "operate"},
                                             {"POST /mail/backup/stop", "operate"},
                                             {"GET /mail/boxes", "read"},
                                             {"POST /mail/damage/acknowledge", "operate"},
                                             {"POST /mail/detach", "operate"},
                                             {"GET /mail/move", "observe"},
                                             {"POST /mail/move", "operate"},
                                             {"POST /mail/move/stop", "operate"},
                                             {"GET /mail/offer", "observe"},
                                             {"POST /mail/offer", "operate"},
                                             {"POST /mail/offer/withdraw", "operate"},
                                             {"GET /mail/peek", "read"},
                                             {"POST /mail/purge", "operate"},
                                             {"GET /mail/stats", "observe"},
                                             {"GET /tail", "read"},
                                             {"GET /trace", "observe"}};
  busd.insert(kBoth.begin(), kBoth.end());
  EXPECT_EQ(roles_of(cluster.busd("a")), busd);
}

TEST_F(AdminTest, ThePortServesMetricsAndHealthAndNothingElse) {
  for (const std::string name : {"root", "a"}) {
    SCOPED_TRACE(name);
    const Daemon& daemon = cluster.daemon(name);
    EXPECT_EQ(http_get(daemon.port(), "/metrics").status, 200);
    EXPECT_EQ(http_get(daemon.port(), "/healthz").status, 200);
    for (const char* path :
         {"/status", "/names", "/at/b/mail/peek?name=player/1", "/tail?name=x"}) {
      EXPECT_EQ(http_get(daemon.port(), path).status, 403) << path;
    }
    for (const char* path :
         {"/mail/purge?name=player/1", "/mail/detach?folder=/", "/log?level=off"}) {
      EXPECT_EQ(http_post(daemon.port(), path).status, 403) << path;
    }
  }
}

// Another user of host a reads the mail of host b, which it cannot reach.
TEST_F(AdminTest, TheRoleOfTheCallerDecidesAtTheOtherHost) {
  EXPECT_EQ(status_as(kStranger, "/at/b/status"), 403);
  EXPECT_EQ(status_as(kObserver, "/at/b/status"), 200);
  EXPECT_EQ(status_as(kObserver, "/at/root/names"), 200);
  EXPECT_EQ(status_as(kObserver, "/at/a/mail/boxes"), 403);
  EXPECT_EQ(status_as(kObserver, "/at/b/mail/boxes"), 403);
  EXPECT_EQ(status_as(kObserver, "/at/b/mail/peek?name=player/1"), 403);
  EXPECT_EQ(status_as(kReader, "/at/b/mail/peek?name=player/1"), 404) << "it keeps no mail";
  EXPECT_EQ(cluster.root().get("/at/b/mail/peek?name=player/1").status, 404);
  const HttpAnswer refused = as_user(kObserver, [admin = cluster.busd("a").admin()] {
    return http_get(admin, "/at/b/mail/boxes");
  });
  EXPECT_THAT(refused.body, HasSubstr("a caller at host a"));
}

TEST_F(AdminTest, AReloadChangesTheRoles) {
  EXPECT_EQ(status_as(kStranger, "/status"), 403);
  std::string toml = cluster.busd_config("a", {cluster.root_key()});
  cluster.busd("a").configure(toml.replace(toml.find("'54321'"), 7, "'65534'"));
  cluster.busd("a").reload();
  EXPECT_TRUE(wait_for(std::chrono::seconds(10), [this] {
    return status_as(kStranger, "/status") == 200;
  })) << cluster.busd("a").log();
  EXPECT_EQ(status_as(kObserver, "/status"), 403);
}

// A listing by prefix walked all matches for the total of each page: a million names cost the
// square of that in the loop of busroot.
TEST_F(AdminTest, APageOfAPrefixCountsNothing) {
  for (const std::string name : {"root", "a"}) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(cluster.daemon(name).json("/names")["total"].is_number());
    EXPECT_TRUE(cluster.daemon(name).json("/names?prefix=entity/")["total"].is_null());
  }
}

TEST_F(AdminTest, AChangeIsInTheLog) {
  EXPECT_EQ(http_post(cluster.busd("a").admin(), "/log?level=off").status, 200);
  EXPECT_EQ(cluster.busd("a").log_lines_with("audit: uid 0 (root) pid " +
                                             std::to_string(::getpid()) + ": POST /log"),
            1U)
      << cluster.busd("a").log();
}

}  // namespace
}  // namespace starbus::cluster_test
