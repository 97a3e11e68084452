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
  explicit TownApp(std::function<void()> begin, Script& script) : begin_(std::move(begin)) {
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
  std::string metrics, status_then;

 private:
  void replied(const Reply& reply) {
    EXPECT_TRUE(reply.result) << reply.result.error().to_string();
    if (reply.to != Reply::To::create) return;
    status_then = status();
    asker_ = std::thread([this, at = node_->process_context().admin.socket()] {
      const auto client = daemon::HttpClient::at(at);
      for (int i = 0; i < 200; ++i) {
        const auto body = client->get("/spaces");
        if (body) page = json::parse(*body);
        if (body && page["spaces"].size() == 1 && page["spaces"][0]["tick"]["ticks"] > 2) break;
        std::this_thread::sleep_for(20ms);
      }
      if (const auto text = client->get("/metrics")) metrics = *text;
      node_->stop();
    });
  }

  std::function<void()> begin_;
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
  daemon::test::TempFolder folder_;
  daemon::test::LogCapture former_;
};

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
    EXPECT_THAT(app.metrics,
                AllOf(HasSubstr("starbus_space_hosted{state=\"running\"} 1"),
                      HasSubstr("starbus_space_tick_seconds{quantile=\"0.99\",type=\"town\"}"),
                      HasSubstr("starbus_space_ticks_total{type=\"town\"}"),
                      HasSubstr("starbus_space_travels 0"),
                      HasSubstr("starbus_space_travels_total{end=\"away\"} 0"),
                      HasSubstr("starbus_space_seats_given_back_total 0"),
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
