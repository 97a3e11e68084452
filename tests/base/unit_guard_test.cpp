#include "base/unit_guard.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <thread>

#include "tests/thrown_log.hpp"

namespace starbus {
namespace {

using test::ThrownLog;
using testing::ElementsAre;
using testing::HasSubstr;

void no_gold() {
  throw std::runtime_error("no gold");
}

TEST(UnitGuard, WithoutASinkExceptionsPassThrough) {
  EXPECT_FALSE(UnitGuard::active());
  EXPECT_THROW(guarded(UnitKind::timer, "x", no_gold), std::runtime_error);
  EXPECT_TRUE(guarded(UnitKind::timer, "x", [] {}));
  EXPECT_FALSE(UnitGuard::report(UnitKind::timer, "x", "no gold"));
}

TEST(UnitGuard, TheSinkGetsKindPlaceAndText) {
  ThrownLog log;
  EXPECT_TRUE(guarded(UnitKind::tick, "walk", [] {}));
  EXPECT_FALSE(guarded(UnitKind::tick, "walk", no_gold));
  EXPECT_FALSE(guarded(UnitKind::closure, typeid(ThrownLog), [] { throw 5; }));
  EXPECT_THAT(log.lines,
              ElementsAre("tick: no gold", "closure: an object that is not a std::exception"));
  EXPECT_THAT(log.places, ElementsAre("walk", "starbus::test::ThrownLog"));
}

TEST(UnitGuard, APlaceThatIsAFunctionIsAskedOnlyAfterAThrow) {
  ThrownLog log;
  int asked = 0;
  const auto place = [&] {
    ++asked;
    return std::string("walk");
  };
  guarded(UnitKind::tick, place, [] {});
  EXPECT_EQ(asked, 0);
  guarded(UnitKind::tick, place, no_gold);
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(log.places, ElementsAre("walk"));
}

TEST(UnitGuard, LackOfMemoryPassesThrough) {
  ThrownLog log;
  EXPECT_THROW(guarded(UnitKind::tick, "walk", [] { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_TRUE(log.lines.empty());
}

TEST(UnitGuard, TheLatestSinkThatLivesGetsAllInWhateverOrderTheyEnd) {
  auto first = std::make_unique<ThrownLog>();
  auto second = std::make_unique<ThrownLog>();
  guarded(UnitKind::tick, "x", no_gold);
  EXPECT_EQ(second->lines.size(), 1u);
  EXPECT_TRUE(first->lines.empty());
  ThrownLog third;
  second.reset();
  guarded(UnitKind::tick, "x", no_gold);
  EXPECT_EQ(third.lines.size(), 1u);
  first.reset();
  guarded(UnitKind::tick, "x", no_gold);
  EXPECT_EQ(third.lines.size(), 2u);
}

TEST(UnitGuard, ASinkIsThatOfItsThreadAlone) {
  const ThrownLog log;
  bool active = true;
  std::thread([&] { active = UnitGuard::active(); }).join();
  EXPECT_FALSE(active);
}

TEST(UnitGuard, ACallableAsAUnitKeepsItsThrowToItself) {
  const std::function<void(std::unique_ptr<int>)> none;
  EXPECT_FALSE(as_unit(UnitKind::completion, none));
  int got = 0;
  std::function<void(std::unique_ptr<int>)> take = [&](std::unique_ptr<int> value) {
    got = *value;
    no_gold();
  };
  const auto unit = as_unit(UnitKind::completion, std::move(take));
  EXPECT_THROW(unit(std::make_unique<int>(1)), std::runtime_error) << "there is no sink yet";
  ThrownLog log;
  unit(std::make_unique<int>(2));
  EXPECT_EQ(got, 2);
  EXPECT_THAT(log.lines, ElementsAre("completion: no gold"));
  EXPECT_THAT(log.places.front(), HasSubstr("ACallableAsAUnit"));
}

TEST(UnitGuard, EachKindHasAName) {
  for (std::size_t i = 0; i < kUnitKinds; ++i) {
    EXPECT_FALSE(name_of(static_cast<UnitKind>(i)).empty());
  }
}

}  // namespace
}  // namespace starbus
