// The texts are part of the wire and of what is saved: they are the same in every compiler.
#include "base/declared_name.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starbus {
namespace {

struct GuildHall {
  void open() {}
  int hit_points(int, const char*) const noexcept { return 1; }
  virtual void close2() {}
  int weight = 0;
};
template <class T>
struct Box {
  void put(T) {}
};
struct Inn final : GuildHall {
  void close2() override {}
};
struct HTTPServer {};
struct NPC {};
struct Level2Door {};
struct snake_case_already {};
class Room {
 public:
  class Door {
   public:
    void shut() {}
  };
};

static_assert(member_name<&GuildHall::open>() == "open");
static_assert(member_name<&GuildHall::hit_points>() == "hit_points");
static_assert(member_name<&GuildHall::close2>() == "close2");
static_assert(member_name<&Inn::close2>() == "close2");
static_assert(member_name<&GuildHall::weight>() == "weight");
static_assert(member_name<&Box<int>::put>() == "put");
static_assert(member_name<&Room::Door::shut>() == "shut");

static_assert(class_name<GuildHall>() == "guild_hall");
static_assert(class_name<HTTPServer>() == "http_server");
static_assert(class_name<NPC>() == "npc");
static_assert(class_name<Level2Door>() == "level2_door");
static_assert(class_name<snake_case_already>() == "snake_case_already");
static_assert(class_name<Room::Door>() == "door");
static_assert(class_name<Box<int>>().empty(), "an instance of a template has no name of its own");

TEST(DeclaredName, OutlivesTheCallThatAskedForIt) {
  const std::string_view name = class_name<GuildHall>();
  EXPECT_EQ(name.data(), class_name<GuildHall>().data());
  EXPECT_EQ(std::string(name) + "." + std::string(member_name<&GuildHall::open>()),
            "guild_hall.open");
  struct Local {};
  EXPECT_EQ(class_name<Local>(), "local");
}

}  // namespace
}  // namespace starbus
