// Written by `starbus client-code --language cpp --name heroes heroes.json`; do not edit it.
// clang-format off
#pragma once

#include "clients/cpp/space/seen.hpp"
#include "clients/cpp/stubs.hpp"
#include "clients/cpp/view.hpp"

namespace heroes {

namespace game = starbus::game;

/// `starbus::clients_test::Rank`: the schema has no names of its values.
enum class Rank : std::uint8_t {};
/// `starbus::clients_test::Refusal`: the schema has no names of its values.
enum class Refusal : std::uint8_t {};
struct Code;
struct Error;
struct Nothing;
struct Order;
struct Point;
struct Tree;

/// `starbus::Code`
struct Code {
  std::uint16_t field1{};
  std::uint16_t field2{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.field1);
    visit(self.field2);
  }
  friend bool operator==(const Code&, const Code&) = default;
};

/// `starbus::Error`
struct Error {
  Code field1{};
  std::string field2{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.field1);
    visit(self.field2);
  }
  friend bool operator==(const Error&, const Error&) = default;
};

/// `starbus::clients_test::Nothing`
struct Nothing {
  template <class Self, class Visit>
  static void each_field(Self&, Visit) {
  }
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

/// `starbus::clients_test::Order`
struct Order {
  std::int64_t item{};
  std::vector<std::string> notes{};
  std::optional<Rank> field3{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.item);
    visit(self.notes);
    visit(self.field3);
  }
  friend bool operator==(const Order&, const Order&) = default;
};

/// `starbus::clients_test::Point`
struct Point {
  float x{};
  float y{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.x);
    visit(self.y);
  }
  friend bool operator==(const Point&, const Point&) = default;
};

