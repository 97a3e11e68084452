/// Disks that are full, that fail, and that lose power: documents, indexes, counters and answers
/// stay of one piece.
#include <gmock/gmock.h>

#include <cerrno>
#include <random>

#include "tests/nodes/db/support.hpp"

namespace starbus::nodes::db {
namespace {

using storage::testing::Call;
using storage::testing::FaultEnv;
using Documents = test::World::Documents;

constexpr std::uint64_t kRoom = 1 << 20;  // the headroom of the tests' store

TEST(FullDisk, RefusesPutsAndGoesOnReadingAndErasing) {
  test::World world;
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  const WriteRequest first{.request_id = "r", .writes = {Put{"c", "1", {{"n", 1}}}}};
  ASSERT_TRUE(world.write(first));
  ASSERT_TRUE(world.write(Put{"c", "2", {{"n", 2}}}));
  world.disk().set_available(kRoom - 1);
  EXPECT_EQ(world.write(Put{"c", "3", {{"n", 3}}}).error(), Errc::store_full);
  EXPECT_TRUE(world.write(first).value().repeated) << "that was done";
  EXPECT_EQ(world.write({.request_id = "e", .writes = {Erase{"c", "2"}}}).value().outcomes.at(0),
            Outcome::erased);
  EXPECT_TRUE(world.write({.request_id = "e", .writes = {Erase{"c", "2"}}}).value().repeated);
  EXPECT_EQ(world.documents("c"), (Documents{{"1", {{"n", 1}}}}));
  // What came together with a write that is refused is not lost with it.
  std::vector<Code> told;
  for (const Write& write : {Write(Put{"c", "4", {{"n", 4}}}), Write(Put{"c", "5", {{"n", 5}}}),
                             Write(Erase{"c", "1"})}) {
    ASSERT_TRUE(world.database().write({.writes = {write}}, [&](const Result<Written>& written) {
      told.push_back(written ? Errc::ok : written.error().code);
    }));
  }
  ASSERT_TRUE(world.loop().run_until([&] { return told.size() == 3; }));
  EXPECT_THAT(told, ::testing::ElementsAre(Errc::store_full, Errc::store_full, Errc::ok));
  world.disk().set_available(0);
  ASSERT_TRUE(storage::test::reaches(world.store(), storage::State::full));
  EXPECT_EQ(world.write(Erase{"c", "9"}).value().outcomes.at(0), Outcome::unchanged);
  EXPECT_EQ(world.documents("c").size(), 0u);
  world.disk().set_available(8 * kRoom);
  ASSERT_TRUE(storage::test::reaches(world.store(), storage::State::running));
  EXPECT_TRUE(world.write(Put{"c", "3", {{"n", 3}}}));
  EXPECT_EQ(world.documents("c").size(), 1u);
}

TEST(FullDisk, AnIndexIsBuiltOnceThereIsRoom) {
  test::World world;
  for (int i = 0; i < 600; ++i) {
    ASSERT_TRUE(world.database().write({.writes = {Put{"c", std::to_string(i), {{"n", i}}}}},
                                       [](const auto&) {}));
  }
  ASSERT_TRUE(world.write(Put{"c", "x", {{"n", 1}}}));
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  world.disk().set_available(kRoom - 1);
  EXPECT_FALSE(world.write(Put{"c", "y", {{"n", 1}}}));
  EXPECT_EQ(world.query({.range = {.collection = "c", .index = "n"}}).error(),
            Errc::index_building);
  world.disk().set_available(8 * kRoom);
  ASSERT_TRUE(storage::test::reaches(world.store(), storage::State::running));
  ASSERT_TRUE(world.write(Put{"c", "y", {{"n", 1}}})) << "wakes it";
  world.wait_for_indexes("c");
  EXPECT_EQ(world.documents("c").size(), 602u);
}

TEST(FailingDisk, StopsWritingAndSaysWhatIsInDoubt) {
  test::World world;
  ASSERT_TRUE(world.write(Put{"c", "1", {{"n", 1}}}));
  world.disk().fail(Call::sync, 1, EIO);
  std::vector<Code> told;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world.database().write({.writes = {Put{"c", std::to_string(5 + i), {{"n", 1}}}}},
                                       [&](const Result<Written>& written) {
                                         told.push_back(written ? Errc::ok : written.error().code);
                                       }));
  }
  ASSERT_TRUE(world.loop().run_until([&] { return told.size() == 3; }));
  EXPECT_THAT(told, ::testing::ElementsAre(Errc::outcome_unknown, Errc::stopped, Errc::stopped));
  EXPECT_EQ(world.write(Erase{"c", "1"}).error(), Errc::stopped);
  EXPECT_TRUE(world.database().report().stopped);
  EXPECT_EQ(world.find({"c", "1"}).value().value(), (Json{{"n", 1}})) << "reads go on";
}

