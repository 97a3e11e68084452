// Mail: what `posted` acknowledged is on the disk, once and in order, whatever is killed meanwhile.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "bus/core/name.hpp"
#include "busd/mail/rows.hpp"
#include "storage/store.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace mail = bus::busd::mail;

class MailTest : public ClusterTest, public ::testing::WithParamInterface<std::string> {
 protected:
  static constexpr std::uint32_t kPosts = 6'000;
  const std::vector<std::string> boxes{"player/1", "player/2", "player/3"};

  /// Keeps a window of posts under way until all have an end.
  void post_all(Bus& bus) {
    while (next_ < kPosts && under_way_ < 1'000) {
      const std::uint32_t number = next_++;
      const std::string& box = boxes[number % boxes.size()];
      ++under_way_;
      const auto body = std::to_string(number);
      bus.post(box, body, {.ttl = 0ms}, [this, &bus, box, number](bus::Result<std::uint64_t> end) {
        --under_way_;
        if (end) {
          EXPECT_TRUE(posted[box].emplace(*end, number).second) << "a number given twice";
        } else {
          ADD_FAILURE() << end.error().to_string();
        }
        ++ended;
        post_all(bus);
      });
    }
  }

  /// What the disk has, read without busd.
  std::map<std::uint64_t, std::uint32_t> stored(const std::string& box) {
    const auto store = storage::open_store({.folder = cluster.busd("a").state_folder() / "mail"});
    EXPECT_TRUE(store) << store.error().to_string();
    const bus::ChannelId id = bus::channel_id(box);
    std::map<std::uint64_t, std::uint32_t> rows;
    for (std::uint64_t number = 1;; ++number) {
      const auto row = (*store)->get(mail::message_key(bus::shard_of(id), id, number));
      EXPECT_TRUE(row);
      if (!row || !row->has_value()) return rows;
      rows[number] = static_cast<std::uint32_t>(
          std::stoul(std::string(mail::decode_message(**row).value().body)));
    }
  }

  bus::Task post_while_killing() {
    Bus bus(loop, cluster.node("b", "poster"));
    CO_OK(co_await bus.connect(use_awaitable));
    post_all(bus);
    for (const std::uint32_t when : {kPosts / 5, kPosts / 2}) {
      CO_TRUE(co_await until(20s, [&] { return ended >= when; }));
      cluster.daemon(GetParam()).restart();
    }
    CO_TRUE(co_await until(30s, [&] { return ended == kPosts; }));
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
  std::map<std::string, std::map<std::uint64_t, std::uint32_t>> posted;
  std::uint32_t ended = 0;

 private:
  std::uint32_t next_ = 0;
  std::uint32_t under_way_ = 0;
};

TEST_P(MailTest, IsStoredOnceAndInOrderWhateverIsKilled) {
  run([this] { return post_while_killing(); }, 60s);
  ASSERT_TRUE(cluster.busd("a").terminate(10s));
  for (const std::string& box : boxes) {
    const auto rows = stored(box);
    EXPECT_EQ(rows, posted[box]) << box;
    std::uint32_t before = 0;
    for (const auto& [number, post] : rows) {
      EXPECT_TRUE(number == 1 || post > before) << box << " " << number;
      before = post;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Daemon, MailTest, ::testing::Values("root", "a", "b"),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace starbus::cluster_test
