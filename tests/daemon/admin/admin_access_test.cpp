/// Who may do what at the admin socket, tried by other users, and what the TCP port is left with.
#include "daemon/admin/admin_access.hpp"

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "daemon/logging.hpp"
#include "tests/daemon/admin/admin_fixture.hpp"

namespace starbus::daemon {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::uint32_t kStranger = 65534;
constexpr std::uint32_t kUser = 54321;
constexpr std::uint32_t kGroup = 54322;

const std::string kClose = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const std::string kPurge =
    "POST /purge?name=box HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

struct User {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<gid_t> groups = {};
};

/// Runs on a thread that is this user; the rest of the process stays what it is.
template <class Function>
void as_user(const User& user, const Function& function) {
  std::thread([&] {
    // The bare system calls: those of the C library change all threads.
    ASSERT_EQ(::syscall(SYS_setgroups, user.groups.size(), user.groups.data()), 0);
    ASSERT_EQ(::syscall(SYS_setresgid, user.gid, user.gid, user.gid), 0);
    ASSERT_EQ(::syscall(SYS_setresuid, user.uid, user.uid, user.uid), 0);
    function();
  }).join();
}

AdminAccess access_of(const std::string& toml) {
  auto reader = ConfigReader::parse(toml, "f").value();
  ConfigReader table = reader.table("admin");
  AdminAccess access = AdminAccess::read(table);
  const auto finished = reader.finish();
  EXPECT_TRUE(finished) << finished.error().detail;
  return access;
}

class AdminAccessTest : public test::AdminFixture {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can become other users";
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);  // else the folder keeps strangers out
  }
  void serve(const std::string& toml = {}) {
    start(
        [this](AdminServer& server) {
          const auto route = [](const Request&) { return Response::text("served"); };
          server.get("/healthz", AdminRole::none, route);
          server.get("/status", AdminRole::observe, route);
          server.get("/peek", AdminRole::read, route);
          server.post("/purge", [this](const Request&) {
            ++purged_;
            return Response::text("purged");
          });
        },
        {}, access_of(toml));
  }
  std::string ask_as(const User& user, const std::string& request) {
    std::string answer;
    as_user(user, [&] { answer = exchange(request); });
    return answer;
  }
  /// The statuses of one request for each role: health, /status, /peek, POST /purge.
  std::vector<std::string> tries(const User& user) {
    std::vector<std::string> statuses;
    for (const std::string& request :
         {"GET /healthz" + kClose, "GET /status" + kClose, "GET /peek" + kClose, kPurge}) {
      statuses.push_back(ask_as(user, request).substr(9, 3));
    }
    return statuses;
  }

  int purged_ = 0;
};

TEST_F(AdminAccessTest, AStrangerGetsHealthAndNothingElse) {
  serve();
  const User stranger{kStranger, kStranger};
  EXPECT_THAT(tries(stranger), ElementsAre("200", "403", "403", "403"));
  EXPECT_EQ(purged_, 0);
  EXPECT_THAT(ask_as(stranger, "GET /nothing" + kClose), Not(HasSubstr("routes")));
}

TEST_F(AdminAccessTest, RootOperatesAndTheGroupOfTheDaemonObserves) {
  serve();
  EXPECT_THAT(tries({0, 0}), ElementsAre("200", "200", "200", "200"));
  EXPECT_EQ(purged_, 1);
  EXPECT_THAT(tries({kUser, ::getegid()}), ElementsAre("200", "200", "403", "403"));
}

TEST_F(AdminAccessTest, RolesFollowUsersAndEveryGroupOfTheCaller) {
  serve(
      "[admin]\nobserve = {groups = ['54322']}\nread = {users = ['54321']}\n"
      "[admin.operate]\nusers = ['54399']\ngroups = ['54398']\n");
  EXPECT_THAT(tries({kStranger, kGroup}), ElementsAre("200", "200", "403", "403"));
  EXPECT_THAT(tries({kStranger, kStranger, {1, 2, kGroup}}),
              ElementsAre("200", "200", "403", "403"));
  EXPECT_THAT(tries({kUser, kStranger}), ElementsAre("200", "200", "200", "403"));
  EXPECT_THAT(tries({54399, kStranger}), ElementsAre("200", "200", "200", "200"));
  EXPECT_THAT(tries({kUser, kStranger, {54398}}), ElementsAre("200", "200", "200", "200"));
  EXPECT_THAT(tries({kStranger, ::getegid()}), ElementsAre("200", "403", "403", "403"))
      << "a list for observe replaces the group of the daemon";
  EXPECT_THAT(tries({0, 0}), ElementsAre("200", "200", "200", "200")) << "root is never shut out";
}

TEST_F(AdminAccessTest, ARefusalNamesTheRoleTheCallerAndTheKey) {
  serve("[admin]\nread = {users = ['54321']}\n");
  const std::string answer = ask_as({kUser, kStranger}, kPurge);
  const auto json = nlohmann::json::parse(answer.substr(answer.find("\r\n\r\n")));
  EXPECT_EQ(json["error"], "forbidden");
  EXPECT_EQ(json["needed"], "operate");
  EXPECT_EQ(json["role"], "read");
  EXPECT_EQ(json["caller"], "uid 54321");
  EXPECT_EQ(json["key"], "admin.operate");
  EXPECT_THAT(json["detail"].get<std::string>(), HasSubstr("the key [admin] operate"));
}

