// What does not compile, what is refused at start-up, and what a declaration means on the wire.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "entity/archive/signature.hpp"
#include "tests/entity/rpc/world.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;
using ::testing::HasSubstr;

// --- does not compile ----------------------------------------------------------------------------

struct Misfits {
  void no_caller(int) {}
  void pointer(Caller&, int*) {}
  void view(Caller&, std::string_view) {}
  void reference(Caller&, int&) {}
  void moved(Caller&, std::string&&) {}
  rpc::Task<int> late_reference(Caller&, const std::string&) { co_return 0; }
  void good(Caller&, const std::string&, int) const noexcept {}
};
static_assert(!RpcMethod<&Misfits::no_caller>);
static_assert(!RpcMethod<&Misfits::pointer>);
static_assert(!RpcMethod<&Misfits::view>);
static_assert(!RpcMethod<&Misfits::reference>);
static_assert(!RpcMethod<&Misfits::moved>);
static_assert(!RpcMethod<&Misfits::late_reference>);
static_assert(RpcMethod<&Misfits::good>);

static_assert(CallableWith<&Chat::join, const char*>);
static_assert(CallableWith<&Chat::join, std::string_view>);
static_assert(CallableWith<&Chat::sit, int>);
static_assert(!CallableWith<&Chat::join>, "too few");
static_assert(!CallableWith<&Chat::join, const char*, int>, "too many");
static_assert(!CallableWith<&Chat::join, int>, "another type");
static_assert(!CallableWith<&Chat::sit, double>, "a fraction");
static_assert(!CallableWith<&Chat::sit, const char*>);

constexpr std::array<MethodRow, 2> rows(std::string_view a, std::string_view b) {
  return {MethodRow{a, method_id("c", a), server}, MethodRow{b, method_id("c", b), server}};
}
static_assert(fault_of("c", rows("a", "b")) == DeclarationFault::none);
static_assert(fault_of("c", rows("a", "a")) == DeclarationFault::same_name);
static_assert(fault_of("c", rows("a", "")) == DeclarationFault::bad_method_name);
static_assert(fault_of("c", rows("a", "b.c")) == DeclarationFault::bad_method_name);
static_assert(fault_of("C", rows("a", "b")) == DeclarationFault::bad_class_name);
constexpr std::array<MethodRow, 2> kSameId = {MethodRow{"a", 7, server}, MethodRow{"b", 7, server}};
static_assert(fault_of("c", kSameId) == DeclarationFault::same_id);

// --- names of the source -----------------------------------------------------------------------

class TownHall {
 public:
  void enter(Caller&) {}
  void vote_for(Caller&, std::string) {}
  void said(Caller&) {}
};
constexpr auto kShort = methods<&TownHall::enter, &TownHall::said>();
static_assert(kShort.class_name == "town_hall");
static_assert(kShort.rows[0].name == "enter" && kShort.rows[1].name == "said");
static_assert(kShort.rows[0].allow == server);
static_assert(kShort.rows[0].id == hash32("town_hall.enter"));
// The bytes that other builds, and other compilers, know it by.
static_assert(kShort.rows[0].id == 0xefac8e6d);

constexpr auto kJoined = kShort | methods<&TownHall::vote_for>(own_client | any_client);
static_assert(kJoined.rows.size() == 3 && place_in<&TownHall::vote_for>(kJoined) == 2);
static_assert(kJoined.rows[2].allow == any_client && kJoined.rows[2].name == "vote_for");
// What was renamed, beside what was not.
constexpr auto kRenamed =
    methods<&TownHall::enter>("hall", gate) |
    methods("hall", method<&TownHall::said>("told"), method<&TownHall::vote_for>());
static_assert(kRenamed.rows[0].id == hash32("hall.enter") && kRenamed.rows[0].allow == gate);
static_assert(kRenamed.rows[1].id == hash32("hall.told"));
static_assert(kRenamed.rows[2].id == hash32("hall.vote_for"));

// --- on the wire ---------------------------------------------------------------------------------

TEST(Declarations, IdsAreOfTheNamesAlone) {
  // FNV-1a's published vectors.
  static_assert(hash32("") == 0x811c9dc5);
  static_assert(hash32("a") == 0xe40c292c);
  static_assert(hash32("foobar") == 0xbf9cf968);
  static_assert(method_id("foo", "bar") == hash32("foo.bar"));
  EXPECT_EQ(info_of<&Chat::join>().id, hash32("chat.join"));
  EXPECT_EQ(info_of<&Chat::join>().full_name(), "chat.join");
}

TEST(Declarations, SignaturesNameTypesByTheirBytes) {
  (void)Dictionary::of_process();
  EXPECT_EQ(info_of<&Chat::join>().text, "(str)->i32!{{u16,u16},{n,bytes}}");
  EXPECT_EQ(info_of<&Chat::said>().text, "(str)->");
  EXPECT_EQ(info_of<&Chat::sit>().text, "(u8)->i32!u8");
  EXPECT_EQ(info_of<&Player::slow>().text, "(i32)->i32");
  EXPECT_EQ(info_of<&Chat::join>().signature, hash32("(str)->i32!{{u16,u16},{n,bytes}}"));
}

TEST(Declarations, AreFoundInTheDictionaryOfTheProcess) {
  const Dictionary& dictionary = Dictionary::of_process();
  const MethodInfo* found = dictionary.find(hash32("player.relay"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found, &info_of<&Player::relay>());
  EXPECT_TRUE(found->coroutine);
  EXPECT_TRUE(found->owner->is_a(&ClassOf<Avatar>::info));
  EXPECT_EQ(dictionary.find(0), nullptr);
  EXPECT_NE(dictionary.hash(), 0U);
}

// --- at start-up ---------------------------------------------------------------------------------

struct Row {
  explicit Row(std::string_view class_name, std::string_view name, std::uint32_t id,
               std::string_view text = "()->") {
    method.owner = &info;
    method.name = name;
    method.id = id;
    method.text = text;
    info.name = class_name;
    info.methods = methods;
  }
  Row(const Row&) = delete;
  MethodInfo method;
  MethodInfo* methods[1] = {&method};
  ClassInfo info;
};

std::string refusal(std::initializer_list<const ClassInfo*> classes) {
  try {
    Dictionary dictionary(std::vector<const ClassInfo*>{classes});
    return "";
  } catch (const std::logic_error& error) {
    return error.what();
  }
}

TEST(Dictionary, RefusesTwoClassesOfOneNameAndTwoMethodsOfOneId) {
  const Row a("a", "m", 1), b("b", "m", 2), same_name("a", "n", 3), same_id("c", "m", 1);
  EXPECT_EQ(refusal({&a.info, &b.info}), "");
  EXPECT_THAT(refusal({&a.info, &same_name.info}), HasSubstr("two classes are named a"));
  EXPECT_THAT(refusal({&a.info, &same_id.info}), HasSubstr("a.m and c.m have the same id"));
}

TEST(Dictionary, HashDependsOnNamesAndTypesAndNotOnOrder) {
  const Row a("a", "m", 1), b("b", "m", 2), other("b", "m", 2, "(i32)->");
  using List = std::vector<const ClassInfo*>;
  const auto hash = [](const List& list) { return Dictionary(list).hash(); };
  EXPECT_EQ(hash({&a.info, &b.info}), hash({&b.info, &a.info}));
  EXPECT_NE(hash({&a.info, &b.info}), hash({&a.info, &other.info}));
  EXPECT_NE(hash({&a.info}), hash({&a.info, &b.info}));
}

}  // namespace
}  // namespace starbus::entity::rpc
