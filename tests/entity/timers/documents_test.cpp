/// docs/guide/timers.md says what the catalogues say.
#include "tests/entity/documents.hpp"

#include "entity/timers/error.hpp"
#include "entity/timers/limits.hpp"

namespace starbus::entity {
namespace {

TEST(TimerDocuments, ListEveryLimitAsItIs) {
  expect_limits("timers.md", timer_limits());
}

TEST(TimerDocuments, ListEveryErrorAsItIs) {
  expect_errors("timers.md", timer_errors());
  for (const ErrorInfo<TimerErrc>& info : timer_errors()) EXPECT_EQ(name_of(info.code), info.name);
  EXPECT_EQ(name_of(TimerErrc::ok), "ok");
}

}  // namespace
}  // namespace starbus::entity