TEST_F(AdminAccessTest, EachChangeIsOneAuditLineThatNoLevelSilences) {
  const test::LogCapture log;
  ASSERT_TRUE(set_log_level("off"));
  serve();
  ask_as({0, 0}, kPurge);
  ask_as({0, 0}, "GET /status" + kClose);
  ask_as({kStranger, kStranger}, kPurge);  // refused: nothing has changed
  EXPECT_THAT(test::lines_of(log.text()),
              ElementsAre("warning: uid 0 (root) pid " + std::to_string(::getpid()) +
                          ": POST /purge?name=box: 200"));
}

TEST_F(AdminAccessTest, RefusedRequestsAreLoggedOncePerUser) {
  const test::LogCapture log;
  serve();
  for (int i = 0; i < 5; ++i) ask_as({kStranger, kStranger}, kPurge);
  EXPECT_THAT(test::lines_of(log.text()),
              ElementsAre(StartsWith("warning: admin server: refused POST /purge of uid 65534")));
}

TEST_F(AdminAccessTest, AStrangerCannotFillTheSocket) {
  serve();
  std::vector<std::unique_ptr<test::RawClient>> held;
  std::string refused;
  as_user({kStranger, kStranger}, [&] {
    for (int i = 0; i < 64; ++i) {
      held.push_back(std::make_unique<test::RawClient>(server_->socket()));
    }
    refused = held.back()->receive_all();
  });
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503 "));
  EXPECT_EQ(on_loop([this] { return server_->connections(); }), 4U);
  EXPECT_THAT(ask_as({0, 0}, "GET /status" + kClose), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminAccessTest, AFullPortLeavesTheSocketOpen) {
  serve();
  std::vector<std::unique_ptr<test::RawClient>> held;
  for (int i = 0; i < 65; ++i) held.push_back(std::make_unique<test::RawClient>(port()));
  EXPECT_THAT(held.back()->receive_all(), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(exchange("GET /status" + kClose), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminAccessTest, ANewAccessHoldsFromTheNextRequestOn) {
  serve();
  const User user{kUser, kStranger};
  EXPECT_THAT(tries(user), ElementsAre("200", "403", "403", "403"));
  on_loop([this] { server_->set_access(access_of("[admin]\nread = {users = ['54321']}\n")); });
  EXPECT_THAT(tries(user), ElementsAre("200", "200", "200", "403"));
}

TEST_F(AdminAccessTest, AFolderThatKeepsTheUserOutIsDenied) {
  serve();
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0700), 0);
  as_user({kStranger, kStranger},
          [this] { EXPECT_EQ(client().get("/status").error(), bus::Errc::denied); });
}

// Whoever reaches the port: another user of the host, a node, and with allow_remote a machine of
// the network.
TEST_F(AdminAccessTest, ThePortServesMetricsAndHealthAndNothingElse) {
  for (const bool allow_remote : {false, true}) {
    const auto route = [](const Request&) { return Response::text("served"); };
    AdminConfig config;
    config.allow_remote = allow_remote;
    config.socket = (folder_.path() / (allow_remote ? "2" : "1")).string();
    auto server = AdminServer::listen(loop_, config).value();
    server->get("/metrics", AdminRole::none, route);
    server->get("/status", AdminRole::observe, route);
    server->post("/purge", [](const Request&) { return Response::text("purged"); });
    std::thread loop([this] { loop_.run(); });
    const auto ask = [&](const std::string& request) {
      test::RawClient raw(server->port());
      raw.send(request);
      return raw.receive_all();
    };
    EXPECT_THAT(ask("GET /metrics" + kClose), StartsWith("HTTP/1.1 200 "));
    EXPECT_THAT(ask("HEAD /metrics" + kClose), StartsWith("HTTP/1.1 200 "));
    for (const std::string& request :
         {"GET /status" + kClose, "GET /nothing" + kClose, kPurge, "POST /metrics" + kClose}) {
      const std::string answer = ask(request);
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << request;
      EXPECT_THAT(answer, HasSubstr("serves /metrics and /healthz and nothing else"));
      EXPECT_THAT(answer, HasSubstr("curl --unix-socket " + config.socket));
    }
    on_loop([&] { server.reset(); });
    loop_.stop();
    loop.join();
    loop_.restart();
  }
}

TEST(AdminAccess, UnknownUsersAndGroupsAreProblems) {
  auto reader = ConfigReader::parse(
                    "[admin]\nread = {users = ['nobody-has-this']}\n[admin.operate]\n"
                    "groups = ['no-such-group']\nuser = ['root']\n",
                    "f")
                    .value();
  ConfigReader table = reader.table("admin");
  AdminAccess::read(table);
  const std::string problems = reader.finish().error().detail;
  EXPECT_THAT(problems, HasSubstr("'nobody-has-this' is not known to this system"));
  EXPECT_THAT(problems, HasSubstr("'no-such-group' is not known to this system"));
  EXPECT_THAT(problems, HasSubstr("unknown key 'user'"));
}

}  // namespace
}  // namespace starbus::daemon
