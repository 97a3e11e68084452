/// What the code of an entity reaches in a node, and the order of what it sends through its moves.
#include <gmock/gmock.h>

#include <boost/asio/use_awaitable.hpp>

#include "entity/properties/properties.hpp"
#include "nodes/hosting/entity_host.hpp"
#include "nodes/runtime/main_loop.hpp"
#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"

namespace starbus::nodes::entities {
namespace {

namespace rpc = entity::rpc;
using boost::asio::use_awaitable;
using bus::Task;
using entity::OnlineId;
using namespace std::chrono_literals;

/// Writes down what it is told.
class Scribe : public rpc::Callable<Scribe> {
 public:
  void note(rpc::Caller&, int number) { numbers.push_back(number); }
  std::vector<int> numbers;
  static constexpr auto kRpc = rpc::methods("acting_scribe", rpc::method<&Scribe::note>("note"));
};

struct HeraldState : entity::Properties<HeraldState> {
  entity::Field<entity::Ref<Scribe>> scribe{this, "scribe"};
};
/// Passes on what it is told, from wherever it is.
class Herald final : public entity::EntityOf<Herald> {
 public:
  static constexpr std::string_view kTypeName = "herald";
  explicit Herald(const entity::ConstructKey& key) : EntityOf(key) {}
  void tell(rpc::Caller&, int number) {
    if (!send<&Scribe::note>(state.scribe.get(), number)) ++refused;
  }
  std::string place(rpc::Caller&) { return world().get<std::string>(); }
  entity::Root* properties() override { return &state; }
  HeraldState state;
  static inline int refused = 0;
  static constexpr auto kRpc = rpc::methods("acting_herald", rpc::method<&Herald::tell>("tell"),
                                            rpc::method<&Herald::place>("place"));

 private:
  ~Herald() override = default;
};

struct Town {
  Town(boost::asio::io_context& loop, const bus::Options& options, std::uint64_t first)
      : drawn(first),
        name(options.node),
        bus(loop, options),
        main(loop),
        host(endpoint, main.timers(), options.node, with()) {
    host.declare<Herald>();
    host.world().add(name);
  }
  HostOptions with() {
    HostOptions made;
    made.draw = [this]() -> entity::IdentityResult<OnlineId> { return OnlineId{++drawn}; };
    made.tick = 5ms;
    return made;
  }
  std::uint64_t drawn;
  std::string name;
  bus::Bus bus;
  rpc::Endpoint endpoint{bus};
  MainLoop main;
  EntityHost host;
};

class HostedActing : public bus::LoopTest {
 protected:
  starbus::testing::Cluster cluster{loop, {.hosts = {"a", "b"}}};
  Town x{loop, cluster.node("a", "x"), 0};
  Town y{loop, cluster.node("b", "y"), 100};
  Scribe scribe;
};

TEST_F(HostedActing, SendsKeepTheirOrderThroughMovesWithoutAnOption) {
  run([this]() -> Task {
    for (Town* town : {&x, &y}) {
      CO_OK(co_await town->bus.connect(use_awaitable));
      CO_OK(co_await town->endpoint.ready(use_awaitable));
    }
    CO_OK(co_await y.endpoint.bind("scribe/1", scribe, use_awaitable));
    Herald* const herald = x.host.entities().create<Herald>().value();
    herald->state.scribe = entity::Ref<Scribe>("scribe/1");
    EXPECT_EQ(&herald->world().get<EntityHost>(), &x.host);
    CO_OK(co_await x.host.publish(*herald, use_awaitable));
    const std::string channel = EntityHost::channel_of(OnlineId{1});

    constexpr int kMessages = 300;
    int told = 0;
    for (int move = 0; move < 3; ++move) {
      Town& from = move % 2 == 0 ? x : y;
      const char* const to = move % 2 == 0 ? "b.y" : "a.x";
      bool moved = false;
      from.host.move(*from.host.entities().find(OnlineId{1}), to,
                     [&](const bus::Result<>& end) { moved = end.has_value(); });
      // By one sender, and so in order, while it moves.
      for (int i = 0; i < kMessages / 3; ++i) {
        EXPECT_TRUE(rpc::send<&Herald::tell>(x.endpoint, channel, {}, ++told));
      }
      const bool there = co_await until([&] { return moved; });
      EXPECT_TRUE(there);
    }
    const auto place = co_await rpc::call<&Herald::place>(x.endpoint, channel, {});
    CO_OK(place);
    EXPECT_EQ(*place, "y") << "each process has its world";
    const bool all = co_await until([&] { return scribe.numbers.size() == kMessages; });
    EXPECT_TRUE(all) << scribe.numbers.size();
    std::vector<int> in_order(kMessages);
    std::iota(in_order.begin(), in_order.end(), 1);
    EXPECT_EQ(scribe.numbers, in_order);
    EXPECT_EQ(Herald::refused, 0);
  });
}

}  // namespace
}  // namespace starbus::nodes::entities
