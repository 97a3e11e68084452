/// The promises of docs/guide/db.md, one by one, over a real store on a disk that only takes note.
#include "tests/nodes/db/support.hpp"

#include <gmock/gmock.h>

namespace starbus::nodes::db {
namespace {

using ::testing::ElementsAre;

class DatabaseTest : public ::testing::Test {
 protected:
  std::vector<std::string> ids(const Range& range, std::uint64_t limit = 100) {
    std::vector<std::string> ids;
    for (const Found& found : world_.all(range, limit)) ids.push_back(found.id);
    return ids;
  }
  Json at(const std::string& id) {
    const auto found = world_.find({"c", id});
    return found && *found ? **found : Json();
  }
  std::uint64_t count(const Range& range) { return world_.count({range}).value().count; }
  void put(const std::string& id, Json document) {
    const auto written = world_.write(Put{"c", id, std::move(document)});
    ASSERT_TRUE(written) << written.error().to_string();
  }

  test::World world_;
};

TEST_F(DatabaseTest, InsertPutUpdateErase) {
  const auto outcome = [&](Write write) {
    const auto written = world_.write(std::move(write));
    return written ? std::to_string(static_cast<int>(written->outcomes.at(0)))
                   : std::string(name_of(written.error().code));
  };
  EXPECT_EQ(outcome(Insert{"c", "1", {{"n", 1}}}), "1");
  EXPECT_EQ(outcome(Insert{"c", "1", {{"n", 2}}}), "exists");
  EXPECT_EQ(outcome(Put{"c", "1", {{"n", 1}}}), "0") << "as it was";
  EXPECT_EQ(outcome(Put{"c", "1", {{"n", 1.0}}}), "2") << "a double is another value";
  EXPECT_EQ(outcome(Update{"c", "1", {{Operator::inc, "n", 5}}}), "2");
  EXPECT_EQ(at("1"), (Json{{"n", 6.0}}));
  EXPECT_EQ(outcome(Update{"c", "2", {{Operator::inc, "n", 5}}}), "not_found");
  EXPECT_EQ(outcome(Update{"c", "2", {{Operator::inc, "n", 5}}, true}), "1");
  EXPECT_EQ(at("2"), (Json{{"n", 5}}));
  EXPECT_EQ(outcome(Update{"c", "2", {{Operator::push, "n", 5}}}), "wrong_type");
  EXPECT_EQ(outcome(Erase{"c", "1"}), "3");
  EXPECT_EQ(outcome(Erase{"c", "1"}), "0");
  EXPECT_EQ(at("1"), Json());
  EXPECT_EQ(count({.collection = "c"}), 1u);
}

TEST_F(DatabaseTest, RaiseNeverLowersAndFailsTheRequest) {
  const auto write = [&](Json version, int n) {
    const auto written = world_.write(
        Update{"c",
               "1",
               {{Operator::raise, "version", std::move(version)}, {Operator::set, "n", n}},
               true});
    return written ? std::string("ok") : std::string(name_of(written.error().code));
  };
  EXPECT_EQ(write("0007.0001", 1), "ok");
  EXPECT_EQ(write("0007.0001", 1), "ok") << "the same again";
  EXPECT_EQ(write("0007.000a", 2), "ok");
  EXPECT_EQ(write("0007.0009", 3), "stale");
  EXPECT_EQ(write(7, 3), "wrong_type") << "numbers and texts have no order";
  EXPECT_EQ(write(Json::array(), 3), "wrong_type");
  EXPECT_EQ(at("1"), (Json{{"n", 2}, {"version", "0007.000a"}}));
  const auto number = [&](const char* id, Json value) {
    return world_.write(Update{"c", id, {{Operator::raise, "v", std::move(value)}}, true})
        .has_value();
  };
  EXPECT_TRUE(number("2", -1));
  EXPECT_TRUE(number("2", 9'007'199'254'740'993)) << "exact beyond what a double has";
  EXPECT_FALSE(number("2", 9'007'199'254'740'992.0));
  EXPECT_TRUE(number("2", 1e300));
}

TEST_F(DatabaseTest, ARequestTakesEffectAsAWhole) {
  put("1", {{"n", 1}});
  const auto refused =
      world_.write({.writes = {Put{"c", "1", {{"n", 9}}}, Put{"d", "2", {{"n", 2}}},
                               Insert{"c", "1", {{"n", 3}}}}});
  EXPECT_EQ(refused.error(), Errc::exists);
  EXPECT_EQ(refused.error().detail, "write 2: c/1");
  EXPECT_EQ(at("1"), (Json{{"n", 1}}));
  EXPECT_EQ(count({.collection = "d"}), 0u);
  const auto twice =
      world_.write({.writes = {Update{"c", "1", {{Operator::inc, "n", 1}}},
                               Update{"c", "1", {{Operator::inc, "n", 1}}}, Erase{"c", "7"}}});
  EXPECT_THAT(twice.value().outcomes,
              ElementsAre(Outcome::changed, Outcome::changed, Outcome::unchanged));
  EXPECT_EQ(at("1"), (Json{{"n", 3}}));
}

TEST_F(DatabaseTest, BadRequestsAreRefusedAtOnce) {
  const auto taken = [&](WriteRequest request) {
    return world_.database().write(std::move(request), [](const auto&) { FAIL(); });
  };
  EXPECT_EQ(taken({}).error(), Errc::bad_request);
  EXPECT_EQ(taken({.writes = {Erase{"", "1"}}}).error(), Errc::bad_request);
  EXPECT_EQ(taken({.writes = {Erase{"a/b", "1"}}}).error(), Errc::bad_request);
  EXPECT_EQ(taken({.writes = {Erase{"c", ""}}}).error(), Errc::bad_request);
  EXPECT_EQ(taken({.writes = {Erase{"c", "\xff"}}}).error(), Errc::bad_request);
  EXPECT_EQ(taken({.writes = {Put{"c", "1", Json(1)}}}).error(), Errc::bad_document);
  EXPECT_EQ(taken({.request_id = std::string(65, 'a'), .writes = {Erase{"c", "1"}}}).error(),
            Errc::bad_request);
  EXPECT_EQ(taken({.writes = std::vector<Write>(kMaxWrites + 1, Erase{"c", "1"})}).error(),
            Errc::too_large);
  const Json large = {{"a", std::string(kMaxDocument, 'a')}};
  EXPECT_EQ(world_.write(Put{"c", "1", large}).error(), Errc::too_large);
  EXPECT_EQ(world_.find({"c", "1", {"a..b"}}).error(), Errc::bad_request);
  EXPECT_EQ(world_.query({.range = {.collection = "c"}, .token = "x"}).error(), Errc::bad_request);
  EXPECT_EQ(world_.declare({"c", "i", {}}).error(), Errc::bad_request);
}

TEST_F(DatabaseTest, AFindSeesTheWritesBeforeIt) {
  std::vector<std::string> told;
  auto& database = world_.database();
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(database.write({.writes = {Put{"c", "1", {{"n", i}}}}},
                               [&, i](const auto&) { told.push_back("w" + std::to_string(i)); }));
    ASSERT_TRUE(database.find({"c", "1"}, [&](const Result<std::optional<Json>>& found) {
      told.push_back(found.value() ? found.value()->dump() : "nothing");
    }));
  }
  EXPECT_TRUE(told.empty()) << "never within the call";
  ASSERT_TRUE(world_.loop().run_until([&] { return told.size() == 6; }));
  EXPECT_THAT(told, ElementsAre("w1", R"({"n":1})", "w2", R"({"n":2})", "w3", R"({"n":3})"));
}

TEST_F(DatabaseTest, WhatWaitsIsOneCommit) {
  const auto before = world_.store().report().committed;
  std::size_t told = 0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(world_.database().write({.writes = {Put{"c", std::to_string(i), {{"n", i}}}}},
                                        [&](const auto& written) { told += written ? 1 : 0; }));
  }
  ASSERT_TRUE(world_.loop().run_until([&] { return told == 500; }));
  EXPECT_EQ(world_.store().report().committed - before, 2u) << "the first, and all the others";
  EXPECT_EQ(world_.documents("c").size(), 500u);
}

TEST_F(DatabaseTest, ARetryRunsOnce) {
  const WriteRequest request{.request_id = "trade/8f3a91c2",
                             .writes = {Update{"c", "1", {{Operator::inc, "n", 1}}, true}}};
  const auto first = world_.write(request);
  EXPECT_FALSE(first.value().repeated);
  for (int i = 0; i < 2; ++i) {
    const auto again = world_.write(request);
    EXPECT_TRUE(again.value().repeated);
    EXPECT_EQ(again.value().outcomes, first.value().outcomes);
    world_.crash(storage::testing::FaultEnv::Loss::all, 1);
  }
  EXPECT_EQ(at("1"), (Json{{"n", 1}}));
  // Before the first is answered, too.
  std::vector<bool> repeated;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world_.database().write(
        {.request_id = "x", .writes = request.writes},
        [&](const Result<Written>& written) { repeated.push_back(written.value().repeated); }));
  }
  ASSERT_TRUE(world_.loop().run_until([&] { return repeated.size() == 3; }));
  EXPECT_THAT(repeated, ElementsAre(false, true, true));
  EXPECT_EQ(at("1"), (Json{{"n", 2}}));
}

TEST_F(DatabaseTest, AnIdOfAnotherRequestIsAMistakeAndNotARetry) {
  const auto add = [&](int n) {
    return world_.write(
        {.request_id = "gate-1/17", .writes = {Update{"c", "1", {{Operator::inc, "n", n}}, true}}});
  };
  ASSERT_TRUE(add(1));
  EXPECT_EQ(add(2).error(), Errc::bad_request);
  world_.crash(storage::testing::FaultEnv::Loss::all, 1);
  EXPECT_EQ(add(2).error(), Errc::bad_request);
  EXPECT_TRUE(add(1).value().repeated);
  EXPECT_EQ(at("1"), (Json{{"n", 1}}));
}

TEST_F(DatabaseTest, ARefusedRequestIsTriedAgain) {
  const WriteRequest request{.request_id = "r", .writes = {Insert{"c", "1", {{"n", 1}}}}};
  put("1", {{"n", 0}});
  EXPECT_EQ(world_.write(request).error(), Errc::exists);
  ASSERT_TRUE(world_.write(Erase{"c", "1"}));
  EXPECT_FALSE(world_.write(request).value().repeated);
}

TEST_F(DatabaseTest, AnswersAreForgottenByAgeAndNumber) {
  std::uint64_t now = 1'000;
  world_.options() = {.wall_ms = [&] { return now; }, .request_age_ms = 100, .requests = 3};
  world_.close();
  world_.open();
  const auto repeated = [&](const std::string& id) {
    return world_.write({.request_id = id, .writes = {Erase{"c", "1"}}}).value().repeated;
  };
  for (const char* const id : {"a", "b", "c", "d"}) EXPECT_FALSE(repeated(id));
  EXPECT_TRUE(repeated("b"));
  EXPECT_TRUE(repeated("d"));
  EXPECT_FALSE(repeated("a")) << "the fourth pushed it out";
  now += 100;
  EXPECT_FALSE(repeated("e"));
  EXPECT_FALSE(repeated("d")) << "too old";
  for (const auto& [key, value] : storage::test::content_of(world_.store())) {
    EXPECT_TRUE(key[0] == 'M' || key == "Re" || key == "Rd" || key[0] == 'T') << key;
  }
}

TEST_F(DatabaseTest, RangesOfIds) {
  for (const char* const id : {"a", "b", "ba", "c"}) put(id, {{"n", 1}});
  const auto range = [&](std::optional<Bound> from, std::optional<Bound> to) {
    return ids({.collection = "c", .from = std::move(from), .to = std::move(to)});
  };
  EXPECT_THAT(range({}, {}), ElementsAre("a", "b", "ba", "c"));
  EXPECT_THAT(range(Bound{{"b"}}, Bound{{"c"}, false}), ElementsAre("b", "ba"));
  EXPECT_THAT(range(Bound{{"b"}, false}, Bound{{"c"}}), ElementsAre("ba", "c"));
  EXPECT_THAT(range(Bound{{"c"}}, Bound{{"b"}}), ElementsAre());
  EXPECT_EQ(world_.query({.range = {.collection = "c", .from = Bound{{1}}}}).error(),
            Errc::bad_request);
}

TEST_F(DatabaseTest, RangesOfIndexes) {
  ASSERT_TRUE(world_.declare({"c", "score", {{"team"}, {"score", true}}}));
  put("a", {{"team", "red"}, {"score", 5}});
  put("b", {{"team", "red"}, {"score", 7.5}});
  put("c", {{"team", "blue"}, {"score", 9}});
  put("d", {{"score", 1}});
  put("e", {{"team", "red"}, {"score", 7}});
  const auto range = [&](std::optional<Bound> from, std::optional<Bound> to) {
    return ids({.collection = "c", .index = "score", .from = std::move(from), .to = std::move(to)},
               2);
  };
  EXPECT_THAT(range({}, {}), ElementsAre("d", "c", "b", "e", "a"));
  EXPECT_THAT(range(Bound{{"red"}}, Bound{{"red"}}), ElementsAre("b", "e", "a"));
  EXPECT_THAT(range(Bound{{"red", 7}}, Bound{{"red"}}), ElementsAre("e", "a"));
  EXPECT_THAT(range(Bound{{"red", 7}, false}, Bound{{"red"}}), ElementsAre("a"));
  EXPECT_THAT(range(Bound{{"blue"}}, Bound{{"red"}, false}), ElementsAre("c"));
  EXPECT_THAT(range({}, Bound{{nullptr}}), ElementsAre("d"));
  EXPECT_EQ(count({.collection = "c", .index = "score", .from = Bound{{"red"}}}), 3u);
  ASSERT_TRUE(world_.write(Update{"c", "a", {{Operator::set, "team", "blue"}}}));
  EXPECT_THAT(range(Bound{{"blue"}}, Bound{{"blue"}}), ElementsAre("c", "a"));
  const auto page = world_.query(
      {.range = {.collection = "c", .index = "score"}, .limit = 1, .paths = {"score"}});
  EXPECT_EQ(page.value().found.at(0).document, (Json{{"score", 1}}));
  EXPECT_EQ(world_.query({.range = {.collection = "c", .index = "x"}}).error(), Errc::not_found);
  EXPECT_EQ(world_.query({.range = {.collection = "c", .index = "score", .from = Bound{{1, 2, 3}}}})
                .error(),
            Errc::bad_request);
}

TEST_F(DatabaseTest, AnIndexIsBuiltBehindTheScenes) {
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(world_.database().write(
        {.writes = {Put{"c", std::to_string(i), {{"n", i % 10}, {"i", i}}}}}, [](const auto&) {}));
  }
  put("x", {{"n", 3}});
  ASSERT_TRUE(world_.declare({"c", "n", {{"n"}}}));
  EXPECT_EQ(world_.query({.range = {.collection = "c", .index = "n"}}).error(),
            Errc::index_building);
  // Meanwhile documents change, before, behind and where it is.
  for (int i = 0; i < 1000; ++i) {
    const std::string id = std::to_string(i);
    const Write write = i % 3 == 0
                            ? Write(Erase{"c", id})
                            : Write(Put{"c", id, {{"n", i % 3 == 1 ? i % 10 : 99}, {"i", i}}});
    ASSERT_TRUE(world_.database().write({.writes = {write}}, [](const auto&) {}));
  }
  world_.wait_for_indexes("c");
  EXPECT_EQ(world_.documents("c").size(), 667u);
  EXPECT_TRUE(world_.declare({"c", "n", {{"n"}}})) << "the same again";
  EXPECT_EQ(world_.declare({"c", "n", {{"n", true}}}).error(), Errc::exists);
}

TEST_F(DatabaseTest, BuildingGoesOnAfterARestart) {
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(world_.database().write({.writes = {Put{"c", std::to_string(i), {{"n", -i}}}}},
                                        [](const auto&) {}));
  }
  put("x", {{"n", 3}});
  ASSERT_TRUE(world_.declare({"c", "n", {{"n"}}}));
  world_.crash(storage::testing::FaultEnv::Loss::torn, 3);
  EXPECT_FALSE(world_.indexes("c").at(0).complete);
  world_.wait_for_indexes("c");
  EXPECT_EQ(world_.documents("c").size(), 2001u);
}

