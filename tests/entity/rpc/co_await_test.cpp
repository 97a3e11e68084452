/// What may stand within `co_await rpc::call<...>(...)`: each form constructs and destroys a guard
/// equally often, with g++ 12, too, and what g++ 12 would destroy twice does not compile.
#include <gmock/gmock.h>

#include "entity/rpc/spawn_result.hpp"
#include "tests/entity/rpc/rpc_fixture.hpp"

namespace starbus::entity::rpc {
namespace {

/// Counts its objects, and frees memory in its end, so that the sanitizers see a second one.
struct Guard {
  inline static int made = 0;
  inline static int gone = 0;

  Guard() { ++made; }
  explicit Guard(std::string_view of) : text(of) { ++made; }
  Guard(const Guard& other) : text(other.text) { ++made; }
  Guard(Guard&& other) noexcept : text(std::move(other.text)) { ++made; }
  Guard& operator=(const Guard&) = default;
  Guard& operator=(Guard&&) = default;
  ~Guard() { ++gone; }
  friend Guard operator+(const Guard& a, const Guard& b) { return Guard(a.text + b.text); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(text);
  }
  std::string text;
};

/// A struct as game code has them: an aggregate.
struct Item {
  Guard name;
  int count = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, count);
  }
};
/// One that owns nothing.
struct Point {
  int x = 0;
  int y = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y);
  }
};

std::string long_text(char letter) {
  return std::string(60, letter);
}
Guard guard_of(char letter) {
  return Guard(long_text(letter));
}

class Store : public Callable<Store> {
 public:
  std::size_t text(Caller&, std::string given) { return given.size(); }
  std::size_t guard(Caller&, Guard given) { return given.text.size(); }
  std::size_t item(Caller&, Item given) { return given.name.text.size(); }
  int point(Caller&, Point given) { return given.x + given.y; }
  std::size_t all(Caller&, std::vector<Guard> given) { return given.size(); }
  Task<std::string> echo(Caller& from, std::string given) {
    boost::asio::steady_timer timer(from.endpoint->loop(), 1ms);
    co_await timer.async_wait(boost::asio::deferred);
    co_return given;
  }
  static constexpr auto kRpc =
      methods("co_await_store", method<&Store::text>("text"), method<&Store::guard>("guard"),
              method<&Store::item>("item"), method<&Store::point>("point"),
              method<&Store::all>("all"), method<&Store::echo>("echo"));
};

template <class P>
concept Awaitable = requires(P&& pending) {
  std::move(pending).awaiter(static_cast<Running*>(nullptr));
};
template <auto M, class... A>
concept Awaited =
    Awaitable<decltype(call<M>(std::declval<Endpoint&>(), "s", {}, std::declval<A>()...))>;
static_assert(Awaited<&Store::text, std::string> && Awaited<&Store::text, const char*> &&
              Awaited<&Store::text, std::string_view>);
static_assert(Awaited<&Store::guard, Guard> && Awaited<&Store::all, std::vector<Guard>>);
static_assert(Awaited<&Store::item, Item&> && Awaited<&Store::item, const Item&>);
static_assert(Awaited<&Store::point, Point>, "destroying it twice does nothing");
static_assert(!Awaited<&Store::item, Item>, "Item{...} would be destroyed twice");
static_assert(!boost::asio::is_async_operation<
              decltype(call<&Store::item>(std::declval<Endpoint&>(), "s", {}, Item()))>::value);

constexpr auto lambdas = [](auto check) {
  std::string text;
  int number = 0;
  int* const pointer = &number;
  auto owns = [text] { return text.size(); };
  auto points = [pointer] { return *pointer; };
  auto alone = [] { return 1; };
  return check(std::move(owns), std::move(points), std::move(alone));
};
template <class Owns, class Points, class Alone>
constexpr bool kSeen = kFunctionTrapsCoAwait<Owns> && !kFunctionTrapsCoAwait<Owns&> &&
                       !kFunctionTrapsCoAwait<Points> && !kFunctionTrapsCoAwait<Alone> &&
                       !kFunctionTrapsCoAwait<std::function<void()>>;
TEST(CoAwaitTrap, LambdasThatOwnWhatTheyCaptureAreSeen) {
  EXPECT_TRUE(lambdas([]<class O, class P, class A>(O&&, P&&, A&&) { return kSeen<O, P, A>; }));
}

/// Each natural form in turn: the answers, added up.
Task<starbus::Result<std::size_t>> forms(Endpoint& at, std::string to) {
  std::size_t sum = 0;
  const auto add = [&sum](const auto& answer) {
    if (answer) sum += static_cast<std::size_t>(*answer);
  };
  const std::string part = long_text('p');
  const Guard named = guard_of('n');
  const Item item{named, 1};
  add(co_await call<&Store::text>(at, to, {}, "a literal"));                       // 9
  add(co_await call<&Store::text>(at, to, {}, long_text('x')));                    // 60
  add(co_await call<&Store::text>(at, to, {}, std::string(40, 'y')));              // 40
  add(co_await call<&Store::text>(at, to, {}, "a" + part));                        // 61
  add(co_await call<&Store::text>(at, to, {}, part + part + part));                // 180
  add(co_await call<&Store::text>(at, to, {.deadline = 2s}, part.substr(0, 50)));  // 50
  add(co_await call<&Store::guard>(at, to, {}, Guard(long_text('g'))));            // 60
  add(co_await call<&Store::guard>(at, to, {}, guard_of('h')));                    // 60
  add(co_await call<&Store::guard>(at, to, {}, named + guard_of('i')));            // 120
  add(co_await call<&Store::guard>(at, "s" + to.substr(1), {}, named));            // 60
  add(co_await call<&Store::item>(at, to, {}, item));                              // 60
  add(co_await call<&Store::point>(at, to, {}, Point{3, 4}));                      // 7
  add(co_await call<&Store::all>(at, to, {}, std::vector<Guard>(3, named)));       // 3
  add(co_await call<&Store::text>(at, to, {}, sum > 0 ? "yes" : "no"));            // 3
  auto begun = call<&Store::guard>(at, to, {}, Guard(part));
  add(co_await std::move(begun));  // 60
  // The temporary is gone with the statement.
  Pending<std::size_t, NoError> kept = call<&Store::item>(at, to, {}, Item{named, 2});
  add(co_await std::move(kept));  // 60
  if (const auto echo = co_await call<&Store::echo>(at, to, {}, "e" + part); echo) {
    sum += echo->size();  // 61
  }
  const auto nested = co_await call<&Store::text>(
      at, to, {}, (co_await call<&Store::echo>(at, to, {}, part)).value());
  add(nested);  // 60
  co_return sum;
}
constexpr std::size_t kSum =
    9 + 60 + 40 + 61 + 180 + 50 + 60 + 60 + 120 + 60 + 60 + 7 + 3 + 3 + 60 + 60 + 61 + 60;