TEST(FailingDisk, ADocumentThatCannotBeReadIsSaidSo) {
  test::World world;
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  ASSERT_TRUE(world.write(Put{"c", "1", {{"n", 1}}}));
  ASSERT_TRUE(world.write(Put{"c", "2", {{"n", 2}}}));
  ASSERT_TRUE(
      storage::test::commit(world.store(), storage::test::put(document_key("c", "1"), "\x7f\x7f")));
  EXPECT_EQ(world.find({"c", "1"}).error(), Errc::corrupt);
  EXPECT_EQ(world.write(Insert{"c", "1", Json::object()}).error(), Errc::corrupt);
  EXPECT_EQ(world.write(Update{"c", "1", {{Operator::inc, "n", 1}}, true}).error(), Errc::corrupt);
  for (const char* const index : {"", "n"}) {
    const auto page = world.query({.range = {.collection = "c", .index = index}}).value();
    EXPECT_EQ(page.found.size(), 1u);
    ASSERT_EQ(page.damage.size(), 1u);
    EXPECT_THAT(page.damage[0].detail, ::testing::HasSubstr("c/1"));
  }
}

/// What it had been indexed by is not known any more: its rows must be gone all the same.
TEST(FailingDisk, ADocumentThatCannotBeReadIsReplacedOrErased) {
  for (const bool restart : {false, true}) {
    test::World world;
    ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
    ASSERT_TRUE(world.declare({"c", "m", {{"m", true}, {"n"}}}));
    for (int i = 0; i < 300; ++i) {
      ASSERT_TRUE(world.write(Put{"c", std::to_string(i), {{"n", i}}}));
    }
    const auto damage = [&](const std::string& id) {
      ASSERT_TRUE(storage::test::commit(world.store(),
                                        storage::test::put(document_key("c", id), "\x7f\x7f")));
    };
    for (const char* const id : {"5", "7", "250"}) damage(id);
    const auto written = world.write(
        {.writes = {Erase{"c", "250"}, Put{"c", "300", {{"n", -5}}}, Erase{"c", "301"}}});
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_THAT(written->outcomes,
                ::testing::ElementsAre(Outcome::erased, Outcome::created, Outcome::unchanged));
    // Refused as a whole, and nothing of it is left.
    EXPECT_EQ(
        world.write({.writes = {Put{"c", "5", Json::object()}, Insert{"c", "7", Json::object()}}})
            .error(),
        Errc::corrupt);
    EXPECT_EQ(world.find({"c", "5"}).error(), Errc::corrupt);
    EXPECT_EQ(world.write(Put{"c", "5", {{"n", 1000}}}).value().outcomes.at(0), Outcome::changed);
    EXPECT_EQ(world.find({"c", "5"}).value().value(), (Json{{"n", 1000}}));
    EXPECT_EQ(world.write({.writes = {Erase{"c", "7"}, Insert{"c", "7", {{"n", 7}}}}})
                  .value()
                  .outcomes.at(1),
              Outcome::created);
    if (restart) world.crash(storage::testing::FaultEnv::Loss::all, 1);
    world.wait_for_indexes("c");
    const auto documents = world.documents("c");  // compares the indexes, and the counter
    EXPECT_EQ(documents.size(), 300u);
    EXPECT_FALSE(documents.contains("250"));
  }
}

TEST(FailingDisk, ErasesUnreadableLastDocument) {
  test::World world;
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  ASSERT_TRUE(world.write(Put{"c", "1", {{"n", 1}}}));
  ASSERT_TRUE(
      storage::test::commit(world.store(), storage::test::put(document_key("c", "1"), "\x7f")));
  EXPECT_EQ(world.write(Erase{"c", "1"}).value().outcomes.at(0), Outcome::erased);
  EXPECT_TRUE(world.documents("c").empty());
  EXPECT_EQ(world.indexes("c").size(), 1u);
  ASSERT_TRUE(world.write(Put{"c", "2", {{"n", 2}}}));
  world.wait_for_indexes("c");
  EXPECT_EQ(world.documents("c").size(), 1u);
}

// --- scripts -------------------------------------------------------------------------------------

/// What a write should do, by other means than the database's.
struct Model {
  Documents documents;

  bool apply(const Write& write) {
    if (const auto* const insert = std::get_if<Insert>(&write)) {
      return documents.emplace(insert->id, insert->document).second;
    }
    if (const auto* const put = std::get_if<Put>(&write)) {
      documents[put->id] = put->document;
    } else if (const auto* const erase = std::get_if<Erase>(&write)) {
      documents.erase(erase->id);
    } else {
      const auto& update = std::get<Update>(write);
      if (!documents.contains(update.id) && !update.upsert) return false;
      Json& document = documents[update.id];
      if (document.is_null()) document = Json::object();
      document["n"] = document.value("n", 0) + update.changes.at(0).value.get<int>();
    }
    return true;
  }
  /// All or nothing.
  bool apply(const WriteRequest& request) {
    Model changed = *this;
    for (const Write& write : request.writes) {
      if (!changed.apply(write)) return false;
    }
    *this = std::move(changed);
    return true;
  }
};

