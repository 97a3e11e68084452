/// The busiest entities of a node, as its admin server shows them.
#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "daemon/admin/http_client.hpp"
#include "tests/nodes/hosting/one_node.hpp"
#include "tests/nodes/hosting/ox.hpp"

namespace starbus::nodes::entities {
namespace {

using daemon::HttpClient;
using nlohmann::json;
using namespace std::chrono_literals;

/// Five thousand oxen, of which one ploughs and another, which has a name, pulls a little.
class Farm final : public App {
 public:
  Farm(std::function<void()> begin, std::vector<json>& shown)
      : begin_(std::move(begin)), shown_(shown) {}
  ~Farm() override {
    if (asker_.joinable()) asker_.join();
  }

  bus::Result<> start(Node& node) override {
    begin_();
    HostOptions options;
    options.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn_};
    };
    host_.emplace(node.rpc(), node.timers(), node.name(), std::move(options));
    host_->declare<Ox>();
    node.on_state([this, &node](NodeState state) {
      // Once: a node that has waited long for a processor becomes ready again.
      if (state == NodeState::ready && !asker_.joinable()) settle(node);
    });
    return host_->join(node);
  }

 private:
  void settle(Node& node) {
    for (int i = 0; i < 5'000; ++i) {
      Ox* const each = host_->entities().create<Ox>().value();
      if (i == 4'000) {
        EXPECT_TRUE(each->run_later<&Ox::plough>({.first = 10ms, .interval = 100ms}, 30));
      }
      if (i == 17)
        host_->publish(*each, "ox/17", [](const bus::Result<>& bound) { EXPECT_TRUE(bound); });
    }
    static_cast<void>(node.timers().every(timers_, 10ms, 100ms, entity::CatchUp::once, [&node] {
      static_cast<void>(rpc::send<&Ox::pull>(node.rpc(), "ox/17", {}, 3));
    }));
    asker_ = std::thread([this, &node, at = node.process_context().admin.socket()] {
      ask(at);
      node.stop();
    });
  }
  /// Beside the loop, as an operator is.
  void ask(const std::string& at) {
    const auto client = HttpClient::at(at);
    const auto get = [&](const char* target) {
      const auto body = client->get(target);
      return body ? json::parse(*body) : json(body.error().to_string());
    };
    // A second in which the loop had no processor has nobody who is busy.
    const auto get_until = [&](const char* target, const std::function<bool(const json&)>& enough) {
      json shown = get(target);
      for (int i = 0; i < 200 && !(shown.is_object() && enough(shown)); ++i) {
        std::this_thread::sleep_for(50ms);
        shown = get(target);
      }
      return shown;
    };
    const auto busy = [](const json& row) { return row.value("busy_ms_per_s", 0.0) > 1; };
    shown_[0] = get_until("/entities?busiest=20", [&](const json& shown) {
      return shown["busiest"].size() >= 2 && busy(shown["busiest"][1]);
    });
    shown_[1] = get_until("/entities?busiest=1",
                          [](const json& shown) { return !shown["busiest"].empty(); });
    shown_[2] = get("/entities?busiest=101");
    shown_[3] = get("/entities?busiest=many");
    shown_[4] = get_until("/rpc", [&](const json& shown) { return busy(shown["hosts"][0]); });
    shown_[5] = get_until("/entities?name=ox/17", busy);
  }

  std::function<void()> begin_;
  std::vector<json>& shown_;
  std::uint64_t drawn_ = 0;
  std::optional<EntityHost> host_;
  entity::TimerOwner timers_;
  std::thread asker_;
};

TEST(BusiestEntities, OneOfFiveThousandIsTheFirst) {
  std::vector<json> shown(6);
  run_one_node(
      [&](std::function<void()> begin) { return std::make_unique<Farm>(std::move(begin), shown); });

  ASSERT_TRUE(shown[0].is_object()) << shown[0];
  const json& rows = shown[0]["busiest"];
  ASSERT_EQ(rows.size(), 2U) << "those that did nothing are not busy: " << shown[0];
  EXPECT_EQ(shown[0]["busy"], 2);
  EXPECT_EQ(rows[0]["type"], "ox");
  EXPECT_EQ(rows[0]["online_id"], "fa1") << "the 4001st";
  EXPECT_EQ(rows[1]["channel"], "ox/17");
  EXPECT_GT(rows[0]["busy_ms_per_s"].get<double>(), 2 * rows[1]["busy_ms_per_s"].get<double>());
  EXPECT_GT(rows[1]["busy_ms_per_s"].get<double>(), 1);
  ASSERT_EQ(shown[1]["busiest"].size(), 1U) << shown[1];
  EXPECT_EQ(shown[1]["busiest"][0]["online_id"], "fa1");
  EXPECT_THAT(shown[2].dump(), ::testing::HasSubstr("1 to 100 entities"));
  EXPECT_THAT(shown[3].dump(), ::testing::HasSubstr("1 to 100 entities"));
  EXPECT_EQ(shown[4]["hosts"][0]["name"], "ox/17");
  EXPECT_GT(shown[4]["hosts"][0]["busy_ms_per_s"].get<double>(), 1);
  EXPECT_GT(shown[5]["busy_ms_per_s"].get<double>(), 1);
}

}  // namespace
}  // namespace starbus::nodes::entities
