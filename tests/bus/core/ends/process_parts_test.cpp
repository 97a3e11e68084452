/// The small parts of a ProcessCore: rights, lease, control queue, table of bindings, vitals.
#include "bus/core/ends/lease.hpp"
#include "tests/bus/core/ends/parts_fixture.hpp"

namespace starbus::bus {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RoleRightsTest, SendsToProcessesUnderEveryRole) {
  RoleRights rights;
  rights.send_prefixes = {"entity/"};
  rights.restricted = true;
  EXPECT_TRUE(rights.may_send("entity/1"));
  EXPECT_TRUE(rights.may_send("process/hostA.x"));
  EXPECT_FALSE(rights.may_send("service/1"));
  EXPECT_FALSE(rights.may_bind("entity/1")) << "no bind prefix allows it";
}

TEST(LeaseTest, EndsOnlyOnceItHasBegun) {
  Lease lease;
  lease.set_length(from_ms(40'000));
  lease.renew(from_ms(1'000));
  EXPECT_FALSE(lease.has_ended(from_ms(1'000'000))) << "nothing to lose";
  lease.begin(from_ms(1'000));
  lease.begin(from_ms(99'000));
  const Time length = from_ms(40'000) - std::min<Time>(kLeaseMargin, 10s);
  EXPECT_FALSE(lease.has_ended(from_ms(1'000) + length));
  EXPECT_TRUE(lease.has_ended(from_ms(1'001) + length));
  lease.renew(from_ms(5'000));
  lease.renew(from_ms(2'000));
  EXPECT_FALSE(lease.has_ended(from_ms(5'000) + length)) << "a renewal never shortens it";
  lease.end();
  EXPECT_FALSE(lease.has_ended(from_ms(1'000'000)));
}

TEST(ControlQueueTest, DropsRecordsWithoutASession) {
  ControlQueue queue;
  queue.add(Bye{});
  EXPECT_TRUE(queue.empty());
  queue.open();
  queue.add(Bye{});
  EXPECT_EQ(queue.bytes(), kRecordHeader);
  queue.reset();
  EXPECT_TRUE(queue.empty());
}

TEST(ControlQueueTest, OverflowsAtItsBoundUntilItIsReset) {
  ControlQueue queue;
  queue.open();
  const Bytes record(kControlQueue / 2);
  queue.add_encoded(record);
  queue.add_encoded(record);
  EXPECT_FALSE(queue.overflowed());
  queue.add(Bye{});
  EXPECT_TRUE(queue.overflowed());
  EXPECT_EQ(queue.bytes(), 2 * record.size());
  queue.reset();
  EXPECT_FALSE(queue.overflowed());
}

TEST(ControlQueueTest, PullStopsAtItsBudget) {
  ControlQueue queue;
  queue.open();
  for (int i = 0; i < 3; ++i) queue.add(Bye{});
  Bytes out;
  EXPECT_EQ(queue.fill_bundle(kRecordHeader + 1, out).bytes, 2 * kRecordHeader);
  EXPECT_EQ(queue.fill_bundle(100, out).bytes, kRecordHeader);
  EXPECT_THAT(cut_records(out), testing::SizeIs(3));
}

TEST(BindingTableTest, EraseTakesAChannelOutOfAllIndices) {
  BindingTable table;
  Binding& binding = table.add(*Name::of("entity/1"));
  EXPECT_EQ(binding.id, 1u);
  EXPECT_EQ(table.next_id(), 2u) << "bindings and tickets share one sequence";
  const ChannelId channel = binding.channel();
  table.unanswered.insert(channel);
  table.moving.insert(channel);
  table.waiting.insert(channel);
  table.erase(channel);
  EXPECT_EQ(table.find(channel), nullptr);
  EXPECT_TRUE(table.unanswered.empty() && table.moving.empty() && table.waiting.empty());
}

TEST(BindingTableTest, TakeAllLeavesItEmpty) {
  BindingTable table;
  table.unanswered.insert(table.add(*Name::of("entity/1")).channel());
  table.add(*Name::of("entity/2"));
  EXPECT_EQ(table.take_all().size(), 2u);
  EXPECT_EQ(table.size(), 0u);
  EXPECT_TRUE(table.unanswered.empty());
}

TEST_F(PartsTest, VitalsReporter_SendsChangesOnly) {
  VitalsReporter vitals(state, bindings, origin, control);
  vitals.tick();
  EXPECT_THAT(sent_kinds(), IsEmpty()) << "nothing but zeros";
  ASSERT_TRUE(origin.send({ChannelId{1, 1}, {}, {}}, Lane::call, {}, as_bytes("m"), 0, {}));
  vitals.tick();
  EXPECT_THAT(sent_kinds(), IsEmpty()) << "not before a second has passed";
  state.now += from_ms(1'000);
  vitals.tick();
  EXPECT_THAT(sent_kinds(), ElementsAre(Kind::vitals));
  state.now += from_ms(1'000);
  vitals.tick();
  EXPECT_THAT(sent_kinds(), IsEmpty());
}

}  // namespace
}  // namespace starbus::bus
