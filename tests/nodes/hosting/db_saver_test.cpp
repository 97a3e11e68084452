/// Entities as documents: what is written, what a late writer cannot do, what comes back.
#include "nodes/hosting/db_saver.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <map>

#include "nodes/hosting/limits.hpp"
#include "tests/nodes/db/support.hpp"

namespace starbus::nodes::entities {
namespace {

using ::testing::ElementsAre;

/// Documents in memory; answers when it is told to.
class Documents final : public db::Database {
 public:
  db::Result<> write(db::WriteRequest request, Done<db::Written> done) override {
    if (refuse != db::Errc::ok) return refuse;
    const auto& update = std::get<db::Update>(request.writes.at(0));
    auto& document = all[update.collection + "/" + update.id];
    const bool fresh = document.is_null();
    if (fresh) document = db::Json::object();
    if (const auto changed = db::apply_changes(update.changes, document); !changed) {
      done(changed.error());
    } else {
      if (request.writes.size() == 2) {
        const auto& erase = std::get<db::Erase>(request.writes.at(1));
        all.erase(erase.collection + "/" + erase.id);
      }
      done(db::Written{{fresh ? db::Outcome::created : db::Outcome::changed}, false});
    }
    return {};
  }
  db::Result<> find(db::Find request, Done<std::optional<db::Json>> done) override {
    const auto found = all.find(request.collection + "/" + request.id);
    done(found == all.end() ? std::optional<db::Json>() : std::optional<db::Json>(found->second));
    return {};
  }
  db::Result<> query(db::Query, Done<db::Page>) override { return db::Errc::closed; }
  db::Result<> count(db::Count, Done<db::Counted>) override { return db::Errc::closed; }
  db::Result<> declare_index(db::DeclareIndex, Done<>) override { return db::Errc::closed; }
  db::Result<> drop_index(db::DropIndex, Done<>) override { return db::Errc::closed; }
  db::Result<> indexes(std::string, Done<std::vector<db::IndexInfo>>) override {
    return db::Errc::closed;
  }
  db::Result<> collections(Done<std::vector<db::CollectionInfo>>) override {
    return db::Errc::closed;
  }
  db::Errc refuse = db::Errc::ok;
  std::map<std::string, db::Json> all;
};

class DbSaverTest : public ::testing::Test {
 protected:
  Code save(std::uint64_t epoch, std::uint64_t number, const std::string& what,
            std::optional<std::uint64_t> after = {}) {
    const auto bytes = bus::as_bytes(what);
    std::optional<Code> end;
    SavedEntity hero{"hero", "ada", bus::Bytes(bytes.begin(), bytes.end()), {epoch, number}};
    hero.after = after;
    saver.save(hero,
               [&](const bus::Result<>& kept) { end = kept ? bus::Errc::ok : kept.error().code; });
    return end.value();
  }
  Code erase(std::uint64_t epoch, std::uint64_t number) {
    std::optional<Code> end;
    SavedEntity erased{"hero", "ada", {}, {epoch, number}};
    erased.erase = true;
    saver.save(erased, [&](const bus::Result<>& result) {
      end = result ? bus::Errc::ok : result.error().code;
    });
    return end.value();
  }
  std::string load() {
    std::string text = "not called";
    saver.load("hero", "ada", [&](const DbSaver::Loaded& loaded) {
      text = !loaded   ? std::string(name_of(loaded.error().code))
             : *loaded ? std::string(bus::as_text(**loaded))
                       : std::string("none");
    });
    return text;
  }
  Documents documents;
  DbSaver saver{documents};
};

TEST_F(DbSaverTest, ALaterOwnersStateStays) {
  EXPECT_EQ(load(), "none");
  EXPECT_EQ(save(7, 1, "one"), bus::Errc::ok);
  EXPECT_EQ(save(7, 1, "one"), bus::Errc::ok) << "the same again: its answer was lost";
  EXPECT_EQ(save(7, 16, "two"), bus::Errc::ok) << "16 is more than 1 as a text, too";
  EXPECT_EQ(save(7, 9, "late"), bus::Errc::superseded);
  EXPECT_EQ(save(8, 1, "three"), bus::Errc::ok) << "another owner begins again";
  EXPECT_EQ(save(7, 99, "fenced"), bus::Errc::superseded);
  EXPECT_EQ(load(), "three");
  EXPECT_EQ(documents.all.at("hero/ada").at("type"), "hero");
  EXPECT_EQ(saver.counters().superseded, 2U);
  EXPECT_EQ(save(0, 1'000, "loaded, and never owned"), bus::Errc::superseded);
  EXPECT_EQ(load(), "three");
}

TEST_F(DbSaverTest, AStateThatHasComeBackReplacesNothingThatWasStoredMeanwhile) {
  EXPECT_EQ(save(9, 1, "never stored before", 5), bus::Errc::ok);
  documents.all.clear();
  EXPECT_EQ(save(5, 7, "left"), bus::Errc::ok);
  EXPECT_EQ(save(9, 1, "back", 5), bus::Errc::ok);
  EXPECT_EQ(load(), "back");
  EXPECT_EQ(save(9, 1, "back", 5), bus::Errc::ok) << "the same again: its answer was lost";
  EXPECT_EQ(save(9, 2, "goes on", 5), bus::Errc::ok) << "likewise";
  EXPECT_EQ(load(), "goes on");
  documents.all.clear();
  EXPECT_EQ(save(7, 1, "of the target"), bus::Errc::ok);
  EXPECT_EQ(save(9, 3, "back", 5), bus::Errc::superseded);
  EXPECT_EQ(load(), "of the target");
  EXPECT_EQ(save(10, 1, "of another owner"), bus::Errc::ok);
  EXPECT_EQ(save(9, 4, "back", 5), bus::Errc::superseded);
  EXPECT_EQ(load(), "of another owner");
}

TEST_F(DbSaverTest, ErasesTheDocumentUnlessALaterOwnerHasWritten) {
  EXPECT_EQ(save(7, 2, "one"), bus::Errc::ok);
  EXPECT_EQ(erase(6, 9), bus::Errc::superseded);
  EXPECT_EQ(load(), "one");
  EXPECT_EQ(erase(7, 3), bus::Errc::ok);
  EXPECT_EQ(load(), "none");
  EXPECT_EQ(erase(7, 3), bus::Errc::ok) << "again: its answer was lost";
  EXPECT_TRUE(documents.all.empty());
}

class DbSaverValues : public DbSaverTest {
 protected:
  db::Json kept_of(std::vector<SavedValue> values) {
    SavedEntity hero{"hero", "ada", {}, {1, ++number}, std::move(values)};
    bool kept = false;
    saver.save(hero, [&](const bus::Result<>& end) { kept = end.has_value(); });
    EXPECT_TRUE(kept) << "whatever the values are, the entity is saved";
    const db::Json& document = documents.all.at("hero/ada");
    return document.contains("values") ? document.at("values") : db::Json();
  }
  std::uint64_t number = 0;
};

TEST_F(DbSaverValues, StandInTheObjectsThatTheirPathsName) {
  const auto stored = kept_of({{"level", 7}, {"stats.strength", 3}, {"stats.wit", "high"}});
  EXPECT_EQ(stored, (db::Json{{"level", 7}, {"stats", {{"strength", 3}, {"wit", "high"}}}}));
  EXPECT_EQ(kept_of({{"level", 8}}), (db::Json{{"level", 8}}))
      << "what is declared no more is gone";
  EXPECT_EQ(kept_of({}), db::Json());
  EXPECT_EQ(saver.counters().left_out, 0U);
}

TEST_F(DbSaverValues, ThatNoDocumentCanHoldAreLeftOutAndCounted) {
  const auto stored = kept_of({{"most", std::numeric_limits<std::int64_t>::max()},
                               {"more", std::uint64_t{1} << 63},
                               {"infinite", std::numeric_limits<double>::infinity()},
                               {"text", "\xff"},
                               {"long", std::string(kSearchableValue, 'x')},
                               {"most.part", 1},
                               {"last", true}});
  EXPECT_EQ(stored, (db::Json{{"most", std::numeric_limits<std::int64_t>::max()}, {"last", true}}));
  EXPECT_EQ(saver.counters().left_out, 5U);
}

TEST(DbSaverIndex, FindsEntitiesByValuesAndReadsTheirBytes) {
  db::test::World world;
  DbSaver saver{world.database()};
  ASSERT_TRUE(world.declare({"hero", "by_level", {{"values.level", true}}}));
  int kept = 0;
  const auto save = [&](const std::string& who, int level, std::uint64_t number) {
    const auto bytes = bus::as_bytes(who);
    saver.save({"hero",
                who,
                bus::Bytes(bytes.begin(), bytes.end()),
                {1, number},
                std::vector<SavedValue>{{"level", level}}},
               [&](const bus::Result<>& end) { kept += end.has_value() ? 1 : 0; });
  };
  save("ada", 7, 1);
  save("bea", 9, 1);
  save("cyd", 8, 1);
  save("ada", 10, 2);
  ASSERT_TRUE(world.loop().run_until([&] { return kept == 4; }));
  std::vector<std::string> best;
  for (const db::Found& found : world.all({.collection = "hero", .index = "by_level"}, 2)) {
    best.push_back(found.id);
  }
  EXPECT_THAT(best, ElementsAre("ada", "bea", "cyd"));
  std::string read;
  saver.load("hero", "ada", [&](const DbSaver::Loaded& loaded) {
    if (loaded && *loaded) read = bus::as_text(**loaded);
  });
  ASSERT_TRUE(world.loop().run_until([&] { return !read.empty(); }));
  EXPECT_EQ(read, "ada");
}

TEST(DbSaverErase, LeavesNoDocumentInAStore) {
  db::test::World world;
  DbSaver saver{world.database()};
  SavedEntity hero{"hero", "ada", {}, {1, 1}};
  std::vector<Code> ends;
  const auto note = [&](const bus::Result<>& end) {
    ends.push_back(end ? bus::Errc::ok : end.error().code);
  };
  saver.save(hero, note);
  hero.version.number = 2;
  hero.erase = true;
  saver.save(hero, note);
  saver.save({"hero", "bea", {}, {1, 1}, {}, true}, note);  // there is none
  ASSERT_TRUE(world.loop().run_until([&] { return ends.size() == 3; }));
  EXPECT_THAT(ends, ElementsAre(bus::Errc::ok, bus::Errc::ok, bus::Errc::ok));
  EXPECT_TRUE(world.all({.collection = "hero"}, 10).empty());
}

TEST_F(DbSaverTest, ErrorsSayWhetherTheyPass) {
  documents.refuse = db::Errc::busy;
  EXPECT_EQ(save(1, 1, "x"), bus::Errc::would_block);
  documents.refuse = db::Errc::unavailable;
  EXPECT_EQ(save(1, 1, "x"), bus::Errc::io_error);
  documents.refuse = db::Errc::too_large;
  EXPECT_EQ(save(1, 1, "x"), bus::Errc::too_large);
  documents.refuse = db::Errc::bad_request;
  EXPECT_EQ(save(1, 1, "x"), bus::Errc::bad_name);
  EXPECT_EQ(saver.counters().failed, 4U);
  documents.all["hero/ada"] = {{"gold", 5}};
  EXPECT_EQ(load(), "corrupt") << "somebody else's document";
}

TEST_F(DbSaverTest, VersionsSortAsTheirTexts) {
  EXPECT_EQ(text_of(SaveVersion{0x30, 10}), "0000000000000030.000000000000000a");
  EXPECT_LT(text_of(SaveVersion{1, 99}), text_of(SaveVersion{2, 1}));
}

}  // namespace
}  // namespace starbus::nodes::entities
