#include "aoi/world/handles.hpp"

#include <gtest/gtest.h>

namespace starbus::aoi {
namespace {

TEST(Handles, InUseAreNeitherThoseThatRestNorThoseThatAreReady) {
  Handles handles(10, 2);
  EXPECT_EQ(handles.in_use(), 0u);
  const std::uint32_t index = handles.allocate() & Id<void>::kIndexMask;
  (void)handles.allocate();
  handles.retire(index);
  EXPECT_EQ(handles.in_use(), 2u) << "until it is freed";
  handles.free(index, 1);
  EXPECT_EQ(handles.in_use(), 1u) << "it rests";
  handles.advance(100);
  EXPECT_EQ(handles.in_use(), 1u) << "it is ready";
  (void)handles.allocate();
  EXPECT_EQ(handles.in_use(), 2u);
}

}  // namespace
}  // namespace starbus::aoi
