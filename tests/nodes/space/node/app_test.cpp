/// A whole node that runs spaces: its configuration, its states, its drain, its page and metrics.
#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "daemon/admin/http_client.hpp"
#include "nodes/space/node/space_app.hpp"
#include "tests/nodes/runtime/node_fixture.hpp"
#include "tests/nodes/space/node/support.hpp"

namespace starbus::nodes::space::node_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Is ordered a town by a service of its own, shows it to an operator, and stops.
class TownApp final : public SpaceApp {
 public:
  explicit TownApp(std::function<void()> begin, Script& script)
      : begin_(std::move(begin)), script_(script) {
    declare<Town>("town", [&script](SpaceInit init, Node&) {
      return std::make_unique<Town>(std::move(init), script);
    });
    entity<Walker>();
  }
  ~TownApp() override {
    if (asker_.joinable()) asker_.join();
    news_.close_rpc();
  }
  bus::Result<> start(Node& node) override {
    begin_();
    node_ = &node;
    node.on_state([this, &node](NodeState state) {
      if (state != NodeState::ready) return;
      node.rpc().bind(std::string(kSpaceService), news_, [&node](const auto& bound) {
        EXPECT_TRUE(bound);
        const Order order{node.process(), 1, 1, {1, 1}, Create{{{"town", ""}, 1}, town_type(), ""}};
        rpc::call<&OrdersPort::obey>(node.rpc(), orders_channel(node.process()), {},
                                     order)([](const auto& obeyed) { EXPECT_TRUE(obeyed); });
      });
    });
    return SpaceApp::start(node);
  }
  entities::HostOptions entity_options(Node&) override {
    entities::HostOptions how;
    how.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn_};
    };
    return how;
  }

  std::optional<Announcement> last;
  json page;
  std::size_t crowd = 0;            // walkers that enter the town, before it is looked at
  std::vector<json> member_pages;   // all of them
  std::vector<std::string> errors;  // of what is asked wrongly
  std::string metrics, status_then;

 private:
  void look_at_members(const daemon::HttpClient& client) {
    const std::string target = "/spaces/members?space=town-1";
    std::string after;
    do {
      const auto body = client.get(target + (after.empty() ? "" : "&after=" + after));
      if (!body) return void(ADD_FAILURE() << body.error().to_string());
      member_pages.push_back(json::parse(*body));
      const json& next = member_pages.back()["after"];
      after = next.is_null() ? "" : next.get<std::string>();
    } while (!after.empty());
    for (const std::string wrong : {"/spaces/members", "/spaces/members?space=town-2",
                                    "/spaces/members?space=town-1&after=x"}) {
      const auto body = client.get(wrong);
      errors.push_back(body ? "none" : body.error().detail);
    }
  }
  void replied(const Reply& reply) {
    EXPECT_TRUE(reply.result) << reply.result.error().to_string();
    if (reply.to != Reply::To::create) return;
    status_then = status();
    GameSpace* const town = host().find(SpaceName{{"town", ""}, 1});
    if (crowd != 0) town->world().add<Script>(script_);  // for the hooks of walkers
    for (std::size_t i = 0; i < crowd; ++i) {
      const auto walker = town->entities().create<Walker>();
      EXPECT_TRUE(walker && town->enter(**walker, {static_cast<float>(i % 100), 7, 0}));
    }
    asker_ = std::thread([this, at = node_->process_context().admin.socket()] {
      const auto client = daemon::HttpClient::at(at);
      for (int i = 0; i < 200; ++i) {
        const auto body = client->get("/spaces");
        if (body) page = json::parse(*body);
        if (body && page["spaces"].size() == 1 && page["spaces"][0]["tick"]["ticks"] > 2) break;
        std::this_thread::sleep_for(20ms);
      }
      if (const auto text = client->get("/metrics")) metrics = *text;
      look_at_members(*client);
      node_->stop();
    });
  }

  std::function<void()> begin_;
  Script& script_;
  Node* node_ = nullptr;
  std::uint64_t drawn_ = 0;
  NewsPort news_{[this](const bus::Process&, const Announcement& what) { last = what; },
                 [this](const bus::Process&, const Reply& reply) { replied(reply); }};
  std::thread asker_;
};

class SpaceAppTest : public ::testing::Test {
 protected:
  int run(const std::string& more, const std::function<void(TownApp&)>& look = {}) {
    boost::asio::io_context cluster_loop;
    starbus::testing::Cluster cluster(cluster_loop, {});
    std::thread cluster_thread;
    const auto file = folder_.write(
        "node.toml", "node = 'n'\nstate_directory = '" + (folder_.path() / "state").string() +
                         "'\n[bus]\nendpoint = '" + cluster.node("a", "n").endpoint +
                         "'\n[log]\ntarget = '" + (folder_.path() / "log").string() + "'\n" + more);
    const std::string path = file.string();
    const std::vector<const char*> arguments = {"node", "--config", path.c_str()};
    auto app = std::make_unique<TownApp>(
        [&] { cluster_thread = std::thread([&] { cluster_loop.run(); }); }, script_);
    app->crowd = crowd_;
    // It ends with the node: what it has seen is looked at before.
    struct Looking final : App {
      Looking(std::unique_ptr<TownApp> of, const std::function<void(TownApp&)>& at)
          : inner(std::move(of)), look(at) {}
      ~Looking() override {
        if (look) look(*inner);
      }
      void configure(daemon::ConfigReader& reader) override { inner->configure(reader); }
      bus::Result<> start(Node& node) override { return inner->start(node); }
      std::string status() const override { return inner->status(); }
      std::unique_ptr<TownApp> inner;
      const std::function<void(TownApp&)>& look;
    };
    const int code = run_node({.role = "space"}, std::make_unique<Looking>(std::move(app), look),
                              static_cast<int>(arguments.size()), arguments.data());
    cluster_loop.stop();
    if (cluster_thread.joinable()) cluster_thread.join();
    return code;
  }

