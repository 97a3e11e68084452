// Who is charged with the time of the loop, and what is shown meanwhile. What is spun is long
// beside all else, and only large ratios are compared.
#include <gmock/gmock.h>
#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>

#include "tests/entity/rpc/rpc_fixture.hpp"
#include "tests/spin.hpp"

namespace starbus::entity::rpc {
namespace {

using starbus::test::spin;
using ::testing::ElementsAre;

class Worker : public Callable<Worker> {
 public:
  explicit Worker(Endpoint& at) : endpoint(at) {}
  int get(Caller&) {
    seen.push_back(endpoint.work().running());
    return 7;
  }
  Task<int> get_later(Caller&) {
    boost::asio::steady_timer timer(endpoint.loop(), 1ms);
    co_await timer.async_wait(boost::asio::deferred);
    co_return 7;
  }
  /// Works when it has the answer of another.
  Task<int> relay(Caller&, std::string to) {
    const auto answer = co_await rpc::call<&Worker::get>(endpoint, to, {});
    spin(40ms);
    seen.push_back(endpoint.work().running());
    co_return answer.value();
  }
  void work(Caller&, int milliseconds) {
    spin(std::chrono::milliseconds(milliseconds));
    ++worked;
    seen.push_back("work " + std::to_string(worked));
  }
  /// Begins what goes on without it.
  void begin(Caller&) {
    EXPECT_TRUE(spawn(endpoint, *this, go_on()));
    seen.push_back(endpoint.work().running());
  }
  Task<> go_on() {
    seen.push_back(endpoint.work().running());
    spin(40ms);
    boost::asio::steady_timer timer(endpoint.loop(), 1ms);
    co_await timer.async_wait(boost::asio::deferred);
    seen.push_back(endpoint.work().running());
  }

  Endpoint& endpoint;
  std::vector<std::string> seen;
  int worked = 0;
  static constexpr auto kRpc =
      methods("worker", method<&Worker::get>("get"), method<&Worker::get_later>("get_later"),
              method<&Worker::relay>("relay"), method<&Worker::work>("work"),
              method<&Worker::begin>("begin"));
};

class RpcLoadTest : public RpcTest {
 protected:
  boost::asio::awaitable<bool> begin() {
    if (!co_await connect()) co_return false;
    const auto bound = co_await server.bind("entity/a", a, use_awaitable);
    const auto other = co_await server.bind("entity/b", b, use_awaitable);
    // Opens the ways.
    const auto opened = co_await call<&Worker::get>(server, "entity/a", {});
    const auto too = co_await call<&Worker::get>(server, "entity/b", {});
    a.seen.clear();
    b.seen.clear();
    co_await sleep(1ms);
    co_return bound&& other&& opened&& too;
  }
  template <auto M>
  const MethodCounters& of() const {
    return server.work().of(info_of<M>());
  }
  double ms(std::uint64_t ticks_counted) const {
    return static_cast<double>(ticks_counted) * server.work().nanoseconds_per_tick() / 1e6;
  }
  nlohmann::json row(const std::string& list, const std::string& key, const std::string& name) {
    const auto report = nlohmann::json::parse(server.inspect());
    for (const auto& each : report[list]) {
      if (each[key] == name) return each;
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }
  Worker a{server};
  Worker b{server};
};

TEST_F(RpcLoadTest, ACallbackIsNotChargedToItsMethod) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    std::string shown;
    std::string behind = "?";
    call<&Worker::get>(server, "entity/b", {})([&](const Reply<int>& answer) {
      EXPECT_EQ(answer.value(), 7);
      spin(40ms);
      shown = server.work().running();
      boost::asio::post(loop, [&] { behind = server.work().running(); });
    });
    for (int i = 0; i < 200 && behind == "?"; ++i) co_await sleep(1ms);
    EXPECT_THAT(b.seen, ElementsAre("worker.get"));
    EXPECT_EQ(shown, "answer of worker.get");
    EXPECT_EQ(behind, "");
    EXPECT_GE(ms(of<&Worker::get>().answers.ticks), 40);
    EXPECT_LT(of<&Worker::get>().ticks, of<&Worker::get>().answers.ticks / 5);
    EXPECT_LT(of<&Worker::get>().longest, of<&Worker::get>().answers.longest / 5);
    EXPECT_LT(row("hosts", "name", "entity/b")["busy_ms"].get<double>(), 8);
    EXPECT_GE(row("methods", "name", "worker.get")["answers_busy_ms"].get<double>(), 40);
  });
}

TEST_F(RpcLoadTest, AnAnswerOfACoroutineAndAnErrorAreTakenUnderTheirNameToo) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    std::vector<std::string> shown;
    const auto note = [&](const auto&) { shown.push_back(server.work().running()); };
    call<&Worker::get_later>(server, "entity/b", {})(note);
    for (int i = 0; i < 200 && shown.empty(); ++i) co_await sleep(1ms);
    call<&Worker::get>(server, "entity/nobody", {.deadline = 1s})(note);
    for (int i = 0; i < 400 && shown.size() < 2; ++i) co_await sleep(5ms);
    auto canceled = call<&Worker::get>(server, "entity/b", {});
    canceled.cancel();
    std::move(canceled)(note);
    for (int i = 0; i < 200 && shown.size() < 3; ++i) co_await sleep(1ms);
    EXPECT_THAT(shown, ElementsAre("answer of worker.get_later", "answer of worker.get",
                                   "answer of worker.get"));
    EXPECT_EQ(server.work().running(), "");
  });
}

