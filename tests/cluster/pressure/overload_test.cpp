/// A node that has to do half as much again as a core can: each change is told at most once a tick,
/// each save comes within twice its interval, its tables stay within their limits, and all of it
/// drains when the pressure ends. 6 s; STARBUS_LONG=1: 60 s.
#include "tests/cluster/pressure/pressure_fixture.hpp"

#include <fstream>

#include "nodes/hosting/limits.hpp"
#include "nodes/runtime/node_limits.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::uint64_t kVillagers = 1'000;
constexpr std::uint64_t kAudiences = 3;
constexpr std::int64_t kSaveEvery = 2'000;  // ms

class OverloadTest : public PressureTest {
 protected:
  /// What may never be, at any time.
  void expect_bounded(const Daemon& node) {
    auto now = metrics(node);
    ++looks;
    EXPECT_LE(now["starbus_entities_to_be_told"], kVillagers) << "each is listed once";
    // Of each at most one under way, and one that has changed since.
    EXPECT_LE(now["starbus_entities_to_be_saved"],
              kVillagers + std::min(kVillagers, nodes::entities::kMaxSaves));
    EXPECT_EQ(now["starbus_entities_unsaved_total"], 0);
    EXPECT_LE(now["starbus_node_posted"], 2.0 * nodes::kPassWork) << "closures do not pile up";
    EXPECT_LE(now["starbus_node_tasks"], static_cast<double>(nodes::entities::kSavesUnderWay));
    busiest = std::max(busiest, now["starbus_node_busy_ms_per_second"]);
  }
  int looks = 0;
  double busiest = 0;
};

TEST_F(OverloadTest, TellsOncePerTickSavesInTimeStaysBoundedAndDrains) {
  const auto length = starbus::long_runs() ? 60s : 6s;
  run(
      [this, length]() -> Task {
        const auto node =
            pressed("crowd", "folder = '" + cluster.folder().string() + "'\nvillagers = " +
                                 std::to_string(kVillagers) + "\ndemand = 150\nsave_every = '" +
                                 std::to_string(kSaveEvery) + "ms'\n[loop]\ntick = '50ms'\n");
        node->start();
        CO_OK(co_await bus.connect(use_awaitable));
        const bool serves = co_await until(20s, [&] {
          return node->serves() && node->json("/entities")["published"] == kVillagers;
        });
        CO_TRUE(serves);
        auto before = metrics(*node);
        const auto end = std::chrono::steady_clock::now() + length;
        Stream notes;
        while (std::chrono::steady_clock::now() < end) {
          for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE(rpc::send<&Keeper::note>(endpoint, kKeeper, {}, notes.next()));
          }
          const auto now = co_await report();  // it is answered
          CO_TRUE(!now.is_null());
          EXPECT_LE(now["oldest_ms"], 2 * kSaveEvery) << now.dump();
          EXPECT_EQ(now["doubled"], 0) << "within one tick";
          expect_bounded(*node);
          co_await pause(100ms);
        }
        auto after = metrics(*node);
        const auto pressed = co_await report();
        CO_TRUE(!pressed.is_null());
        EXPECT_LE(pressed["told"].get<std::uint64_t>(),
                  pressed["sync_ticks"].get<std::uint64_t>() * kVillagers * kAudiences);
        EXPECT_GE(pressed["told"].get<std::uint64_t>(),
                  (pressed["changes"].get<std::uint64_t>() - 1) * kVillagers)
            << "it tells";
        EXPECT_GE(pressed["saved"].get<std::int64_t>(),
                  static_cast<std::int64_t>(kVillagers) * (length / 2s * 3 / 4 - 1));
        const auto grown = [&](const char* name) { return after[name] - before[name]; };
        EXPECT_GT(grown("starbus_node_missed_ticks_total"), 0) << "there was no pressure";
        EXPECT_GT(busiest, 900);
        EXPECT_GT(looks, 10);

        const bool rests = co_await work(false);
        CO_TRUE(rests);
        const bool drained = co_await until(5s, [&] {
          auto now = metrics(*node);
          return now["starbus_entities_to_be_told"] == 0 &&
                 now["starbus_entities_to_be_saved"] == 0;
        });
        EXPECT_TRUE(drained);
        const auto at_rest = co_await report();
        EXPECT_EQ(at_rest["notes"], notes.sent);
        EXPECT_EQ(at_rest["notes_wrong"], 0);

        const bool again = co_await work(true);
        CO_TRUE(again);
        co_await pause(500ms);
        EXPECT_EQ(node->terminate(20s), 0) << "it drains under pressure";
        std::ifstream file(cluster.folder() / "kept");
        std::uint64_t changes = 0;
        file >> changes;
        EXPECT_GT(changes, at_rest["changes"].get<std::uint64_t>());
        std::uint64_t whole = 0;
        std::string id;
        for (std::uint64_t stamp = 0; file >> id >> stamp;) whole += stamp == changes ? 1 : 0;
        EXPECT_EQ(whole, kVillagers) << "the last state of each is stored";
      },
      length + 60s);
}

}  // namespace
}  // namespace starbus::cluster_test
