// What the admin routes of a gate answer about its clients.
#include "nodes/gate/node/gate_clients.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "nodes/gate/node/limits.hpp"
#include "tests/nodes/gate/core/fixture.hpp"

namespace starbus::nodes::gate {
namespace {

using namespace fixture;
using daemon::Request;
using daemon::Response;
using Json = nlohmann::json;
using ::testing::SizeIs;

/// A gate without sockets: its clients are only in its core.
class GateClientsTest : public ::testing::Test, private CoreDriver {
 protected:
  GateCore& core() override { return one_.core; }
  void settle() override {}
  bool is_full() const override { return false; }

  static Request request(std::vector<std::pair<std::string, std::string>> query) {
    return {"GET", "/x", std::move(query), {}, daemon::AdminRole::read};
  }
  static Json json(const Response& response) {
    EXPECT_EQ(response.status, 200U) << response.body;
    return Json::parse(response.body, nullptr, false);
  }
  Json clients(std::vector<std::pair<std::string, std::string>> query) {
    return json(clients_answer(&one_.core, side_, request(std::move(query))));
  }
  /// Sessions that have asked for a login, and wait.
  void knock(std::size_t many) {
    for (std::size_t i = 0; i < many; ++i) {
      const ConnectionId connection = 100 + i;
      one_.core.opened(connection, "10.0.0.1");
      one_.core.frame(connection, Login{"password", "bob", {}});
    }
    one_.core.take();
  }

  Driven one_{kOne};
  boost::asio::io_context loop_;
  daemon::RateLimited limited_;
  ClientSide side_{loop_, {}, limited_, *this, 0};
};

TEST_F(GateClientsTest, AreFoundByAccountAndPlayerWithAndWithoutTheirKind) {
  const Welcome ada = one_.log_in(1);
  for (const char* prefix : {"", "account/a", "a", "player/7", "7"}) {
    EXPECT_THAT(clients({{"prefix", prefix}})["clients"], SizeIs(1)) << prefix;
  }
  for (const char* name : {"account/ada", "ada", "player/7", "7"}) {
    EXPECT_THAT(clients({{"name", name}})["clients"], SizeIs(1)) << name;
  }
  for (const char* name : {"account/a", "ad", "player/"}) {
    EXPECT_THAT(clients({{"name", name}})["clients"], SizeIs(0)) << name;
  }
  const Json row = clients({{"prefix", "ada"}})["clients"][0];
  EXPECT_EQ(row["account"], "account/ada");
  EXPECT_EQ(row["subject"], "player/7");
  EXPECT_EQ(row["state"], "bound");
  const Json whole = json(client_answer(&one_.core, side_, request({{"id", row["session"]}})));
  EXPECT_EQ(whole["login"], 4);
  EXPECT_EQ(whole["groups"], Json::array({"guild"}));
  EXPECT_EQ(whole["traffic"]["properties"]["number"], 1);
  EXPECT_FALSE(whole.contains("parted"));
  one_.core.closed(1, "lost");
  const Json away = json(client_answer(&one_.core, side_, request({{"id", row["session"]}})));
  EXPECT_EQ(away["state"], "away");
  EXPECT_EQ(away["parted"]["why"], "lost");
}

TEST_F(GateClientsTest, AnswersAreBounded) {
  knock(kClientRows + 5);
  const Json first = clients({});
  EXPECT_THAT(first["clients"], SizeIs(kClientRows));
  ASSERT_TRUE(first["next"].is_string());
  const Json second = clients({{"after", first["next"]}});
  EXPECT_THAT(second["clients"], SizeIs(5));
  EXPECT_TRUE(second["next"].is_null());
  std::set<std::string> all;
  for (const Json* page : {&first, &second}) {
    for (const Json& row : (*page)["clients"]) all.insert(row["session"].get<std::string>());
  }
  EXPECT_EQ(all.size(), kClientRows + 5) << "each is shown once";
  for (std::size_t i = 0; i < kClientRows + 5; ++i) {
    one_.log_in(1);
    one_.core.closed(1);
  }
  EXPECT_THAT(json(partings_answer(&one_.core, request({})))["partings"], SizeIs(kClientRows));
}

TEST_F(GateClientsTest, ASearchLooksAtFewSessions) {
  knock(2 * kClientsSeen + 1);
  std::size_t questions = 0;
  std::string after;
  do {
    const Json page = clients({{"prefix", "zed"}, {"after", after}});
    EXPECT_THAT(page["clients"], SizeIs(0));
    after = page["next"].is_string() ? page["next"].get<std::string>() : "";
    ++questions;
  } while (!after.empty());
  EXPECT_EQ(questions, 3U);
}

TEST_F(GateClientsTest, PartingsOfAnAccountAreToldNewestFirst) {
  one_.log_in(1);
  one_.core.closed(1, "lost");
  one_.tick(GateTime(500));
  one_.log_in(2);
  one_.core.frame(2, Bye{});
  const Json rows = json(partings_answer(&one_.core, request({{"name", "ada"}})))["partings"];
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0]["why"], "bye");
  EXPECT_EQ(rows[0]["over"], true);
  EXPECT_EQ(rows[1]["why"], "lost");
  EXPECT_EQ(rows[1]["ago_ms"], 500);
  const Json by_session =
      json(partings_answer(&one_.core, request({{"name", rows[1]["session"]}})))["partings"];
  EXPECT_THAT(by_session, SizeIs(1));
  EXPECT_THAT(json(partings_answer(&one_.core, request({{"name", "bob"}})))["partings"], SizeIs(0));
}

