/// Machines that are packed, stand still, and go on in another group.
#include <gmock/gmock.h>

#include <chrono>

#include "entity/machines/machine.hpp"

namespace starbus::entity {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

struct Log {
  std::vector<std::string> lines;
};
struct Knock {};

struct Asleep;
struct Awake;
struct Busy;
using Day = Machine<Log, Asleep, Awake, Busy>;

struct Asleep {
  static constexpr std::string_view kName = "asleep";
  void on_enter(Day& day);
  void on_exit(Day& day);
};
struct Awake {
  static constexpr std::string_view kName = "awake";
  static constexpr Time kDeadline = 10s;
  int visits = 0;
  void pack(Encoder& out) const { out.number(visits); }
  void unpack(Decoder& in) { visits = in.number<int>(); }
  void on(const Knock&, Day&) { ++visits; }
  void on(const DeadlinePassed&, Day& day);
};
struct Busy {
  static constexpr std::string_view kName = "busy";
  std::string with = "work";  // and no pack()
};
void Asleep::on_enter(Day& day) {
  day.owner().lines.emplace_back("+asleep");
}
void Asleep::on_exit(Day& day) {
  day.owner().lines.emplace_back("-asleep");
}
void Awake::on(const DeadlinePassed&, Day& day) {
  day.owner().lines.push_back("tired after " + std::to_string(visits));
  static_cast<void>(day.change_to(Asleep{}));
}

struct House {
  explicit House(Time start = {}) : wheel(start) {}
  TimerWheel wheel;
  Log log;
  MachineGroup group;
  Day day{"day", log, wheel, &group};
};

Bytes packed(const MachineGroup& group) {
  Bytes bytes;
  Encoder out(bytes);
  EXPECT_TRUE(group.pack(out));
  return bytes;
}

TEST(MachineTravel, StateDataAndTheRestOfTheDeadlineGoOn) {
  House here;
  ASSERT_TRUE(here.group.start());
  ASSERT_TRUE(here.day.change_to(Awake{}));
  ASSERT_TRUE(here.day.handle(Knock{}));
  here.wheel.advance(4s);
  const Bytes bytes = packed(here.group);
  House there(100h);
  there.group.pause();
  Decoder in(bytes);
  ASSERT_TRUE(there.group.unpack(in));
  EXPECT_TRUE(there.day.is<Awake>());
  EXPECT_EQ(there.day.report().in_state, 4s);
  there.wheel.advance(101h);
  EXPECT_THAT(there.log.lines, IsEmpty()) << "no handler of the way in, and no deadline on the way";
  there.group.resume();
  ASSERT_TRUE(there.group.start_new());
  there.wheel.advance(101h + 6s - 1ms);
  EXPECT_THAT(there.log.lines, IsEmpty());
  there.wheel.advance(101h + 6s);
  EXPECT_THAT(there.log.lines, ElementsAre("tired after 1", "+asleep"));
}

TEST(MachineTravel, OneThatHadStoppedStaysSoAndANewOneStarts) {
  House here;
  House there;
  Day second{"second", there.log, there.wheel, &there.group};
  const Bytes bytes = packed(here.group);
  there.group.pause();
  Decoder in(bytes);
  ASSERT_TRUE(there.group.unpack(in));
  there.group.resume();
  ASSERT_TRUE(there.group.start_new());
  EXPECT_FALSE(there.day.running());
  EXPECT_TRUE(second.running());
}

TEST(MachineTravel, APausedOneRefusesByTypeAndItsDeadlineWaits) {
  House here;
  ASSERT_TRUE(here.group.start());
  ASSERT_TRUE(here.day.change_to(Awake{}));
  here.log.lines.clear();
  here.group.pause();
  EXPECT_EQ(here.day.handle(Knock{}).error(), MachineErrc::frozen);
  EXPECT_EQ(here.day.change_to(Asleep{}).error(), MachineErrc::frozen);
  EXPECT_EQ(here.day.start().error(), MachineErrc::frozen);
  here.wheel.advance(1min);
  EXPECT_THAT(here.log.lines, IsEmpty());
  here.group.resume();
  here.wheel.advance(1min);
  EXPECT_THAT(here.log.lines, ElementsAre("tired after 0", "+asleep"));
  here.wheel.advance(2min);
  EXPECT_EQ(here.log.lines.size(), 2U) << "once";
}

TEST(MachineTravel, DataThatNobodyPacksIsRefusedAndNamed) {
  House here;
  ASSERT_TRUE(here.group.start());
  ASSERT_TRUE(here.day.change_to(Busy{}));
  Bytes bytes;
  Encoder out(bytes);
  const auto result = here.group.pack(out);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), MachineErrc::not_packable);
  EXPECT_NE(result.error().to_string().find("day: busy"), std::string::npos);
}

TEST(MachineTravel, MalformedAndUnknownOnesAreRefused) {
  House here;
  ASSERT_TRUE(here.group.start());
  ASSERT_TRUE(here.day.change_to(Awake{}));
  const Bytes bytes = packed(here.group);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    House there;
    there.group.pause();
    Decoder in(ByteView(bytes).first(size));
    EXPECT_FALSE(there.group.unpack(in)) << size;
  }
  MachineGroup empty;
  empty.pause();
  Decoder in(bytes);
  EXPECT_EQ(empty.unpack(in).error(), MachineErrc::unknown_state);
}

}  // namespace
}  // namespace starbus::entity
