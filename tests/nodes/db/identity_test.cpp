/// Which store a database has: the first one, until it is replaced on purpose.
#include <gmock/gmock.h>

#include "nodes/db/limits.hpp"
#include "nodes/db/service/engine.hpp"
#include "nodes/db/service/store_identity.hpp"
#include "tests/storage/support.hpp"

#include <future>

namespace starbus::nodes::db {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A log in memory, which may be away.
struct FakeLog {
  IdentityLog log() {
    IdentityLog made;
    made.read = [this](std::uint64_t from, const IdentityLog::Answer<bus::LogPage>& answer) {
      if (away) return answer(bus::Error(bus::Errc::no_owner));
      bus::LogPage page;
      page.last = entries.size();
      for (std::uint64_t number = std::max(from, kept_from); number <= entries.size(); ++number) {
        if (page.items.size() == kIdentityPage) break;
        const auto bytes = bus::as_bytes(entries[number - 1]);
        bus::Mail mail;
        mail.number = number;
        mail.body.assign(bytes.begin(), bytes.end());
        page.items.push_back(std::move(mail));
      }
      answer(std::move(page));
    };
    made.append = [this](std::string entry, const IdentityLog::Answer<std::uint64_t>& answer) {
      if (before_append) std::exchange(before_append, nullptr)();
      entries.push_back(std::move(entry));
      answer(entries.size());
    };
    return made;
  }
  bool away = false;
  std::uint64_t kept_from = 1;
  std::vector<std::string> entries;
  std::function<void()> before_append;
};

class IdentityCheckTest : public ::testing::Test {
 protected:
  /// What the start of a node with the store `own` ends with; none while it waits.
  std::optional<bus::Error> start(const std::string& own, const std::string& replaces = {}) {
    check = std::make_unique<IdentityCheck>("main", replaces, fake.log(), wheel);
    ended = std::make_shared<std::optional<bus::Error>>();
    check->run(own, [ended = ended](const bus::Result<>& result) {
      *ended = result ? bus::Error() : result.error();
    });
    return *ended;
  }
  void pass(entity::Time time) { wheel.advance(now += time); }

  entity::Time now{};
  entity::TimerWheel wheel;
  FakeLog fake;
  std::unique_ptr<IdentityCheck> check;
  std::shared_ptr<std::optional<bus::Error>> ended;
};

TEST_F(IdentityCheckTest, FirstStoreIsTheDatabaseAndOthersAreRefused) {
  EXPECT_EQ(start("a"), bus::Errc::ok);
  EXPECT_EQ(start("a"), bus::Errc::ok) << "started again";
  const auto refused = start("b");
  EXPECT_EQ(refused, bus::Errc::bad_config);
  EXPECT_THAT(refused->detail, HasSubstr("the store here is b, and the cluster's is a"));
  EXPECT_THAT(refused->detail, HasSubstr("replaces = 'a'"));
  EXPECT_THAT(fake.entries, ElementsAre("store a"));
}

TEST_F(IdentityCheckTest, StoreIsReplacedOnPurposeOnly) {
  EXPECT_EQ(start("a"), bus::Errc::ok);
  EXPECT_EQ(start("b", "c"), bus::Errc::bad_config) << "it names another one";
  EXPECT_EQ(start("b", "a"), bus::Errc::ok);
  EXPECT_EQ(start("b", "a"), bus::Errc::ok) << "the key may stay in the file";
  EXPECT_EQ(start("a"), bus::Errc::bad_config) << "the former one has fallen behind";
  EXPECT_EQ(start("c", "a"), bus::Errc::bad_config);
  EXPECT_EQ(start("a", "b"), bus::Errc::ok) << "and back";
}

TEST_F(IdentityCheckTest, OfTwoThatBeginAtOnceTheFirstEntryCounts) {
  fake.before_append = [this] { fake.entries.emplace_back("store b"); };
  EXPECT_EQ(start("a"), bus::Errc::bad_config);
  EXPECT_EQ(start("b"), bus::Errc::ok);
  fake.before_append = [this] { fake.entries.emplace_back("store c replaces b"); };
  EXPECT_EQ(start("d", "b"), bus::Errc::bad_config);
  EXPECT_EQ(start("c"), bus::Errc::ok);
}

TEST_F(IdentityCheckTest, WaitsForALogThatIsAway) {
  fake.away = true;
  EXPECT_FALSE(start("a"));
  EXPECT_THAT(check->waits_for(), HasSubstr("log/db.main: no_owner"));
  pass(kIdentityRetry);
  EXPECT_FALSE(*ended) << "an unknown store is not a new one";
  fake.away = false;
  pass(kIdentityRetry);
  EXPECT_EQ(*ended, bus::Errc::ok);
  EXPECT_EQ(check->waits_for(), "");
}

TEST_F(IdentityCheckTest, LogThatKeepsNothingKnowsNoStore) {
  EXPECT_EQ(start("a"), bus::Errc::ok);
  fake.kept_from = 2;
  const auto refused = start("a");
  EXPECT_EQ(refused, bus::Errc::bad_config);
  EXPECT_THAT(refused->detail, HasSubstr("replaces = 'erased'"));
  EXPECT_EQ(start("a", "erased"), bus::Errc::ok);
  EXPECT_EQ(start("b"), bus::Errc::bad_config);
  fake.kept_from = 100;
  EXPECT_EQ(start("a", "erased"), bus::Errc::bad_config) << "it appends once, and not for ever";
}

TEST_F(IdentityCheckTest, LongLogIsReadPageByPage) {
  fake.entries.emplace_back("store 0");
  for (std::size_t i = 1; i < 3 * kIdentityPage; ++i) {
    fake.entries.push_back(KnownIdentity::replacement(std::to_string(i), std::to_string(i - 1)));
  }
  EXPECT_EQ(start(std::to_string(3 * kIdentityPage - 1)), bus::Errc::ok);
}

TEST(KnownIdentityTest, EntriesThatAreMalformedChangeNothing) {
  KnownIdentity known;
  for (const char* const entry : {"", "store ", "stores a", "x"}) known.add(entry);
  EXPECT_EQ(known.present(), "");
  known.add("store a");
  for (const char* const entry : {"store b", "store b replaces ", "store b replaces c", "store"}) {
    known.add(entry);
  }
  EXPECT_EQ(known.present(), "a");
}

TEST(StoreIdentityTest, StaysWithTheFolder) {
  storage::test::TempFolder folder;
  const auto identity_in = [&](const char* name) {
    Engine engine(
        {.folder = folder.path() / name, .scope = {"main"}, .indexes = {}, .headroom = 1 << 20},
        {.stopped = [](const storage::Error&) {}});
    std::promise<bool> opened;
    engine.open([&](const Result<>& result) { opened.set_value(result.has_value()); });
    EXPECT_TRUE(opened.get_future().get());
    return engine.figures().identity;
  };
  const std::string one = identity_in("one");
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(identity_in("one"), one);
  EXPECT_NE(identity_in("two"), one);
}

}  // namespace
}  // namespace starbus::nodes::db
