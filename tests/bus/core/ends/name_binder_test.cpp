/// Names from the request to the answer, and the requests that are repeated until then.
#include "bus/core/ends/name_binder.hpp"

#include "tests/bus/core/ends/parts_fixture.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class NameBinderTest : public PartsTest {};
class NameRequestsTest : public PartsTest {};

TEST_F(NameBinderTest, GrantActivatesAndConfirms) {
  const auto id = binder.bind("entity/1", false, {});
  ASSERT_TRUE(id);
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::bind));
  binder.on_attached(
      {kSelf, Ticket::of_bind(kSelf, *id), "entity/1", Epoch::of(1, 2), Epoch::of(1, 2)});
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::active));
  EXPECT_THAT(reported, ElementsAre("bound at 1.2"));
  EXPECT_TRUE(owner.active(channel_id("entity/1")));
}

TEST_F(NameBinderTest, GrantOfAnotherAttemptIsFreed) {
  ASSERT_TRUE(binder.bind("entity/1", false, {}));
  sent();
  binder.on_attached(
      {kSelf, Ticket::of_bind(kSelf, 77), "entity/1", Epoch::of(1, 2), Epoch::of(1, 2)});
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::freed));
  EXPECT_THAT(reported, IsEmpty());
}

TEST_F(NameBinderTest, ProcessChannelCountsIntoNoLimit) {
  state.rights.max_names = 1;
  binder.bind_process(*Name::of("process/hostA.node-1"));
  EXPECT_TRUE(binder.bind("entity/1", false, {}));
  EXPECT_EQ(binder.bind("entity/2", false, {}).error(), Errc::too_many_names);
}

TEST_F(NameBinderTest, UnbindIsRefusedWhileTheChannelMoves) {
  Binding& binding = active("entity/1");
  ASSERT_TRUE(source.begin(binding.channel(), kOther, {}));
  EXPECT_EQ(binder.unbind(binding.channel()).error(), Errc::busy);
}

TEST_F(NameBinderTest, ANameThatIsHeldForLifeIsNeitherGivenUpNorMoved) {
  Binding& held = active("gate/hostA.node-1");
  EXPECT_EQ(binder.unbind(held.channel()).error(), Errc::denied);
  EXPECT_EQ(source.begin(held.channel(), kOther, {}).error(), Errc::denied);
  Binding& other = active("gate/hostA.node-2");  // called after another process
  EXPECT_TRUE(binder.unbind(other.channel()));
}

TEST_F(NameBinderTest, DurableNameResumesItsLineage) {
  ASSERT_TRUE(binder.bind("store/1", true, Epoch::of(1, 1)));
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::resume));
}

TEST_F(NameRequestsTest, RepeatsUntilAnswered) {
  ASSERT_TRUE(binder.bind("entity/1", false, {}));
  sent();
  requests.repeat();
  EXPECT_THAT(sent_kinds(), IsEmpty()) << "not before kRequestRetry";
  state.now += kRequestRetry;
  requests.repeat();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::bind));
  requests.answered(channel_id("entity/1"));
  state.now += kRequestRetry;
  requests.repeat();
  EXPECT_THAT(sent_kinds(), IsEmpty());
}

TEST_F(NameRequestsTest, ANewSessionAsksAtOnce) {
  ASSERT_TRUE(binder.bind("entity/1", false, {}));
  sent();
  requests.on_session();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::bind));
  EXPECT_TRUE(bindings.find(channel_id("entity/1"))->repeated);
}

TEST_F(NameRequestsTest, FreedIsRepeatedUntilItsOwnAnswer) {
  const Ticket ticket{kSelf, kOther, 3};
  requests.free(ChannelId{1, 1}, ticket);
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::freed));
  state.now += kRequestRetry;
  requests.on_freed_ok({kSelf, ChannelId{1, 1}, Ticket{kOther, kOther, 3}});
  requests.repeat();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::freed)) << "that was another ticket";
  requests.on_freed_ok({kSelf, ChannelId{1, 1}, ticket});
  state.now += kRequestRetry;
  requests.repeat();
  EXPECT_THAT(sent_kinds(), IsEmpty());
}

}  // namespace
}  // namespace starbus::bus
