/// Documents over a bus that loses, and nodes that die: every request takes effect once, in the
/// order of its document, and its end says what became of it.
#include <gmock/gmock.h>

#include <random>

#include "tests/nodes/db/remote_support.hpp"
#include "tests/places.hpp"

namespace starbus::nodes::db {
namespace {

using storage::testing::FaultEnv;
using test::RemoteWorld;
using Milliseconds = RemoteLink::Milliseconds;

Update increment(const std::string& id, int by = 1) {
  return {"c", id, {{Operator::inc, "n", by}}, true};
}

// --- random losses, against the library ----------------------------------------------------------

/// Asks both, and compares what comes.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed), remote_({.deadline = Milliseconds(300'000)}) {}

  void run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      switch (pick(16)) {
        case 0:
        case 1:
        case 2:
        case 3:
          pick(4) == 0 ? find() : write();
          break;
        case 4:
          remote_.lose(pick(2) == 0 ? bus::Errc::no_owner : bus::Errc::would_block);
          break;
        case 5:
          remote_.deliver(true);
          break;
        case 6:
          remote_.link().pass(Milliseconds(pick(2'000)));
          break;
        case 7:
          if (pick(10) == 0) {
            remote_.crash(static_cast<FaultEnv::Loss>(pick(3)), random_(), pick(2) == 0);
          }
          break;
        case 8:
        case 9:
          remote_.settle();
          break;
        default:
          remote_.deliver();
      }
    }
    ASSERT_TRUE(remote_.finish());
    EXPECT_EQ(answered_, asked_);
    EXPECT_EQ(remote_.world().documents("c"), oracle_.documents("c"));
    EXPECT_EQ(remote_.world().documents("d"), oracle_.documents("d"));
  }

 private:
  std::uint64_t pick(std::uint64_t most) { return random_() % most; }
  std::string collection() { return pick(3) == 0 ? "d" : "c"; }
  std::string id() { return std::to_string(pick(4)); }

  Write some_write() {
    const int value = static_cast<int>(pick(100));
    switch (pick(5)) {
      case 0:
        return Insert{collection(), id(), {{"n", value}}};
      case 1:
        return Put{collection(), id(), {{"n", value}}};
      case 2:
        return Erase{collection(), id()};
      case 3:
        return Update{collection(), id(), {{Operator::push, "list", value}}, pick(2) == 0};
      default:
        return Update{collection(), id(), {{Operator::inc, "n", value}}, true};
    }
  }
  void write() {
    WriteRequest request;
    for (std::uint64_t i = pick(3); i < 3; ++i) request.writes.push_back(some_write());
    const auto expected = oracle_.write(request);
    ++asked_;
    const auto taken = remote_.remote().write(request, [this, expected](Result<Written> written) {
      ++answered_;
      if (!expected) {
        EXPECT_EQ(written ? Error() : written.error(), expected.error().code);
      } else {
        ASSERT_TRUE(written) << written.error().to_string();
        EXPECT_EQ(written->outcomes, expected->outcomes);
      }
    });
    ASSERT_TRUE(taken);
  }
  void find() {
    const Find request{collection(), id()};
    const auto expected = oracle_.find(request).value();
    ++asked_;
    const auto taken = remote_.remote().find(request, [this, expected](auto found) {
      ++answered_;
      ASSERT_TRUE(found) << found.error().to_string();
      EXPECT_EQ(*found, expected);
    });
    ASSERT_TRUE(taken);
  }

  std::mt19937_64 random_;
  test::World oracle_;
  RemoteWorld remote_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
};

TEST(RemoteProperty, RequestsTakeEffectOnceInDocumentOrder) {
  const std::uint64_t seeds = long_runs() ? 500 : 12;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    Pair(seed).run(600);
    if (::testing::Test::HasFailure()) return;
  }
}

// --- one by one ----------------------------------------------------------------------------------

TEST(Remote, AllKindsOfRequestsAnswerAsTheLibraryDoes) {
  RemoteWorld world;
  EXPECT_TRUE(world.ask<void>(&Database::declare_index, DeclareIndex{"c", "n", {{"n", true}}}));
  const WriteRequest two{
      .writes = {Insert{"c", "1", {{"n", 1}, {"bytes", Json::binary({1, 2})}}}, increment("2", 7)}};
  const auto written = world.ask<Written>(&Database::write, two);
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_THAT(written->outcomes, ::testing::ElementsAre(Outcome::created, Outcome::created));
  EXPECT_FALSE(written->repeated);
  EXPECT_EQ(world.ask<Written>(&Database::write, two).error().to_string(), "exists: write 0: c/1");
  const auto found = world.ask<std::optional<Json>>(&Database::find, Find{"c", "1", {"n"}});
  EXPECT_EQ(found.value(), (Json{{"n", 1}}));
  EXPECT_EQ(world.ask<std::optional<Json>>(&Database::find, Find{"c", "9"}).value(), std::nullopt);
  const Query query{.range = {.collection = "c", .index = "n", .from = Bound{{7}}}, .limit = 1};
  const Page page = world.ask<Page>(&Database::query, query).value();
  ASSERT_EQ(page.found.size(), 1u);
  EXPECT_EQ(page.found[0].id, "2");
  Query next = query;
  next.token = page.next;
  EXPECT_EQ(world.ask<Page>(&Database::query, next).value().found.at(0).id, "1");
  const Count all{.range = {.collection = "c"}};
  EXPECT_EQ(world.ask<Counted>(&Database::count, all).value().count, 2u);
  const auto infos =
      world.ask<std::vector<IndexInfo>>(&Database::indexes, std::string("c")).value();
  ASSERT_EQ(infos.size(), 1u);
  EXPECT_TRUE(infos[0].fields[0].descending && infos[0].complete);
  std::vector<CollectionInfo> collections;
  ASSERT_TRUE(world.remote().collections([&](auto result) { collections = result.value(); }));
  ASSERT_TRUE(world.finish());
  ASSERT_EQ(collections.size(), 1u);
  EXPECT_EQ(collections[0].documents, 2u);
  EXPECT_EQ(collections[0].indexes, 1u);
  EXPECT_TRUE(world.ask<void>(&Database::drop_index, DropIndex{"c", "n"}));
  EXPECT_EQ(world.ask<void>(&Database::drop_index, DropIndex{"c", "n"}).error(), Errc::not_found);
}

TEST(Remote, ADropWhoseAnswerWasLostIsDone) {
  RemoteWorld world;
  ASSERT_TRUE(world.ask<void>(&Database::declare_index, DeclareIndex{"c", "n", {{"n"}}}));
  std::optional<Result<>> dropped;
  ASSERT_TRUE(world.remote().drop_index({"c", "n"}, [&](Result<> result) { dropped = result; }));
  ASSERT_TRUE(world.deliver(true));
  while (world.world().indexes("c").size() != 0) {
  }
  ASSERT_TRUE(world.finish());
  EXPECT_TRUE(*dropped);
}

TEST(Remote, OrdersRequestsPerDocument) {
  RemoteWorld world;
  const auto ignore = [](const auto&) {};
  ASSERT_TRUE(world.remote().write({.writes = {increment("1")}}, ignore));
  ASSERT_TRUE(world.remote().write({.writes = {increment("1"), increment("2")}}, ignore));
  ASSERT_TRUE(world.remote().find({"c", "2"}, ignore));
  ASSERT_TRUE(world.remote().write({.writes = {increment("3")}}, ignore));
  EXPECT_EQ(world.link().on_the_way(), 2u);
  ASSERT_TRUE(world.finish());
  EXPECT_EQ(world.remote().counters().sent, 4u);
  EXPECT_EQ(world.world().find({"c", "1"}).value().value(), (Json{{"n", 2}}));
}

TEST(Remote, WhatEndsByItsDeadlineSaysWhetherItMayBeThere) {
  RemoteWorld world({.deadline = Milliseconds(1'000)});
  std::map<std::string, Code> ends;
  const auto note = [&](const char* name) {
    return [&, name](const auto& result) { ends[name] = result ? Errc::ok : result.error().code; };
  };
  ASSERT_TRUE(world.remote().write({.writes = {increment("1")}}, note("lost")));
  ASSERT_TRUE(world.remote().find({"c", "2"}, note("read")));
  ASSERT_TRUE(world.remote().write({.writes = {increment("3")}}, note("never")));
  ASSERT_TRUE(world.remote().write({.writes = {increment("1")}}, note("behind")));
  ASSERT_TRUE(world.lose(bus::Errc::owner_lost));
  ASSERT_TRUE(world.lose(bus::Errc::owner_lost));
  ASSERT_TRUE(world.lose(bus::Errc::no_owner));
  for (int i = 0; i < 40; ++i) {
    world.link().pass(Milliseconds(50));
    while (world.lose(bus::Errc::no_owner)) {
    }
  }
  EXPECT_EQ(world.remote().outstanding(), 0u);
  EXPECT_THAT(ends, ::testing::ElementsAre(::testing::Pair("behind", Errc::unavailable),
                                           ::testing::Pair("lost", Errc::outcome_unknown),
                                           ::testing::Pair("never", Errc::unavailable),
                                           ::testing::Pair("read", Errc::unavailable)));
}

TEST(Remote, AnAnswerToAnEarlierAttemptIsNotLookedAt) {
  RemoteWorld world({.deadline = Milliseconds(60'000)});
  std::optional<Result<Written>> end;
  ASSERT_TRUE(world.remote().write({.writes = {Insert{"c", "1", {{"n", 1}}}}},
                                   [&](const auto& result) { end = result; }));
  const std::uint64_t first = world.link().take();
  const bus::Bytes refusal = encode_refusal(Errc::exists);
  world.link().change_owner(false);
  EXPECT_EQ(world.link().on_the_way(), 1u) << "sent again at once";
  world.link().end(first, refusal);
  EXPECT_FALSE(end);
  ASSERT_TRUE(world.finish());
  EXPECT_TRUE(*end);
}

TEST(Remote, WaitsForANodeThatHasTooMuchToDoOrIsRestarted) {
  for (const Errc code : {Errc::busy, Errc::stopped, Errc::closed, Errc::outcome_unknown}) {
    RemoteWorld world;
    std::optional<Result<Written>> end;
    ASSERT_TRUE(world.remote().write({.writes = {increment("1")}},
                                     [&](const auto& result) { end = result; }));
    world.link().end(world.link().take(), encode_refusal(code));
    EXPECT_EQ(world.link().on_the_way(), 0u) << "not at once";
    EXPECT_FALSE(end);
    ASSERT_TRUE(world.finish());
    EXPECT_TRUE(*end);
  }
}

TEST(Remote, WhatTheBusForbidsEndsAtOnce) {
  RemoteWorld world;
  std::optional<Result<Written>> end;
  ASSERT_TRUE(world.remote().write({.writes = {increment("1")}},
                                   [&](const auto& result) { end = result; }));
  world.lose(bus::Errc::denied);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->error(), Errc::unavailable);
  EXPECT_THAT(end->error().detail, ::testing::HasSubstr("denied"));
  EXPECT_EQ(end->error(), bus::Errc::denied);
}

TEST(Remote, WhatIsUnavailableHasTheLatestWordOfTheBusAsItsCause) {
  RemoteWorld world({.deadline = Milliseconds(1'000)});
  std::map<std::string, Error> ends;
  const auto note = [&](const char* name) {
    return [&, name](const auto& result) { ends[name] = result ? Error() : result.error(); };
  };
  ASSERT_TRUE(world.remote().write({.writes = {increment("1")}}, note("lost")));
  ASSERT_TRUE(world.remote().write({.writes = {increment("2")}}, note("never")));
  ASSERT_TRUE(world.lose(bus::Errc::owner_lost));
  for (int i = 0; i < 40; ++i) {
    while (world.lose(bus::Errc::no_owner)) {
    }
    world.link().pass(Milliseconds(50));
  }
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends["never"], Errc::unavailable);
  EXPECT_EQ(ends["never"], bus::Errc::no_owner);
  EXPECT_EQ(retry_of(ends["never"].code), Retry::later);
  EXPECT_EQ(ends["lost"], Errc::outcome_unknown);
  EXPECT_EQ(ends["lost"].cause, Code()) << "no_owner would say that nothing was done";
}

TEST(Remote, IsBoundedAndSaysBusy) {
  RemoteWorld world;
  for (std::uint64_t i = 0; i < kOutstandingRequests; ++i) {
    ASSERT_TRUE(world.remote().write({.writes = {increment(std::to_string(i))}}, [](auto) {}));
  }
  EXPECT_EQ(world.remote().find({"c", "x"}, [](auto) {}).error(), Errc::busy);
  EXPECT_LE(world.link().on_the_way() * 64, kFlightBytes + 64);
  ASSERT_TRUE(world.finish());
  EXPECT_TRUE(world.remote().find({"c", "x"}, [](auto) {}));

  RemoteWorld large;
  const Json megabyte = {{"text", std::string(1'000'000, 'x')}};
  for (int i = 0; i < 16; ++i) {
    ASSERT_TRUE(
        large.remote().write({.writes = {Put{"c", std::to_string(i), megabyte}}}, [](auto) {}));
  }
  EXPECT_EQ(large.link().on_the_way(), 1u) << "one that is larger than the window goes alone";
  EXPECT_EQ(large.remote().write({.writes = {Put{"c", "x", megabyte}}}, [](auto) {}).error(),
            Errc::busy);
}

TEST(Remote, ItsEndDropsWhatWaits) {
  RemoteWorld world;
  bool told = false;
  {
    auto link = std::make_unique<test::FakeLink>();
    auto* const raw = link.get();
    RemoteDatabase remote(std::move(link), {});
    ASSERT_TRUE(remote.find({"c", "1"}, [&](const auto&) { told = true; }));
    EXPECT_EQ(raw->on_the_way(), 1u);
  }
  EXPECT_FALSE(told);
}

// --- the node's side -----------------------------------------------------------------------------

TEST(RequestHandler, RefusesWhatIsOfAnotherDatabaseOrCollection) {
  RemoteWorld elsewhere({.database = "other"});
  EXPECT_EQ(elsewhere.ask<std::optional<Json>>(&Database::find, Find{"c", "1"}).error(),
            Errc::not_here);
  RemoteWorld world({}, {"c"});
  EXPECT_TRUE(world.ask<Written>(&Database::write, WriteRequest{.writes = {increment("1")}}));
  const WriteRequest both{.writes = {increment("1"), Erase{"d", "1"}}};
  EXPECT_EQ(world.ask<Written>(&Database::write, both).error(), Errc::not_here);
  EXPECT_EQ(world.ask<Page>(&Database::query, Query{.range = {.collection = "d"}}).error(),
            Errc::not_here);
  EXPECT_EQ(world.ask<void>(&Database::drop_index, DropIndex{"d", "n"}).error(), Errc::not_here);
  EXPECT_EQ(world.world().find({"c", "1"}).value().value(), (Json{{"n", 1}}));
}

// --- retries that come too late ------------------------------------------------------------------

TEST(Retries, AreRefusedWhenTheirAnswersMayBeForgotten) {
  test::World world;
  std::uint64_t now = 1'000'000;
  world.options().wall_ms = [&] { return now; };
  world.options().requests = 4;
  world.crash(FaultEnv::Loss::none, 1);  // opened anew, with these options
  const auto write = [&](const std::string& request, std::uint64_t age) {
    return world.write({.request_id = request, .writes = {increment("1")}, .age_ms = age});
  };
  for (const char* const id : {"a", "b", "c", "d"}) {
    ASSERT_TRUE(write(id, 0));
    now += 1'000;
  }
  EXPECT_TRUE(write("a", 4'000).value().repeated) << "it is remembered";
  ASSERT_TRUE(write("e", 0));  // a is forgotten
  EXPECT_EQ(write("a", 4'000).error(), Errc::too_old);
  EXPECT_TRUE(write("f", 3'999).has_value()) << "drawn after what was forgotten";
  const auto before = world.find({"c", "1"}).value().value();
  world.crash(FaultEnv::Loss::none, 1);
  EXPECT_EQ(write("a", 4'000).error(), Errc::too_old) << "also after a restart";
  EXPECT_TRUE(write("f", 1).value().repeated);
  EXPECT_EQ(world.find({"c", "1"}).value().value(), before);
}

}  // namespace
}  // namespace starbus::nodes::db
