// Shards of mail move from host to host under traffic: what was posted is read once and in order,
// whatever is killed meanwhile, and a move that was cut off goes on with the same command.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bus/core/wire/name.hpp"
#include "tests/cluster/cluster_test.hpp"
#include "tests/places.hpp"

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kMovedBoxes = 24;

class MailMoveTest : public ClusterTest, public ::testing::WithParamInterface<std::string> {
 protected:
  struct Box {
    std::string name;
    std::uint32_t posted = 0;  // by us, from 1
    std::uint32_t ended = 0;
    std::map<std::uint64_t, std::uint32_t> numbers;  // as the store gave them
    std::uint32_t read = 0;
    bool last = false;  // nothing is posted after this
  };

  /// A steady stream to all boxes, each post after the one before it in its box has ended.
  void post(Bus& bus, Box& box) {
    const std::uint32_t which = ++box.posted;
    const std::string body = std::to_string(which);
    bus.post(box.name, body, {.ttl = 0ms},
             [this, &bus, &box, which](bus::Result<std::uint64_t> end) {
               if (!end) return void(ADD_FAILURE() << box.name << ": " << end.error().to_string());
               EXPECT_TRUE(box.numbers.emplace(*end, which).second) << "a number given twice";
               ++box.ended;
               if (posting) post(bus, box);
             });
  }

  Task read(Bus& bus, Box& box) {
    auto mailbox = co_await bus.open_mailbox(box.name, {}, use_awaitable);
    CO_OK(mailbox);
    while (posting || box.read < box.posted || !box.last) {
      const auto mail = co_await mailbox->next(use_awaitable);
      CO_OK(mail);
      EXPECT_EQ(mail->text(), std::to_string(box.read + 1)) << box.name;
      EXPECT_EQ(mail->number, box.read + 1) << box.name;
      ++box.read;
      if (box.read % 8 == 0) mailbox->acknowledge(mail->number, [](bus::Result<>) {});
    }
    ++readers_done;
  }

  /// What the operator of the other host does first, and again after a kill: an offer ends with its
  /// busd.
  Task offer(std::string to) {
    const std::string from = to == "a" ? "b" : "a";
    CO_TRUE(co_await until(20s, [&] {
      const HttpAnswer answer =
          http_post(cluster.busd(from).admin(), "/mail/offer?shards=0-255&to=" + to);
      return answer.status == 200 || answer.body.find("keeps none of these") != std::string::npos;
    }));
  }

  std::unique_ptr<Child> move(const std::vector<std::string>& what, const std::string& to) {
    std::vector<std::string> command = {program("starbus-mail"), "move", "--admin",
                                        cluster.busd(to).admin()};
    command.insert(command.end(), what.begin(), what.end());
    return cluster.run(command, "move.log");
  }

  /// How many shards a host serves.
  int shards_of(const std::string& host) {
    const auto status = cluster.busd(host).json("/status");
    return status.is_object() && status["mail"].is_object()
               ? status["mail"]["shards_held"].get<int>()
               : -1;
  }

  /// Moves until it is done; a kill in the middle of the first attempt.
  Task move_all(std::vector<std::string> what, std::string to, std::string killed) {
    co_await offer(to);
    auto tool = move(what, to);
    if (!killed.empty()) {
      CO_TRUE(co_await until(20s, [&] { return shards_of(to) >= 20 || tool->ended(); }));
      cluster.daemon(killed).restart();
    }
    for (int attempt = 0; attempt < 20; ++attempt) {
      CO_TRUE(co_await until(60s, [&] { return tool->ended().has_value(); }));
      if (*tool->ended() == 0) co_return;
      EXPECT_FALSE(killed.empty()) << cluster.log_of("move.log");
      CO_TRUE(co_await until(
          20s, [&] { return cluster.busd("a").serves() && cluster.busd("b").serves(); }));
      co_await offer(to);
      tool = move(what, to);
    }
    ADD_FAILURE() << "it never ends: " << cluster.log_of("move.log");
  }

  Task there_and_back() {
    Bus owner(loop, cluster.node("c", "owner"));
    Bus poster(loop, cluster.node("c", "poster"));
    CO_OK(co_await owner.connect(use_awaitable));
    CO_OK(co_await poster.connect(use_awaitable));
    for (std::size_t i = 0; i < kMovedBoxes; ++i)
      boxes.emplace_back().name = "player/" + std::to_string(i);
    const bus::Handlers handlers;
    for (Box& box : boxes) {
      CO_OK(co_await owner.bind(box.name, handlers, use_awaitable));
      post(poster, box);
      spawn([this, &owner, &box] { return read(owner, box); });
    }
    CO_TRUE(co_await until(10s, [&] { return boxes.back().ended > 5; }));
    const std::vector<std::string> all = {"--from", "a"};
    co_await move_all(all, "b", GetParam());
    CO_TRUE(co_await until(20s, [&] { return shards_of("b") == 256 && shards_of("a") == 0; }));
    const std::vector<std::string> half = {"0-127"};
    const std::string nothing;
    co_await move_all(half, "a", nothing);
    CO_TRUE(co_await until(20s, [&] { return shards_of("a") == 128 && shards_of("b") == 128; }));
    // What the stores say counts, whatever the files list.
    cluster.busd("a").restart();
    CO_TRUE(co_await until(20s, [&] { return shards_of("a") == 128 && shards_of("b") == 128; }));
    posting = false;
    CO_TRUE(co_await until(20s, [&] {
      return std::ranges::all_of(boxes, [](const Box& box) { return box.ended == box.posted; });
    }));
    CO_TRUE(co_await until(20s, [&] {
      return std::ranges::all_of(boxes, [](const Box& box) { return box.read == box.posted; });
    }));
    // Readers that have it all wait for one more, which ends them.
    for (Box& box : boxes) {
      box.last = true;
      post(poster, box);
    }
    CO_TRUE(co_await until(20s, [&] { return readers_done == kMovedBoxes; }));
    for (const Box& box : boxes) {
      EXPECT_EQ(box.read, box.posted) << box.name;
      EXPECT_EQ(box.numbers.rbegin()->first, box.numbers.size()) << box.name << " has a hole";
    }
  }

  Cluster cluster{{.hosts = {"a", "b", "c"},
                   .more = {{"a", "[mail]\nshards = ['0-255']\n"}, {"b", "[mail]\n"}}}};
  std::vector<Box> boxes;
  bool posting = true;
  std::size_t readers_done = 0;
};

TEST_P(MailMoveTest, LosesAndDoublesNothing) {
  boxes.reserve(kMovedBoxes);
  run([this] { return there_and_back(); }, 120s);
}

INSTANTIATE_TEST_SUITE_P(Killed, MailMoveTest, ::testing::Values("", "a", "b", "c", "root"),
                         [](const auto& suite) {
                           return suite.param.empty() ? "nobody" : suite.param;
                         });

}  // namespace
}  // namespace starbus::cluster_test
