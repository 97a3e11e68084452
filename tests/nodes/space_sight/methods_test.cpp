/// What clients call a space by, and are called by: clients that are written by hand have these
/// numbers.
#include <gmock/gmock.h>

#include "nodes/space/sight/space_client.hpp"
#include "nodes/space/sight/watcher.hpp"

namespace starbus::nodes::sight {
namespace {

namespace rpc = entity::rpc;

template <auto M>
std::uint32_t types_hash() {
  return rpc::hash32(rpc::info_of<M>().describe(nullptr));
}

TEST(SightMethods, HaveTheirNumbersAndTypes) {
  EXPECT_EQ(rpc::info_of<&Watcher::ready>().describe(nullptr), "(u32)->b");
  EXPECT_EQ(rpc::info_of<&Watcher::ready>().id, 0xb56d09a9U);
  EXPECT_EQ(rpc::info_of<&Watcher::move>().describe(nullptr),
            "({u32,u32,u32,{f32,f32,f32,f32,f32,f32,f32,f32,u32,u8,u8,b}})->{u32,u32}");
  EXPECT_EQ(rpc::info_of<&Watcher::move>().id, 0x4f4e7d1fU);
  EXPECT_EQ(types_hash<&Watcher::ready>(), 0x95d73699U);
  EXPECT_EQ(types_hash<&Watcher::move>(), 0x79d1b047U);
  EXPECT_EQ(rpc::method_id("starbus_space", "correct"), 0x83955e00U);
  EXPECT_EQ(entity::client_signature<&SpaceClient::correct>(), 0x48a4a144U);
}

}  // namespace
}  // namespace starbus::nodes::sight