TEST_F(GateClientsTest, TheAudienceIsCounted) {
  one_.log_in(1);
  one_.log_in(2);
  knock(3);  // who is not in hears nothing
  const auto audience = [&](const std::string& group) {
    return json(audience_answer(&one_.core, request({{"group", group}})))["clients"];
  };
  EXPECT_EQ(audience(""), 2);
  EXPECT_EQ(audience("guild"), 2);
  EXPECT_EQ(audience("nobody"), 0);
}

TEST_F(GateClientsTest, TheReachOfAnAnnouncementIsTold) {
  one_.log_in(1);
  one_.core.announce(kHome, 9, "guild", body_text("a"));
  const auto reach = [&](const std::string& number) {
    return json(announced_answer(
        &one_.core,
        request({{"host", "7"}, {"slot", "7"}, {"incarnation", "70"}, {"number", number}})));
  };
  EXPECT_EQ(reach("9")["state"], "speaking");
  one_.tick();
  EXPECT_EQ(reach("9")["state"], "done");
  EXPECT_EQ(reach("9")["handed"], 1);
  EXPECT_EQ(reach("10")["state"], "unknown");
}

TEST_F(GateClientsTest, WhoIsLostIsFound) {
  one_.log_in(1);
  knock(2);  // they wait in the queue of a login
  one_.core.opened(9, "x");
  one_.core.frame(9, Login{"password", "ada", {}});
  const auto ask = one_.all<TellLogin>().at(0);
  one_.core.login_said(ask.question, LoginAdmitted{"account/ada", 4, {}, {}});
  EXPECT_THAT(clients({{"lost_ms", "10000"}})["clients"], SizeIs(0));
  one_.tick(GateTime(10'000));
  const Json lost = clients({{"lost_ms", "10000"}})["clients"];
  ASSERT_THAT(lost, SizeIs(1)) << "its account does not answer";
  EXPECT_EQ(lost[0]["state"], "fresh");
}

TEST_F(GateClientsTest, MalformedQuestionsAreRefused) {
  const auto status = [](const Response& response) { return response.status; };
  EXPECT_EQ(status(clients_answer(&one_.core, side_, request({{"after", "x"}}))), 400U);
  EXPECT_EQ(status(clients_answer(&one_.core, side_, request({{"lost_ms", "x"}}))), 400U);
  EXPECT_EQ(status(client_answer(&one_.core, side_, request({{"id", "00"}}))), 400U);
  EXPECT_EQ(status(client_answer(&one_.core, side_, request({{"id", std::string(32, '0')}}))),
            404U);
  EXPECT_EQ(status(audience_answer(&one_.core, request({{"after", "x"}}))), 400U);
  EXPECT_EQ(status(announced_answer(&one_.core, request({}))), 400U);
  EXPECT_EQ(status(announced_answer(&one_.core, request({{"host", "4294967296"}, {"slot", "1"}}))),
            400U);
  // A gate that has not begun has nobody.
  EXPECT_THAT(json(clients_answer(nullptr, side_, request({})))["clients"], SizeIs(0));
  EXPECT_EQ(json(audience_answer(nullptr, request({})))["clients"], 0);
  EXPECT_EQ(status(client_answer(nullptr, side_, request({{"id", std::string(32, '0')}}))), 404U);
}

}  // namespace
}  // namespace starbus::nodes::gate
