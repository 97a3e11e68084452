/// What happens at the limits of the document store that take more than a line to reach.
#include <gmock/gmock.h>

#include "tests/nodes/db/support.hpp"

namespace starbus::nodes::db {
namespace {

TEST(Limits, RefusesCollectionsAboveLimit) {
  test::World world;
  for (std::uint64_t i = 0; i < kMaxCollections; i += kMaxWrites) {
    WriteRequest request;
    for (std::uint64_t j = i; j < i + kMaxWrites; ++j) {
      request.writes.push_back(Put{"c" + std::to_string(j), "1", Json::object()});
    }
    ASSERT_TRUE(world.write(request));
  }
  EXPECT_EQ(world.write(Put{"x", "1", Json::object()}).error(), Errc::too_many);
  EXPECT_EQ(world.declare({"x", "n", {{"n"}}}).error(), Errc::too_many);
  EXPECT_TRUE(world.write(Put{"c0", "2", Json::object()})) << "that is there";
  EXPECT_TRUE(world.write(Erase{"c1", "1"}));
  EXPECT_TRUE(world.write(Put{"x", "1", Json::object()}));
}

TEST(Limits, RequestsWithoutAnAnswerAreBounded) {
  test::World world;
  std::uint64_t answered = 0;
  for (std::uint64_t i = 0; i < kWaitingRequests; ++i) {
    ASSERT_TRUE(world.database().find({"c", "1"}, [&](const auto&) { ++answered; }));
  }
  EXPECT_EQ(world.database().find({"c", "1"}, [](const auto&) {}).error(), Errc::busy);
  EXPECT_EQ(world.database().write({.writes = {Erase{"c", "1"}}}, [](const auto&) {}).error(),
            Errc::busy);
  EXPECT_EQ(world.database().report().waiting, kWaitingRequests);
  ASSERT_TRUE(world.loop().run_until([&] { return answered == kWaitingRequests; }));
  EXPECT_TRUE(world.write(Erase{"c", "1"}));
}

TEST(Limits, AFullDiskCommitsLittleAtATime) {
  constexpr std::uint64_t kDocuments = 3 * kFullRequests + 1;
  test::World world;
  for (std::uint64_t i = 0; i < kDocuments; ++i) {
    ASSERT_TRUE(world.database().write({.writes = {Put{"c", std::to_string(i), {{"n", i}}}}},
                                       [](const auto&) {}));
  }
  ASSERT_TRUE(world.write(Put{"d", "1", Json::object()}));
  world.disk().set_available((1 << 20) - 1);  // one less than the headroom
  EXPECT_EQ(world.write(Put{"d", "2", Json::object()}).error(), Errc::store_full);
  std::uint64_t erased = 0;
  const std::uint64_t before = world.store().report().committed;
  const auto refused = [](const Result<Written>& written) {
    EXPECT_EQ(written.error(), Errc::store_full);
  };
  const auto one_more = [&](const Result<Written>& written) { erased += written ? 1 : 0; };
  for (std::uint64_t i = 0; i < kDocuments; ++i) {
    if (i % 16 == 0) {  // what puts, in every batch, so that none is taken as it is
      ASSERT_TRUE(world.database().write({.writes = {Put{"d", "3", Json::object()}}}, refused));
    }
    ASSERT_TRUE(world.database().write({.writes = {Erase{"c", std::to_string(i)}}}, one_more));
  }
  ASSERT_TRUE(world.loop().run_until([&] { return erased == kDocuments; }));
  EXPECT_GE(world.store().report().committed - before, kDocuments / kFullRequests);
  EXPECT_TRUE(world.documents("c").empty());
}

TEST(Limits, APageEndsByItsBytesAndTheNextGoesOn) {
  test::World world;
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  constexpr int kDocuments = 10;
  const std::string text(kPageBytes / 5, 'x');
  for (int i = 0; i < kDocuments; ++i) {
    ASSERT_TRUE(world.write(Put{"c", std::to_string(i), {{"n", i}, {"text", text}}}));
  }
  for (const char* const index : {"", "n"}) {
    Query query{.range = {.collection = "c", .index = index}};
    const Page first = world.query(query).value();
    EXPECT_EQ(first.found.size(), 4u);
    ASSERT_TRUE(first.next);
    query.token = first.next;
    EXPECT_EQ(world.query(query).value().found.at(0).id, "4");
    EXPECT_EQ(world.all({.collection = "c", .index = index}).size(), 10u);
  }
}

}  // namespace
}  // namespace starbus::nodes::db
