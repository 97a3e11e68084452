#include "tests/entity/properties/world.hpp"

#include <algorithm>
#include <ostream>

namespace starbus::entity::test {

std::ostream& operator<<(std::ostream& out, const Step& step) {
  return out << "{" << step.what << "," << step.a << "," << step.b << "," << step.c << "}";
}

namespace {

std::string text_of(int number) {
  return std::string(static_cast<std::size_t>(number % 3 + 1), static_cast<char>('a' + number % 5));
}

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

// The first slot below `capacity` that no element has; `capacity` if there is none.
template <class Elements>
std::uint32_t first_free(const Elements& elements, std::uint32_t capacity) {
  for (std::uint32_t slot = 0; slot < capacity; ++slot) {
    const bool taken = std::any_of(elements.begin(), elements.end(),
                                   [&](const auto& entry) { return entry.second.slot == slot; });
    if (!taken) return slot;
  }
  return capacity;
}

template <class Elements, class Element>
void move_to(Elements& elements, Element& element, std::uint32_t slot) {
  for (auto& [key, other] : elements) {
    if (other.slot == slot) other.slot = element.slot;
  }
  element.slot = slot;
}

}  // namespace

void perform(Hero& hero, const Step& step) {
  const std::int64_t key = step.a % 6;
  Item* item = hero.items.edit(key);
  switch (step.what) {
    case 0:
      hero.gold += step.a;
      break;
    case 1:
      hero.nick = text_of(step.a);
      break;
    case 2:
      hero.home = Vec{static_cast<float>(step.a), static_cast<float>(step.b)};
      break;
    case 3:
      hero.hidden = step.a;
      break;
    case 4:
      hero.mood = step.a;
      break;
    case 5:
      hero.stats->strength = step.a;
      break;
    case 6:
      hero.stats->focus = step.a;
      break;
    case 7:
      (void)hero.marks.push_back(step.a);
      break;
    case 8:
      if (step.a % 4 == 0) {
        (void)hero.marks.pop_back();
      } else if (step.a % 4 == 1) {
        (void)hero.marks.set_at(at(step.b), step.c);
      } else if (step.a % 4 == 2) {
        (void)hero.marks.insert_at(at(step.b), step.c);
      } else {
        (void)hero.marks.erase_at(at(step.b));
      }
      break;
    case 9:
      if (step.a % 3 == 0) {
        (void)hero.marks.clear();
      } else {
        hero.marks = std::vector<int>{step.b, step.c};
      }
      break;
    case 10:
      (void)hero.prices.put(text_of(step.a), step.b);
      break;
    case 11:
      (void)hero.prices.erase(text_of(step.a));
      break;
    case 12:
      if (step.a % 3 == 0) {
        (void)hero.prices.clear();
      } else {
        hero.prices = std::map<std::string, int>{{text_of(step.b), 1}, {text_of(step.c), 2}};
      }
      break;
    case 13: {
      Item fresh;
      fresh.kind = step.b;
      fresh.count = step.c;
      fresh.glow = 2 * step.c;
      (void)fresh.marks.push_back(step.b);
      if (step.b % 2 == 0) (void)fresh.gems.insert("x", Gem{});
      (void)hero.items.insert(key, std::move(fresh));
      break;
    }
    case 14:
      (void)hero.items.erase(key);
      break;
    case 15:
      (void)hero.items.move(key, static_cast<std::uint32_t>(step.b % 5));
      break;
    case 16:
      if (step.b == 0) (void)hero.items.clear();
      break;
    case 17:
      if (item == nullptr) break;
      item->kind = step.b;
      item->count += 1;
      item->glow = step.c;
      item->price = step.c;
      break;
    case 18:
      if (item == nullptr) break;
      if (step.b % 3 == 0) {
        (void)item->marks.erase_at(at(step.c));
      } else {
        (void)item->marks.push_back(step.c);
      }
      break;
    default:
      if (item == nullptr) break;
      const std::string gem = text_of(step.b);
      switch (step.c % 4) {
        case 0:
          (void)item->gems.insert(gem);
          break;
        case 1:
          (void)item->gems.erase(gem);
          break;
        case 2:
          (void)item->gems.move(gem, static_cast<std::uint32_t>(step.b % 3));
          break;
        default:
          if (Gem* in = item->gems.edit(gem); in != nullptr) {
            in->power = step.b;
            in->flaw += 1;
          }
          break;
      }
      break;
  }
}

void Model::perform(const Step& step) {
  const std::size_t b = at(step.b);
  switch (step.what) {
    case 0:
      gold_ += step.a;
      break;
    case 1:
      nick_ = text_of(step.a);
      break;
    case 2:
      home_ = {static_cast<float>(step.a), static_cast<float>(step.b)};
      break;
    case 3:
      hidden_ = step.a;
      break;
    case 4:
      mood_ = step.a;
      break;
    case 5:
      strength_ = step.a;
      break;
    case 6:
      focus_ = step.a;
      break;
    case 7:
      marks_.push_back(step.a);
      break;
    case 8:
      if (step.a % 4 == 0 && !marks_.empty()) marks_.pop_back();
      if (step.a % 4 == 1 && b < marks_.size()) marks_[b] = step.c;
      if (step.a % 4 == 2 && b <= marks_.size()) {
        marks_.insert(marks_.begin() + step.b, step.c);
      }
      if (step.a % 4 == 3 && b < marks_.size()) marks_.erase(marks_.begin() + step.b);
      break;
    case 9:
      marks_ = step.a % 3 == 0 ? std::vector<int>{} : std::vector<int>{step.b, step.c};
      break;
    case 10:
      prices_[text_of(step.a)] = step.b;
      break;
    case 11:
      prices_.erase(text_of(step.a));
      break;
    case 12:
      prices_.clear();
      if (step.a % 3 != 0) prices_ = {{text_of(step.b), 1}, {text_of(step.c), 2}};
      break;
    default:
      perform_on_item(step);
      break;
  }
}

void Model::perform_on_item(const Step& step) {
  const std::int64_t key = step.a % 6;
  if (step.what == 13) {
    const std::uint32_t slot = first_free(items_, 4);
    if (slot == 4 || items_.contains(key)) return;
    ItemModel fresh{slot, step.b, step.c, 2 * step.c, 0, {step.b}, {}};
    if (step.b % 2 == 0) fresh.gems.emplace("x", GemModel{0});
    items_.emplace(key, fresh);
    return;
  }
  if (step.what == 16) {
    if (step.b == 0) items_.clear();
    return;
  }
  const auto found = items_.find(key);
  if (found == items_.end()) return;
  ItemModel& item = found->second;
  if (step.what == 14) {
    items_.erase(found);
  } else if (step.what == 15) {
    if (step.b % 5 < 4) move_to(items_, item, static_cast<std::uint32_t>(step.b % 5));
  } else if (step.what == 17) {
    item.kind = step.b;
    item.count += 1;
    item.glow = step.c;
    item.price = step.c;
  } else if (step.what == 18) {
    if (step.b % 3 != 0) {
      item.marks.push_back(step.c);
    } else if (at(step.c) < item.marks.size()) {
      item.marks.erase(item.marks.begin() + step.c);
    }
  } else {
    const std::string gem = text_of(step.b);
    const auto there = item.gems.find(gem);
    if (step.c % 4 == 0) {
      const std::uint32_t slot = first_free(item.gems, 3);
      if (there == item.gems.end() && slot < 3) item.gems.emplace(gem, GemModel{slot});
    } else if (there == item.gems.end()) {
      return;
    } else if (step.c % 4 == 1) {
      item.gems.erase(there);
    } else if (step.c % 4 == 2) {
      move_to(item.gems, there->second, static_cast<std::uint32_t>(step.b % 3));
    } else {
      there->second.power = step.b;
      there->second.flaw += 1;
    }
  }
}

// Which parts a view shows, by hand from the declarations in world.hpp.
struct Model::Sight {
  bool gold, home, hidden, mood, focus, marks, prices, body;  // body: nick, stats, items
  bool count, glow, price, flaw;
};

nlohmann::json Model::seen_by(View view) const {
  switch (view) {
    case View::ghost:
      return show({false, true, false, true, false, false, false, true, false, true, false, false});
    case View::other_clients:
      return show(
          {false, false, false, true, false, false, false, true, false, true, false, false});
    case View::own_client:
      return show({true, false, false, false, true, true, true, true, true, false, false, true});
    case View::save:
      return show({true, false, false, false, false, false, true, true, true, false, false, true});
    case View::cache:
      return show(
          {false, false, false, false, false, false, true, false, false, false, false, false});
    case View::migration:
      return show({true, true, true, true, true, true, true, true, true, true, true, true});
  }
  return {};
}

void Model::load(View view) {
  const Model fresh;
  if (view == View::save) {
    home_ = fresh.home_;
    hidden_ = fresh.hidden_;
    mood_ = fresh.mood_;
    focus_ = fresh.focus_;  // per_space: it is not saved
    marks_ = fresh.marks_;
    for (auto& [key, item] : items_) item.glow = item.price = 0;
  }
}

nlohmann::json Model::all() const {
  return show({true, true, true, true, true, true, true, true, true, true, true, true});
}

nlohmann::json Model::show(const Sight& sight) const {
  const Model fresh;
  nlohmann::json items = nlohmann::json::object();
  for (const auto& [key, item] : items_) {
    if (!sight.body) break;
    items[std::to_string(key)] = {{"slot", item.slot}, {"item", show(item, sight)}};
  }
  const Vec home = sight.home ? home_ : fresh.home_;
  return {{"gold", sight.gold ? gold_ : fresh.gold_},
          {"nick", sight.body ? nick_ : fresh.nick_},
          {"home", {{"x", home.x}, {"y", home.y}}},
          {"hidden", sight.hidden ? hidden_ : fresh.hidden_},
          {"mood", sight.mood ? mood_ : fresh.mood_},
          {"stats",
           {{"strength", sight.body ? strength_ : fresh.strength_},
            {"focus", sight.focus ? focus_ : fresh.focus_}}},
          {"marks", sight.marks ? marks_ : fresh.marks_},
          {"prices", sight.prices ? prices_ : fresh.prices_},
          {"items", items}};
}

nlohmann::json Model::show(const ItemModel& item, const Sight& sight) {
  nlohmann::json gems = nlohmann::json::object();
  for (const auto& [key, gem] : item.gems) {
    gems[key] = {{"slot", gem.slot},
                 {"item", {{"power", gem.power}, {"flaw", sight.flaw ? gem.flaw : 1}}}};
  }
  return {{"kind", item.kind},
          {"count", sight.count ? item.count : 0},
          {"glow", sight.glow ? item.glow : 0},
          {"price", sight.price ? item.price : 0},
          {"marks", item.marks},
          {"gems", gems}};
}

}  // namespace starbus::entity::test