TEST_F(DatabaseTest, ADroppedIndexLeavesNothing) {
  ASSERT_TRUE(world_.declare({"c", "n", {{"n"}}}));
  for (int i = 0; i < 200; ++i) put(std::to_string(i), {{"n", i}});
  ASSERT_TRUE(world_.drop({"c", "n"}));
  EXPECT_EQ(world_.drop({"c", "n"}).error(), Errc::not_found);
  ASSERT_TRUE(world_.declare({"c", "n", {{"n", true}}}));
  world_.wait_for_indexes("c");
  EXPECT_EQ(world_.documents("c").size(), 200u);
  ASSERT_TRUE(world_.drop({"c", "n"}));
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(world_.write(Erase{"c", std::to_string(i)}));
  for (const auto& [key, value] : storage::test::content_of(world_.store())) EXPECT_EQ(key, "M");
}

TEST_F(DatabaseTest, LimitsOfIndexesAndOfWhatWaits) {
  for (std::uint64_t i = 0; i < kMaxIndexes; ++i) {
    ASSERT_TRUE(world_.declare({"c", "i" + std::to_string(i), {{"n"}}}));
  }
  EXPECT_EQ(world_.declare({"c", "more", {{"n"}}}).error(), Errc::too_many);
  world_.disk().set_sync_delay(std::chrono::milliseconds(20));
  const Json document = {{"a", std::string(kMaxDocument - 100, 'a')}};
  std::size_t taken = 0, told = 0;
  for (; taken < 1000; ++taken) {
    const auto result = world_.database().write({.writes = {Put{"c", "1", document}}},
                                                [&](const auto& done) { told += done ? 1 : 0; });
    if (result) continue;
    EXPECT_EQ(result.error(), Errc::busy);
    break;
  }
  EXPECT_NEAR(static_cast<double>(taken), 64, 2);
  ASSERT_TRUE(world_.loop().run_until([&] { return told == taken; }));
  EXPECT_TRUE(world_.write(Erase{"c", "1"}));
}

TEST_F(DatabaseTest, ANewerLayoutIsRefused) {
  world_.close();
  storage::test::TempFolder folder;
  const auto store = storage::test::open_or_fail({.folder = folder.path() / "s"});
  ASSERT_TRUE(storage::test::commit(*store, storage::test::put("M", "\x02what ever")));
  EXPECT_EQ(StoreDatabase::open(*store, world_.loop()).error(), Errc::newer_format);
  ASSERT_TRUE(storage::test::commit(*store, storage::test::put("M", "\x01")));
  EXPECT_EQ(StoreDatabase::open(*store, world_.loop()).error(), Errc::corrupt);
}

}  // namespace
}  // namespace starbus::nodes::db