  Script script_;
  std::size_t crowd_ = 0;
  daemon::test::TempFolder folder_;
  daemon::test::LogCapture former_;
};

TEST_F(SpaceAppTest, MembersAreShownInPages) {
  crowd_ = kShownMembers + 1;
  const int code = run("", [](TownApp& app) {
    ASSERT_EQ(app.member_pages.size(), 2U);
    const json& first = app.member_pages[0];
    EXPECT_EQ(first["space"], "town-1");
    EXPECT_EQ(first["others"], kShownMembers + 1);
    EXPECT_EQ(first["players"], 0);
    ASSERT_EQ(first["members"].size(), kShownMembers);
    EXPECT_EQ(first["members"][3]["at"], json::array({3, 7, 0}));
    EXPECT_EQ(first["members"][3]["player"], false);
    EXPECT_EQ(first["after"], first["members"].back()["id"]);
    EXPECT_EQ(first["max"].size(), 3U);
    ASSERT_EQ(app.member_pages[1]["members"].size(), 1U);
    EXPECT_GT(app.member_pages[1]["members"][0]["id"], first["after"]) << "none is shown twice";
    EXPECT_THAT(app.errors,
                ::testing::ElementsAre(HasSubstr("400"), HasSubstr("404"), HasSubstr("400")));
  });
  EXPECT_EQ(code, 0);
}

TEST_F(SpaceAppTest, RunsShowsAndEndsItsSpaces) {
  const int code = run("[spaces]\nlabels = ['big']\n", [](TownApp& app) {
    EXPECT_EQ(app.status_then, "1 spaces");
    ASSERT_TRUE(app.page.is_object());
    EXPECT_EQ(app.page["term"], 1);
    EXPECT_EQ(app.page["labels"], json::array({"big"}));
    EXPECT_EQ(app.page["travels"]["under_way"], 0);
    const json& town = app.page["spaces"][0];
    EXPECT_EQ(town["space"], "town-1");
    EXPECT_EQ(town["life"], "1.1");
    EXPECT_EQ(town["state"], "running");
    EXPECT_EQ(town["players"], 0);
    EXPECT_EQ(town["capacity"], 3);
    EXPECT_EQ(town["tick"]["per_second"], 20);
    EXPECT_GE(town["tick"]["late_ms"]["max"].get<double>(), 0);
    EXPECT_THAT(
        app.metrics,
        AllOf(HasSubstr("starbus_space_hosted{state=\"running\"} 1"),
              HasSubstr("starbus_space_tick_seconds{quantile=\"0.99\",type=\"town\"}"),
              HasSubstr("starbus_space_ticks_total{type=\"town\"}"),
              HasSubstr("starbus_space_corrections_total{type=\"town\",violation=\"clock\"} 0"),
              HasSubstr("starbus_space_travels 0"),
              HasSubstr("starbus_space_travels_total{end=\"away\"} 0"),
              HasSubstr("starbus_space_seats_given_back_total 0"), HasSubstr("starbus_crowds 0"),
              HasSubstr("starbus_crowd_batches_total 0"),
              HasSubstr("starbus_space_started_total 1")));
    ASSERT_TRUE(app.last);
    EXPECT_THAT(app.last->labels, ::testing::ElementsAre("big"));
    EXPECT_THAT(app.last->types, ::testing::ElementsAre("town"));
  });
  EXPECT_EQ(code, daemon::kExitOk) << folder_.read("log");
  EXPECT_THAT(script_.said, ::testing::ElementsAre("town-1 on_start", "town-1 on_end"))
      << "the drain ends it in order";
  EXPECT_EQ(script_.objects, 0);
}

TEST_F(SpaceAppTest, LabelsOfAnotherFormAreRefused) {
  EXPECT_EQ(run("[spaces]\nlabels = ['a b']\n"), daemon::kExitUsage);
  std::string many;
  for (int i = 0; i < 17; ++i) many += (i == 0 ? "'l" : ", 'l") + std::to_string(i) + "'";
  EXPECT_EQ(run("[spaces]\nlabels = [" + many + "]\n"), daemon::kExitUsage);
}

TEST(SpaceHostDeclarations, MistakesFailTheStart) {
  boost::asio::io_context loop;
  starbus::testing::Cluster cluster(loop, {});
  Script script;
  const auto opened = [&](const std::vector<std::string>& types, std::vector<std::string> labels) {
    Place at(loop, cluster.node("a", "x"), script, {.labels = std::move(labels)});
    for (const std::string& type : types) {
      at.host.declare<Town>(type, [&script](SpaceInit init) {
        return std::make_unique<Town>(std::move(init), script);
      });
    }
    bus::Result<> result;
    at.host.open([&](const bus::Result<>& end) { result = end; });
    return result.error();
  };
  EXPECT_EQ(opened({"town"}, {}), bus::Errc::bad_config) << "twice";
  EXPECT_EQ(opened({"Town"}, {}), bus::Errc::bad_config);
  EXPECT_EQ(opened({}, {"a b"}), bus::Errc::bad_config);
  EXPECT_EQ(opened({}, {""}), bus::Errc::bad_config);
  EXPECT_EQ(opened({}, std::vector<std::string>(17, "big")), bus::Errc::bad_config);
}

}  // namespace
}  // namespace starbus::nodes::space::node_test