class Script {
 public:
  /// A retry of what was refused runs again, and later than it did: `sure` scripts have no
  /// refusals.
  explicit Script(std::uint64_t seed, bool sure = false) : random_(seed), sure_(sure) {}

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  Write write() {
    const std::string id = "id" + std::to_string(below(12));
    const Json document = {{"n", below(5)},
                           {"t", std::string(static_cast<std::size_t>(below(400)), 'x')}};
    switch (sure_ ? 1 + below(4) : below(5)) {
      case 0:
        return Insert{"c", id, document};
      case 1:
        return Put{"c", id, document};
      case 2:
        return Erase{"c", id};
      default:
        return Update{"c", id, {{Operator::inc, "n", below(9) - 4}}, sure_ || below(2) == 0};
    }
  }
  WriteRequest request() {
    WriteRequest request{.request_id = "r" + std::to_string(++requests_)};
    for (int left = 1 + below(3); left > 0; --left) request.writes.push_back(write());
    return request;
  }

 private:
  std::mt19937_64 random_;
  bool sure_;
  int requests_ = 0;
};

TEST(Scripts, AgreeWithAModelThroughRestarts) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    test::World world;
    Model model;
    Script script(seed);
    std::vector<WriteRequest> done;
    for (int step = 0; step < 150; ++step) {
      const int what = script.below(30);
      if (what == 0) {
        world.crash(script.below(2) == 0 ? FaultEnv::Loss::all : FaultEnv::Loss::torn, seed);
      } else if (what == 1) {
        (void)world.declare({"c", "i" + std::to_string(script.below(3)), {{"n", true}, {"t"}}});
      } else if (what == 2) {
        (void)world.drop({"c", "i" + std::to_string(script.below(3))});
      } else if (what == 3 && !done.empty()) {
        const auto& again =
            done[static_cast<std::size_t>(script.below(static_cast<int>(done.size())))];
        EXPECT_TRUE(world.write(again).value().repeated);
      } else {
        const WriteRequest request = script.request();
        const bool wanted = model.apply(request);
        EXPECT_EQ(world.write(request).has_value(), wanted);
        if (wanted) done.push_back(request);
      }
      if (step % 10 == 9) {
        EXPECT_EQ(world.documents("c"), model.documents);
      }
      if (HasFailure()) return;
    }
  }
}

struct Sent {
  WriteRequest request;
  bool acknowledged = false;
};

/// Runs a script without waiting until the power goes; then all that was not answered is sent
/// again, as its sender would.
void cut_and_retry(std::uint64_t cut, FaultEnv::Loss loss) {
  test::World world;
  ASSERT_TRUE(world.declare({"c", "n", {{"n"}}}));
  ASSERT_TRUE(world.declare({"c", "tn", {{"t"}, {"n", true}}}));
  Script script(7, true);
  std::deque<Sent> sent;
  world.disk().cut_power_at(cut);
  for (int i = 0; i < 40; ++i) {
    Sent& next = sent.emplace_back(Sent{script.request()});
    const auto taken = world.database().write(
        next.request, [&next](const auto& written) { next.acknowledged = written.has_value(); });
    if (!taken) break;
    if (i % 4 == 3 && !world.disk().power_is_cut()) (void)world.find({"c", "id1"});
  }
  world.crash(loss, cut);
  ASSERT_TRUE(world.is_open());
  (void)world.documents("c");  // of one piece, whatever it is
  Model model;
  bool lost = false;
  for (const Sent& one : sent) {
    lost = lost || !one.acknowledged;
    EXPECT_FALSE(lost && one.acknowledged) << "an answer behind one that was lost";
    ASSERT_TRUE(model.apply(one.request));
    const auto again = world.write(one.request);
    ASSERT_TRUE(again) << again.error().to_string();
    EXPECT_TRUE(again->repeated || !one.acknowledged) << "what was acknowledged is there";
  }
  EXPECT_EQ(world.documents("c"), model.documents) << "each request ran once";
}

TEST(PowerCuts, LeaveDocumentsAndIndexesOfOnePieceAndRetriesRunOnce) {
  for (const auto loss : {FaultEnv::Loss::all, FaultEnv::Loss::none, FaultEnv::Loss::torn}) {
    for (std::uint64_t cut = 1; cut <= 40; ++cut) {
      SCOPED_TRACE("cut at " + std::to_string(cut) + ", loss " +
                   std::to_string(static_cast<int>(loss)));
      cut_and_retry(cut, loss);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace starbus::nodes::db
