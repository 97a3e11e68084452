#include <gtest/gtest.h>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

template <class T, Flags F = own_client>
struct One : Properties<One<T, F>> {
  explicit One(std::string name = "a") : a{this, std::move(name)} {}
  Field<T, F> a;
};
struct Ab : Properties<Ab> {
  Field<int, own_client> a{this, "a"};
  Field<int> b{this, "b"};
};
struct Ba : Properties<Ba> {
  Field<int> b{this, "b"};
  Field<int, own_client> a{this, "a"};
};
struct Twice : Properties<Twice> {
  Field<int> a{this, "a"};
  Field<int> b{this, "a"};
};
struct Badly : Properties<Badly> {
  Field<int> a{this, "a.b"};
};
template <std::size_t N>
struct Many : Properties<Many<N>> {
  struct Part {
    Part(Many* owner, std::size_t number) : field(owner, "f" + std::to_string(number)) {}
    Field<int> field;
  };
  Many() { add(std::make_index_sequence<N>()); }
  template <std::size_t... I>
  void add(std::index_sequence<I...>) {
    // Fields in an array: each finds its number by the order of construction.
    ((new (&storage[I * sizeof(Part)]) Part(this, I)), ...);
  }
  alignas(Part) std::byte storage[N * sizeof(Part)];
};
template <int N>
struct Nest : Struct<Nest<N>> {
  Field<Nest<N - 1>> next{this, "next"};
};
template <>
struct Nest<0> : Struct<Nest<0>> {
  Field<int> leaf{this, "leaf"};
};
template <int N>
struct Deep : Properties<Deep<N>> {
  Field<Nest<N>, own_client> nest{this, "nest"};
};

static_assert(!valid(Flags::save | per_space));
static_assert(!valid(server_only | own_client));
static_assert(!valid(per_space | per_process));
static_assert(has(other_clients, ghost), "clients elsewhere are served by ghosts");
static_assert(reach_of(Flags::none, true) == kTravelBit);
static_assert(reach_of(Flags::none, false) == kWholeReach);
static_assert(reach_of(server_only, false) == kTravelBit);
static_assert(reach_of(per_space, false) == (kWholeReach & ~bit_of(View::save)));
static_assert(reach_of(Flags::per_process, false) == (kAudienceBits & ~bit_of(View::save)));

TEST(Schema, KnowsItsDeclaration) {
  const Schema& schema = Hero::schema_of();
  ASSERT_EQ(schema.fields().size(), 9u);
  EXPECT_EQ(schema.fields()[0].name, "gold");
  EXPECT_EQ(schema.fields()[0].index, 1);
  EXPECT_EQ(schema.find("items")->capacity, 4u);
  EXPECT_EQ(schema.find("nothing"), nullptr);
  EXPECT_EQ(schema.levels(), 3u);
  EXPECT_EQ(to_string(schema.find("nick")->flags), "ghost|other_clients|own_client|save");
}

TEST(Schema, HashesTheMeaning) {
  EXPECT_EQ(Hero::schema_of().hash(), Hero().schema().hash());
  EXPECT_NE(Ab::schema_of().hash(), Ba::schema_of().hash());              // indices travel
  EXPECT_EQ(Ab::schema_of().saved_hash(), Ba::schema_of().saved_hash());  // names are saved
  EXPECT_NE((One<int>::schema_of().hash()), (One<std::int64_t>::schema_of().hash()));
  EXPECT_NE((One<int>::schema_of().hash()), (One<int, ghost>::schema_of().hash()));
  EXPECT_NE((One<Vec>::schema_of().hash()), (One<std::vector<float>>::schema_of().hash()));
}

TEST(Schema, RefusesDeclarationsThatBreakALimit) {
  EXPECT_THROW(Twice::schema_of(), std::logic_error);
  EXPECT_THROW(Badly::schema_of(), std::logic_error);
  EXPECT_EQ(Many<254>::schema_of().fields().size(), 254u);
  EXPECT_THROW(Many<255>::schema_of(), std::logic_error);
  EXPECT_EQ(Deep<5>::schema_of().levels(), 7u);
  EXPECT_THROW(Deep<6>::schema_of(), std::logic_error);
}

TEST(Schema, TheDeepestAndTheLastFieldCanBeChanged) {
  Deep<5> real;
  Deep<5> copy;
  real.watch(Audience::own_client);
  copy.become_replica(Audience::own_client);
  Bytes bytes;
  ASSERT_TRUE(real.encode_snapshot(View::own_client, bytes).has_value());
  ASSERT_TRUE(copy.apply_snapshot(bytes).has_value());
  real.nest->next->next->next->next->next->leaf = 7;
  ASSERT_TRUE(real.flush([&](Audience, ByteView delta) {
                    EXPECT_TRUE(copy.apply_delta(delta).has_value());
                  })
                  .has_value());
  EXPECT_EQ(copy.nest->next->next->next->next->next->leaf, 7);
}

}  // namespace
}  // namespace starbus::entity::test
