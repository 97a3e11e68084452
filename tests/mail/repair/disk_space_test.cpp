#include "mail/repair/disk_space.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <limits>

#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using test::FilledStore;
using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;

TEST(DiskSpaceTest, WhatDoesNotFitIsToldWithBothNumbersAndWhatToDo) {
  const FilledStore filled;
  const SpaceNeed need{filled.folder() / "not" / "there",
                       std::numeric_limits<std::uint64_t>::max() / 2, "think"};
  const auto room = check_space(need);
  ASSERT_FALSE(room);
  EXPECT_EQ(room.error(), storage::Errc::store_full);
  EXPECT_THAT(room.error().detail, HasSubstr("the disk of " + need.path.string() + " is full: "));
  EXPECT_THAT(room.error().detail,
              ContainsRegex("full: [0-9]+ [kM]B are free, and at least [0-9]+ MB are needed; "));
  EXPECT_THAT(room.error().detail, EndsWith("make room there, or think"));
  EXPECT_TRUE(check_space({filled.folder(), 1, {}}));
}

TEST(DiskSpaceTest, OnlyErrorsOfAFullDiskAreExplained) {
  const SpaceNeed need{"/", 1'500, {}};
  EXPECT_THAT(explain({storage::Errc::store_full, "IO error"}, need).detail,
              EndsWith("at least 2 kB are needed; make room there"));
  EXPECT_EQ(explain({storage::Errc::corrupt, "x"}, need).to_string(), "corrupt: x");
  EXPECT_EQ(explain("/x/y", ENOSPC, need), storage::Errc::store_full);
  EXPECT_EQ(explain("/x/y", EDQUOT, need), storage::Errc::store_full);
  EXPECT_EQ(explain("/x/y", EIO, need).to_string(), "io_error: /x/y: Input/output error");
}

TEST(DiskSpaceTest, KnowsHowManyBytesOfBodiesThereAre) {
  FilledStore filled;
  filled.fill("player/1", 2, 4);
  filled.fill("player/2", 0, 1);
  EXPECT_EQ(bytes_of_bodies(*filled.snapshot()), 3 * std::string("player/1 #1").size());
}

}  // namespace
}  // namespace starbus::mail