TEST_F(RpcLoadTest, ATaskThatWaitedIsChargedItselfAndNoTimeIsCountedTwice) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const std::uint64_t measured = server.work().measured();
    const std::uint64_t charged = loop_time.charged;
    const std::uint64_t begun = ticks();
    bool done = false;
    call<&Worker::relay>(server, "entity/a", {},
                         "entity/b")([&](const Reply<int>&) { done = true; });
    for (int i = 0; i < 200 && !done; ++i) co_await sleep(1ms);
    EXPECT_TRUE(done);
    const std::uint64_t passed = ticks() - begun;
    EXPECT_THAT(a.seen, ElementsAre("worker.relay"));
    EXPECT_GE(ms(of<&Worker::relay>().ticks), 40);
    EXPECT_LT(of<&Worker::get>().ticks, of<&Worker::relay>().ticks / 5);
    EXPECT_LT(row("hosts", "name", "entity/b")["busy_ms"].get<double>(), 8);
    EXPECT_GE(row("hosts", "name", "entity/a")["busy_ms"].get<double>(), 40);
    EXPECT_GE(ms(server.work().measured() - measured), 40);
    EXPECT_LE(server.work().measured() - measured, passed) << "no more than there is";
    EXPECT_EQ(loop_time.charged - charged, server.work().measured() - measured);
  });
}

TEST_F(RpcLoadTest, SpawnedCoroutinesHaveANameARowAndAnObject) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    CO_OK(send<&Worker::begin>(server, "entity/a", {}));
    for (int i = 0; i < 200 && a.seen.size() < 3; ++i) co_await sleep(1ms);
    EXPECT_THAT(a.seen, ElementsAre("coroutine of worker", "worker.begin", "coroutine of worker"));
    const SpawnedLoad& load = server.work().spawned().at(&a.rpc_class());
    EXPECT_EQ(load.coroutines, 1U);
    EXPECT_GE(ms(load.ticks), 40);
    EXPECT_LT(of<&Worker::begin>().ticks, load.ticks / 5);
    EXPECT_GE(row("hosts", "name", "entity/a")["busy_ms"].get<double>(), 40);
    EXPECT_EQ(row("spawned", "class", "worker")["coroutines"], 1);
    EXPECT_GE(row("spawned", "class", "worker")["busy_ms"].get<double>(), 40);
  });
}

TEST_F(RpcLoadTest, TheEndpointMayEndWhereItsAnswerIsTaken) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    auto brief = std::make_unique<Endpoint>(caller_bus);
    CO_OK(co_await brief->ready(use_awaitable));
    bool ended = false;
    bool closed = false;
    call<&Worker::get>(*brief, "entity/b", {})([&](const Reply<int>& answer) {
      EXPECT_TRUE(answer);
      // One that has ended, is held, and is not taken.
      auto late = call<&Worker::get_later>(*brief, "entity/b", {});
      brief.reset();
      ended = true;
      std::move(late)([&](const Reply<int>& gone) { closed = gone.error() == Errc::closed; });
    });
    for (int i = 0; i < 1000 && !closed; ++i) co_await sleep(5ms);
    EXPECT_TRUE(ended);
    EXPECT_TRUE(closed);
  });
}

/// The slow ones end a pass, whatever their number is, and what was posted comes between them.
TEST_F(RpcLoadTest, APassOfSlowMessagesLetsOthersRun) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    for (const bool measured : {true, false}) {
      server.work().measure(measured);
      b.seen.clear();
      b.worked = 0;
      const int slow = static_cast<int>(kLocalPassTime.count()) + 1;
      for (int i = 0; i < 3; ++i) CO_OK(send<&Worker::work>(server, "entity/b", {}, slow));
      boost::asio::post(loop, [&] { b.seen.push_back("posted"); });
      for (int i = 0; i < 400 && b.worked < 3; ++i) co_await sleep(1ms);
      EXPECT_THAT(b.seen, ElementsAre("work 1", "posted", "work 2", "work 3")) << measured;
    }
    server.work().measure(true);
  });
}

TEST_F(RpcLoadTest, TheBusiestObjectOfTheLatestSecondIsFirst) {
  run([this]() -> TestTask {
    EXPECT_TRUE(co_await begin());
    const auto sample = [this]() -> TestTask {
      co_await sleep(110ms);
      loop_time.sample();
    };
    for (int i = 0; i < 2; ++i) co_await sample();
    EXPECT_EQ(b.busy_ms_per_s(), 0);
    bool done = false;
    call<&Worker::work>(server, "entity/b", {}, 60)([&](const auto&) { done = true; });
    for (int i = 0; i < 200 && !done; ++i) co_await sleep(1ms);
    EXPECT_EQ(b.busy_ms_per_s(), 0) << "the second is not over";
    co_await sample();
    const auto report = nlohmann::json::parse(server.inspect());
    EXPECT_EQ(report["hosts"][0]["name"], "entity/b");
    EXPECT_GT(report["hosts"][0]["busy_ms_per_s"].get<double>(), 10);
    EXPECT_EQ(report["methods"][0]["name"], "worker.work");
    EXPECT_GT(b.busy_ms_per_s(), 5 * a.busy_ms_per_s());
    EXPECT_LT(b.busy_ms_per_s(), 1000);
    co_await sample();
    EXPECT_EQ(b.busy_ms_per_s(), 0) << "it has done nothing since";
  });
}

}  // namespace
}  // namespace starbus::entity::rpc