class CoAwait : public RpcTest, public ::testing::WithParamInterface<bool> {
 protected:
  Endpoint& from() { return GetParam() ? server : caller; }
  Store store;
};
INSTANTIATE_TEST_SUITE_P(Forms, CoAwait, ::testing::Bool(), [](const auto& name) {
  return name.param ? "SameProcess" : "OtherProcess";
});

TEST_P(CoAwait, DestroysEachTemporaryOnce) {
  run([this]() -> TestTask {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    CO_OK(co_await server.bind("store/1", store, use_awaitable));
    Guard::made = Guard::gone = 0;
    std::optional<starbus::Result<std::size_t>> sum;
    Store caller_object;
    spawn(from(), caller_object, forms(from(), "store/1"),
          [&](starbus::Result<std::size_t> end) { sum = std::move(end); });
    const bool ended = co_await until([&] { return sum.has_value(); });
    EXPECT_TRUE(ended);
    EXPECT_EQ(sum->value(), kSum);
    EXPECT_GT(Guard::made, 20);
    EXPECT_EQ(Guard::made, Guard::gone);
  });
}

TEST_P(CoAwait, ACallbackMayStandBehindAnyTemporary) {
  run([this]() -> TestTask {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    CO_OK(co_await server.bind("store/1", store, use_awaitable));
    Guard::made = Guard::gone = 0;
    std::size_t size = 0;
    call<&Store::item>(from(), "store/1", {}, Item{guard_of('x'), 3})(
        [&size, guard = guard_of('l')](const Reply<std::size_t>& answer) {
          size = answer.value() + guard.text.size();
        });
    const bool ended = co_await until([&] { return size != 0; });
    EXPECT_TRUE(ended);
    EXPECT_EQ(size, 120U);
    EXPECT_EQ(Guard::made, Guard::gone);
  });
}

class SpawnResult : public RpcTest {};

/// Operations of the bus, each without a token. There is no store in this cluster.
Task<starbus::Result<std::string>> by_the_bus(bus::Bus& bus) {
  bus::Handlers handlers;
  const auto bound = co_await bus.bind("player/1", handlers);
  if (!bound) co_return bound.error();
  const auto posted = co_await bus.post("player/1", "hello", {.ttl = 50ms});
  const auto opened = co_await bus.open_mailbox("player/1", {.deadline = 50ms});
  if (posted || opened) co_return Error(Errc::failed, "there is no store");
  const auto flushed = co_await bus.flush(5s);
  if (!flushed) co_return flushed.error();
  co_return std::string(name_of(posted.error().code)) + " " +
      std::string(name_of(opened.error().code));
}

TEST_F(SpawnResult, OperationsOfTheBusAreAwaitedWithoutAToken) {
  run([this]() -> TestTask {
    const bool connected = co_await connect();
    EXPECT_TRUE(connected);
    Store store;
    std::optional<starbus::Result<std::string>> end;
    spawn(server, store, by_the_bus(server_bus),
          [&](starbus::Result<std::string> said) { end = std::move(said); });
    const bool ended = co_await until([&] { return end.has_value(); });
    EXPECT_TRUE(ended);
    EXPECT_EQ(end->value(), "expired deadline");
  });
}

Task<starbus::Result<int>> ends_with(int value) {
  if (value < 0) throw std::runtime_error("a bug");
  if (value == 0) co_return Error(Errc::refused, "none");
  co_return value;
}
Task<starbus::Result<int>> waits(boost::asio::io_context& loop) {
  boost::asio::steady_timer timer(loop, 1min);
  co_await timer.async_wait(boost::asio::deferred);
  co_return 1;
}

TEST_F(SpawnResult, TellsEachEndOnce) {
  std::vector<std::string> ends;
  const auto note = [&](const starbus::Result<int>& end) {
    ends.push_back(end ? std::to_string(*end) : std::string(name_of(end.error().code)));
  };
  {
    Store store;
    for (const int value : {7, 0, -1}) spawn(server, store, ends_with(value), note);
    spawn(server, store, waits(loop), note);
    EXPECT_EQ(store.rpc_coroutines(), 1U);
  }
  EXPECT_EQ(ends, (std::vector<std::string>{"7", "refused", "failed", "destroyed"}));
  EXPECT_EQ(server.counters().errors[static_cast<std::size_t>(Errc::failed)], 1U);
}

}  // namespace
}  // namespace starbus::entity::rpc
