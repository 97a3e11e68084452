/// A host whose store is away: what has ended waits, and holds up what need not be saved by
/// nothing.
#include <gmock/gmock.h>

#include "testing/cluster.hpp"
#include "tests/bus/client/loop_fixture.hpp"
#include "tests/daemon/support.hpp"
#include "tests/nodes/hosting/guild.hpp"

namespace starbus::nodes::entities {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// An entity without properties.
class Wolf final : public entity::EntityOf<Wolf> {
 public:
  static constexpr std::string_view kTypeName = "wolf";
  explicit Wolf(const entity::ConstructKey& key) : EntityOf(key) {}

 private:
  ~Wolf() override = default;
};

class UnsavedEndsTest : public bus::LoopTest {
 protected:
  UnsavedEndsTest() { make_host(); }
  void make_host() {
    HostOptions options;
    options.draw = [this]() -> entity::IdentityResult<entity::OnlineId> {
      return entity::OnlineId{++drawn};
    };
    options.save = [this](const SavedEntity&, Done done) { held.push_back(std::move(done)); };
    options.tick = 0ms;
    host.emplace(endpoint, wheel, "x", std::move(options));
    host->declare<Guild>();
    host->declare<Wolf>();
  }
  Guild& guild(const std::string& name) {
    entity::CreateOptions how;
    how.persistent_id = name;
    return *host->entities().create_with<Guild>(how).value();
  }
  void settle() {
    loop.restart();
    loop.poll();
  }

  std::uint64_t drawn = 0;
  std::vector<Done> held;
  starbus::testing::Cluster cluster{loop, {}};
  bus::Bus bus{loop, cluster.node("a", "x")};
  rpc::Endpoint endpoint{bus};
  entity::TimerWheel wheel;
  std::optional<EntityHost> host;
};

TEST_F(UnsavedEndsTest, TooManyRefuseSavedTypesAndNoOthers) {
  Guild& lives = guild("lives");
  for (std::uint64_t i = 0; i < kMaxUnsavedEnds; ++i) guild("g" + std::to_string(i)).destroy();
  Wolf* const wolf = host->entities().create<Wolf>().value();
  settle();
  EXPECT_EQ(host->entities().size(), 2U) << "all have ended, though none is saved";
  entity::CreateOptions how;
  how.persistent_id = "new";
  const auto refused = host->entities().create_with<Guild>(how);
  EXPECT_EQ(refused.error(), entity::EntityErrc::busy);
  EXPECT_TRUE(host->entities().create<Guild>()) << "without a name it is not saved";
  std::optional<bus::Errc> published;
  host->publish(lives, [&](const bus::Result<>& result) {
    published = result ? bus::Errc::ok : bus::errc_of(result.error());
  });
  settle();
  EXPECT_EQ(published, bus::Errc::busy);
  EXPECT_TRUE(host->entities().create<Wolf>());
  wolf->destroy();
  settle();
  EXPECT_EQ(host->entities().size(), 3U) << "wolves end whatever waits";
  held.at(0)({});
  EXPECT_TRUE(host->entities().create_with<Guild>(how));
  EXPECT_EQ(host->counters().unsaved, 0U) << "nothing was dropped";
}

TEST_F(UnsavedEndsTest, AreNamedInTheLogWhenTheNodeEnds) {
  daemon::test::LogCapture log;
  for (std::uint64_t i = 0; i < kNamedUnsaved + 2; ++i) guild("g" + std::to_string(i)).destroy();
  settle();
  held.at(0)(bus::Error(bus::Errc::io_error, "no disk"));
  host.reset();
  const std::string text = log.text();
  EXPECT_THAT(text, HasSubstr("102 saves are lost"));
  EXPECT_THAT(text, HasSubstr("guild g0 ended"));
  EXPECT_THAT(text, HasSubstr("no disk"));
  EXPECT_THAT(text, HasSubstr("guild g99 ended"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("guild g100 ended")));
  EXPECT_THAT(text, HasSubstr("2 more are lost unsaved"));
}

}  // namespace
}  // namespace starbus::nodes::entities