/// `starbus::clients_test::Tree`
struct Tree {
  std::int32_t value{};
  std::vector<Tree> below{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.value);
    visit(self.below);
  }
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// Properties `starbus::clients_test::Gem`, as their own client sees them.
struct Gem {
  std::int32_t power{};
  std::int32_t flaw{};
  friend bool operator==(const Gem&, const Gem&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& Gem::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&Gem::power>("power", 1, 0xcaa7f4a5),
      game::field_row<&Gem::flaw>("flaw", 2, 0xcaa7f4a5),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Gem", 0x8f60dbfc997f96be, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Gem`, as other clients see them.
struct GemSeen {
  std::int32_t power{};
  friend bool operator==(const GemSeen&, const GemSeen&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& GemSeen::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&GemSeen::power>("power", 1, 0xcaa7f4a5),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Gem@others", 0x8f60dbfc997f96be, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Stats`, as their own client sees them.
struct Stats {
  std::int32_t strength{};
  std::uint64_t seen{};
  friend bool operator==(const Stats&, const Stats&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& Stats::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&Stats::strength>("strength", 1, 0xcaa7f4a5),
      game::field_row<&Stats::seen>("seen", 2, 0x79fae712),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Stats", 0x55e595887e58fab6, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Item`, as their own client sees them.
struct Item {
  std::int32_t kind{};
  std::int32_t count{};
  game::Bag<std::string, Gem> gems{};
  friend bool operator==(const Item&, const Item&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& Item::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&Item::kind>("kind", 1, 0xcaa7f4a5),
      game::field_row<&Item::count>("count", 2, 0xcaa7f4a5),
      game::field_row<&Item::gems>("gems", 5, 0xbe75a5cf, 3),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Item", 0x5577b054574450d7, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Hero`, as their own client sees them.
struct HeroState {
  std::int64_t gold{};
  std::string nick{};
  Point at{};
  std::vector<std::int32_t> route{};
  Stats stats{};
  std::vector<std::string> marks{};
  std::map<std::string, std::int32_t> prices{};
  std::map<std::int64_t, Point> places{};
  game::Bag<std::int64_t, Item> items{};
  friend bool operator==(const HeroState&, const HeroState&) = default;
  static const game::ClassRow& row();

  /// Hears of changes, after all that came at once are made.
  class Watch {
   public:
    virtual ~Watch() = default;
    virtual void state_changed(const HeroState&) {}
    virtual void gold_changed(const std::int64_t&) {}
    virtual void nick_changed(const std::string&) {}
    virtual void at_changed(const Point&) {}
    virtual void route_changed(const std::vector<std::int32_t>&) {}
    virtual void stats_changed(const Stats&) {}
    virtual void marks_changed(const std::vector<std::string>&) {}
    virtual void prices_changed(const std::map<std::string, std::int32_t>&) {}
    virtual void places_changed(const std::map<std::int64_t, Point>&) {}
    virtual void items_changed(const game::Bag<std::int64_t, Item>&) {}
    void tell(const HeroState& state, const game::Changed& changed) {
      if (changed[0]) gold_changed(state.gold);
      if (changed[1]) nick_changed(state.nick);
      if (changed[2]) at_changed(state.at);
      if (changed[3]) route_changed(state.route);
      if (changed[4]) stats_changed(state.stats);
      if (changed[5]) marks_changed(state.marks);
      if (changed[6]) prices_changed(state.prices);
      if (changed[7]) places_changed(state.places);
      if (changed[8]) items_changed(state.items);
      state_changed(state);
    }
  };
};
inline const game::ClassRow& HeroState::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&HeroState::gold>("gold", 1, 0xc69b2266),
      game::field_row<&HeroState::nick>("nick", 2, 0xc24bd190),
      game::field_row<&HeroState::at>("at", 5, 0x37cd9255),
      game::field_row<&HeroState::route>("route", 6, 0xefd0e2d1),
      game::field_row<&HeroState::stats>("stats", 7, 0x62a0d9d2),
      game::field_row<&HeroState::marks>("marks", 8, 0x05fb26d4),
      game::field_row<&HeroState::prices>("prices", 9, 0x786480c2),
      game::field_row<&HeroState::places>("places", 10, 0xd49ebedc),
      game::field_row<&HeroState::items>("items", 11, 0xfa72f206, 4),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Hero", 0xa7251b84e098f6a6, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Stats`, as other clients see them.
struct StatsSeen {
  std::int32_t strength{};
  friend bool operator==(const StatsSeen&, const StatsSeen&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& StatsSeen::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&StatsSeen::strength>("strength", 1, 0xcaa7f4a5),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Stats@others", 0x55e595887e58fab6, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Item`, as other clients see them.
struct ItemSeen {
  std::int32_t kind{};
  std::int32_t glow{};
  game::Bag<std::string, GemSeen> gems{};
  friend bool operator==(const ItemSeen&, const ItemSeen&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& ItemSeen::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&ItemSeen::kind>("kind", 1, 0xcaa7f4a5),
      game::field_row<&ItemSeen::glow>("glow", 3, 0xcaa7f4a5),
      game::field_row<&ItemSeen::gems>("gems", 5, 0x42a8bd24, 3),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Item@others", 0x5577b054574450d7, kFields};
  return kRow;
}

/// Properties `starbus::clients_test::Hero`, as other clients see them.
struct HeroSeen {
  std::string nick{};
  std::int32_t mood{};
  Point at{};
  StatsSeen stats{};
  game::Bag<std::int64_t, ItemSeen> items{};
  friend bool operator==(const HeroSeen&, const HeroSeen&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& HeroSeen::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&HeroSeen::nick>("nick", 2, 0xc24bd190),
      game::field_row<&HeroSeen::mood>("mood", 4, 0xcaa7f4a5),
      game::field_row<&HeroSeen::at>("at", 5, 0x37cd9255),
      game::field_row<&HeroSeen::stats>("stats", 7, 0x45e8b8f5),
      game::field_row<&HeroSeen::items>("items", 11, 0xa5a43381, 4),
  };
  static constexpr game::ClassRow kRow{"starbus::clients_test::Hero@others", 0xa7251b84e098f6a6, kFields};
  return kRow;
}

/// What a client asks: `shop`.
class ShopCalls {
 public:
  explicit ShopCalls(const game::Asker& asker) : asker_(asker) {}
  game::Asked buy(std::int64_t arg1, const std::string& arg2, std::function<void(const game::Answered<std::int32_t, Error>&)> told) const {
    return asker_.ask<std::int32_t, Error>(0xb3f5b22b, 0x0e54d423, std::move(told), arg1, arg2);
  }
  game::Asked haggle(const Order& arg1, std::function<void(const game::Answered<Order, Refusal>&)> told) const {
    return asker_.ask<Order, Refusal>(0xdc64c62b, 0x053a19e1, std::move(told), arg1);
  }
  game::Asked leave(std::function<void(const game::Answered<game::Nothing, game::Nothing>&)> told) const {
    return asker_.ask<game::Nothing, game::Nothing>(0x03ae4a80, 0xcbed20b1, std::move(told));
  }

 protected:
  game::Asker asker_;
};

/// A client that plays a `hero`.
class Hero : public ShopCalls {
 public:
  using State = HeroState;
  explicit Hero(const game::Asker& asker) : ShopCalls(asker) {}
};

/// What the server calls at the client: `hero_client`.
class HeroClient {
 public:
  virtual ~HeroClient() = default;
  virtual void said(const std::string& arg1, const std::string& arg2) = 0;
  virtual void shown(const Tree& arg1, const std::variant<std::int32_t, std::string>& arg2, const std::tuple<std::int32_t, std::string, bool>& arg3, const std::vector<std::string>& arg4, const std::array<std::int32_t, 3>& arg5, const std::map<std::string, std::int64_t>& arg6, const std::optional<Order>& arg7, std::chrono::duration<std::int64_t, std::ratio<1, 1000>> arg8, const Nothing& arg9, double arg10, const game::Bytes& arg11) = 0;
  /// Hands a call to the function above that it is for.
  game::Heard hear(const game::Call& call) {
    switch (call.method) {
      case 0x3d4d71c4:
        return game::hear_call<std::string, std::string>(call, 0xac607060, [this](const auto&... each) { this->said(each...); });
      case 0x46cb8d2e:
        return game::hear_call<Tree, std::variant<std::int32_t, std::string>, std::tuple<std::int32_t, std::string, bool>, std::vector<std::string>, std::array<std::int32_t, 3>, std::map<std::string, std::int64_t>, std::optional<Order>, std::chrono::duration<std::int64_t, std::ratio<1, 1000>>, Nothing, double, game::Bytes>(call, 0x0c76351e, [this](const auto&... each) { this->shown(each...); });
      default:
        return game::Heard::unknown;
    }
  }
};

/// `client_hash` of each schema that this was written from.
inline constexpr std::uint64_t kHashes[] = {0x0000000000000001};

/// For game::Settings::names.
inline const game::NameTable& names() {
  static constexpr game::NameRow kMethods[] = {
      {game::Side::asks, "shop.buy", 0x0e54d423},
      {game::Side::asks, "shop.haggle", 0x053a19e1},
      {game::Side::asks, "shop.leave", 0xcbed20b1},
      {game::Side::hears, "hero_client.said", 0xac607060},
      {game::Side::hears, "hero_client.shown", 0x0c76351e},
  };
  static const game::ClassRow* const kClasses[] = {
      &Gem::row(),
      &GemSeen::row(),
      &HeroState::row(),
      &HeroSeen::row(),
      &Item::row(),
      &ItemSeen::row(),
      &Stats::row(),
      &StatsSeen::row(),
  };
  static const game::NameTable kTable{kHashes, kMethods, kClasses};
  return kTable;
}

/// Entities as other clients see them, for game::SpaceView.
inline std::span<const game::SeenRow> seen() {
  static constexpr game::SeenRow kRows[] = {
      game::seen_row<HeroSeen>("hero"),
  };
  return kRows;
}

}  // namespace heroes
