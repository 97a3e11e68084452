/// The properties that the tests declare, and a model of them: plain containers, changed by the
/// same steps, that know nothing of recording. What each audience must see of it is written out by
/// hand.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "entity/properties/json/inspect.hpp"
#include "entity/properties/properties.hpp"

namespace starbus::entity::test {

struct Vec {
  float x = 0;
  float y = 0;
  bool operator==(const Vec&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(x), CEREAL_NVP(y));
  }
};

struct Gem : Struct<Gem> {
  Field<int> power{this, "power"};
  Field<int, own_client | save> flaw{this, "flaw", 1};
};
struct Item : Struct<Item> {
  Field<int> kind{this, "kind"};
  Field<int, own_client | save> count{this, "count"};
  Field<int, other_clients> glow{this, "glow"};
  Field<int, server_only> price{this, "price"};
  List<int> marks{this, "marks"};
  Bag<Gem, Flags::none, std::string> gems{this, "gems", 3};
};
struct Stats : Struct<Stats> {
  Field<int> strength{this, "strength", 3};
  Field<int, own_client | per_space> focus{this, "focus", 5};
};
/// Half of the fields stand in a class that the hero extends.
struct Creature : Properties<Creature> {
  Field<std::int64_t, own_client | save> gold{this, "gold", 100};
  Field<std::string, all_clients | save> nick{this, "nick", "nobody"};
  Field<Vec, ghost | latest_only> home{this, "home"};
  Field<int> hidden{this, "hidden"};
  Field<int, other_clients | latest_only> mood{this, "mood"};
  Field<Stats, all_clients | save> stats{this, "stats"};
};
struct Hero : Properties<Hero, Creature> {
  List<int, own_client> marks{this, "marks"};
  Map<std::string, int, own_client | cache | save> prices{this, "prices"};
  Bag<Item, all_clients | save> items{this, "items", 4};
};

/// One step of a random history: what is done, and with which small numbers.
struct Step {
  unsigned what = 0;
  int a = 0;
  int b = 0;
  int c = 0;
};
std::ostream& operator<<(std::ostream& out, const Step& step);

class Model {
 public:
  /// The step on the model; the same is done to the real properties by perform().
  void perform(const Step& step);
  /// It is read from what was saved: what the view does not take along has its default.
  void load(View view);
  /// What a replica of that view shows: what it does not see has its default.
  nlohmann::json seen_by(View view) const;
  nlohmann::json all() const;

 private:
  struct GemModel {
    std::uint32_t slot;
    int power = 0;
    int flaw = 1;
  };
  struct ItemModel {
    std::uint32_t slot;
    int kind = 0;
    int count = 0;
    int glow = 0;
    int price = 0;
    std::vector<int> marks;
    std::map<std::string, GemModel> gems;
  };
  struct Sight;
  nlohmann::json show(const Sight& sight) const;
  static nlohmann::json show(const ItemModel& item, const Sight& sight);
  void perform_on_item(const Step& step);

  std::int64_t gold_ = 100;
  std::string nick_ = "nobody";
  Vec home_;
  int hidden_ = 0;
  int mood_ = 0;
  int strength_ = 3;
  int focus_ = 5;
  std::vector<int> marks_;
  std::map<std::string, int> prices_;
  std::map<std::int64_t, ItemModel> items_;
};

constexpr unsigned kHeroSteps = 20;  // kinds of steps that change a hero
void perform(Hero& hero, const Step& step);

}  // namespace starbus::entity::test
