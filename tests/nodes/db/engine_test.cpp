/// A database on a thread of its own: what it opens, and what it says of its disk.
#include "nodes/db/service/engine.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <future>

#include "storage/testing/fault_env.hpp"
#include "tests/storage/support.hpp"

namespace starbus::nodes::db {
namespace {

using storage::testing::Call;
using storage::testing::FaultEnv;

class EngineTest : public ::testing::Test {
 protected:
  std::unique_ptr<Engine> make(const std::string& database) {
    Engine::Hooks hooks;
    hooks.stopped = [this](const storage::Error& reason) { stopped_.set_value(reason); };
    hooks.measured = [this](const auto&) { ++commits_; };
    Engine::Settings settings{.folder = folder_.path() / "s", .scope = {database}, .indexes = {}};
    settings.indexes.push_back({"c", "n", {{"n"}}});
    settings.headroom = 1 << 20;
    settings.env = &disk_;
    return std::make_unique<Engine>(std::move(settings), std::move(hooks));
  }
  static Error open(Engine& engine) {
    std::promise<Error> opened;
    engine.open(
        [&](const Result<>& result) { opened.set_value(result ? Error() : result.error()); });
    return opened.get_future().get();
  }
  static Error ask(Engine& engine, const Arguments& arguments) {
    bus::Bytes body = encode_head("main", 0);
    const bus::Bytes rest = encode_arguments(arguments).value();
    body.insert(body.end(), rest.begin(), rest.end());
    std::promise<bus::Bytes> answered;
    engine.handle(body, [&](bus::Bytes answer) { answered.set_value(std::move(answer)); });
    return decode_verdict(answered.get_future().get()).value().error;
  }

  const WriteRequest put_{.request_id = "r", .writes = {Put{"c", "1", {{"n", 1}}}}};
  FaultEnv disk_;
  storage::test::TempFolder folder_;
  std::promise<storage::Error> stopped_;
  std::atomic<int> commits_{0};
};

TEST_F(EngineTest, OpensOnceAndKeepsItsFolderToItself) {
  const auto engine = make("main");
  EXPECT_FALSE(engine->figures().open);
  EXPECT_EQ(open(*engine), Errc::ok);
  EXPECT_EQ(open(*engine), Errc::ok) << "as behind a lost lease";
  EXPECT_TRUE(engine->figures().open);
  EXPECT_EQ(ask(*engine, put_), Errc::ok);
  EXPECT_EQ(ask(*engine, Query{.range = {.collection = "c", .index = "n"}}), Errc::ok);
  EXPECT_GE(commits_, 2) << "of the index, and of the document";
  const auto second = make("main");
  const Error in_use = open(*second);
  EXPECT_EQ(in_use, Errc::unavailable);
  EXPECT_THAT(in_use.detail, ::testing::HasSubstr("in_use"));
}

TEST_F(EngineTest, AFolderBelongsToOneDatabase) {
  EXPECT_EQ(open(*make("main")), Errc::ok);
  EXPECT_EQ(open(*make("other")), Errc::not_here);
  EXPECT_EQ(open(*make("main")), Errc::ok);
}

TEST_F(EngineTest, TellsOnceThatTheDiskHasFailed) {
  const auto engine = make("main");
  ASSERT_EQ(open(*engine), Errc::ok);
  disk_.fail(Call::sync, 1, EIO);
  EXPECT_EQ(ask(*engine, put_), Errc::outcome_unknown);
  EXPECT_EQ(stopped_.get_future().get(), storage::Errc::io_error);
  EXPECT_EQ(ask(*engine, put_), Errc::stopped);
  EXPECT_EQ(ask(*engine, Find{"c", "1"}), Errc::ok) << "reads go on";
}

TEST_F(EngineTest, ItsEndLosesNothingThatWasAnswered) {
  disk_.set_sync_delay(std::chrono::milliseconds(5));
  {
    const auto engine = make("main");
    ASSERT_EQ(open(*engine), Errc::ok);
    ASSERT_EQ(ask(*engine, put_), Errc::ok);
    for (int i = 0; i < 100; ++i) {
      engine->handle(encode_head("main", 0), [](const bus::Bytes&) {});
    }
  }
  const auto engine = make("main");
  ASSERT_EQ(open(*engine), Errc::ok);
  EXPECT_EQ(engine->figures().database.documents, 1u);
}

}  // namespace
}  // namespace starbus::nodes::db
