// Written by `starbus client-code --language cpp --name odd odd.json`; do not edit it.
// clang-format off
#pragma once

#include "clients/cpp/space/seen.hpp"
#include "clients/cpp/stubs.hpp"
#include "clients/cpp/view.hpp"

namespace odd {

namespace game = starbus::game;

/// `ns::Color`: the schema has no names of its values.
enum class Color : std::uint8_t {};
struct union_;
struct other_union;

/// `ns::union`
struct union_ {
  Color template_{};
  std::array<std::uint8_t, 4> field2{};
  template <class Self, class Visit>
  static void each_field(Self& self, Visit visit) {
    visit(self.template_);
    visit(self.field2);
  }
  friend bool operator==(const union_&, const union_&) = default;
};

/// `other::union`
struct other_union {
  template <class Self, class Visit>
  static void each_field(Self&, Visit) {
  }
  friend bool operator==(const other_union&, const other_union&) = default;
};

/// Properties `ns::Item`, as their own client sees them.
struct Item {
  std::chrono::duration<std::uint32_t, std::ratio<1, 60>> _1st{};
  friend bool operator==(const Item&, const Item&) = default;
  static const game::ClassRow& row();
};
inline const game::ClassRow& Item::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&Item::_1st>("1st", 1, 0xe10c2473),
  };
  static constexpr game::ClassRow kRow{"ns::Item", 0x00000000000000ee, kFields};
  return kRow;
}

/// Properties `ns::(anonymous namespace)::State<int>`, as their own client sees them.
struct State_intState {
  std::int32_t int_{};
  union_ row_2{};
  game::Bag<std::int64_t, Item> x_y{};
  std::map<Color, bool> Watch_2{};
  friend bool operator==(const State_intState&, const State_intState&) = default;
  static const game::ClassRow& row();

  /// Hears of changes, after all that came at once are made.
  class Watch {
   public:
    virtual ~Watch() = default;
    virtual void state_changed(const State_intState&) {}
    virtual void int_changed(const std::int32_t&) {}
    virtual void row_changed(const union_&) {}
    virtual void x_y_changed(const game::Bag<std::int64_t, Item>&) {}
    virtual void Watch_changed(const std::map<Color, bool>&) {}
    void tell(const State_intState& state, const game::Changed& changed) {
      if (changed[0]) int_changed(state.int_);
      if (changed[1]) row_changed(state.row_2);
      if (changed[2]) x_y_changed(state.x_y);
      if (changed[3]) Watch_changed(state.Watch_2);
      state_changed(state);
    }
  };
};
inline const game::ClassRow& State_intState::row() {
  static constexpr game::FieldRow kFields[] = {
      game::field_row<&State_intState::int_>("int", 1, 0xcaa7f4a5),
      game::field_row<&State_intState::row_2>("row", 2, 0x5465b825),
      game::field_row<&State_intState::x_y>("x y", 4, 0xe358f128, 2),
      game::field_row<&State_intState::Watch_2>("Watch", 5, 0xe80c2f78),
  };
  static constexpr game::ClassRow kRow{"ns::(anonymous namespace)::State<int>", 0x00000000000000cc, kFields};
  return kRow;
}

// `ns::Blob` is left out: a field of it is opaque.

/// What a client asks: `base`.
class BaseCalls {
 public:
  explicit BaseCalls(const game::Asker& asker) : asker_(asker) {}
  game::Asked client(std::uint8_t arg1, std::function<void(const game::Answered<game::Nothing, game::Nothing>&)> told) const {
    return asker_.ask<game::Nothing, game::Nothing>(0x94931031, 0x092f0ca8, std::move(told), arg1);
  }
  game::Asked delete_(std::function<void(const game::Answered<bool, game::Nothing>&)> told) const {
    return asker_.ask<bool, game::Nothing>(0xa21baa7d, 0x89b5bc34, std::move(told));
  }

 protected:
  game::Asker asker_;
};

/// What a client asks: `class`.
class ClassCalls : public BaseCalls {
 public:
  explicit ClassCalls(const game::Asker& asker) : BaseCalls(asker) {}
  game::Asked a_b(const union_& arg1, std::function<void(const game::Answered<std::vector<other_union>, game::Nothing>&)> told) const {
    return asker_.ask<std::vector<other_union>, game::Nothing>(0x73eadde9, 0xf2403f5d, std::move(told), arg1);
  }
  game::Asked a_b_2(std::function<void(const game::Answered<game::Nothing, game::Nothing>&)> told) const {
    return asker_.ask<game::Nothing, game::Nothing>(0x832006bb, 0x0262eacf, std::move(told));
  }
  // `blob` is left out: a type of it is opaque.
  game::Asked delete_2(const std::string& arg1, std::function<void(const game::Answered<bool, game::Nothing>&)> told) const {
    return asker_.ask<bool, game::Nothing>(0x0ca89b20, 0x89b5bc34, std::move(told), arg1);
  }
};

/// What a client asks: `parts`.
class PartsCalls {
 public:
  explicit PartsCalls(const game::Asker& asker) : asker_(asker) {}
  game::Asked constructor(const std::variant<std::int32_t, std::optional<std::string>>& arg1, std::function<void(const game::Answered<std::map<std::string, std::vector<std::int64_t>>, game::Nothing>&)> told) const {
    return asker_.ask<std::map<std::string, std::vector<std::int64_t>>, game::Nothing>(0x9f721fd3, 0xd5cb2d2d, std::move(told), arg1);
  }

 protected:
  game::Asker asker_;
};

/// A client that plays a `base`.
class Base : public BaseCalls {
 public:
  explicit Base(const game::Asker& asker) : BaseCalls(asker) {}
};

/// A client that plays a `class`.
class Class : public ClassCalls {
 public:
  using State = State_intState;
  explicit Class(const game::Asker& asker) : ClassCalls(asker), new_(asker) {}
  PartsCalls new_;  // component `new`
};

/// What the server calls at the client: `client`.
class Client {
 public:
  virtual ~Client() = default;
  virtual void hear_2(std::int32_t arg1) = 0;
  virtual void operator_(const std::tuple<>& arg1) = 0;
  // `raw` is left out: a type of it is opaque.
  /// Hands a call to the function above that it is for.
  game::Heard hear(const game::Call& call) {
    switch (call.method) {
      case 0x06561270:
        return game::hear_call<std::int32_t>(call, 0x66155f3b, [this](const auto&... each) { this->hear_2(each...); });
      case 0xe458fac0:
        return game::hear_call<std::tuple<>>(call, 0x98170b67, [this](const auto&... each) { this->operator_(each...); });
      default:
        return game::Heard::unknown;
    }
  }
};

/// `client_hash` of each schema that this was written from.
inline constexpr std::uint64_t kHashes[] = {0x00000000000000bb};

/// For game::Settings::names.
inline const game::NameTable& names() {
  static constexpr game::NameRow kMethods[] = {
      {game::Side::asks, "base.client", 0x092f0ca8},
      {game::Side::asks, "base.delete", 0x89b5bc34},
      {game::Side::asks, "class.a-b", 0xf2403f5d},
      {game::Side::asks, "class.a_b", 0x0262eacf},
      {game::Side::asks, "class.blob", 0xaecc25b0},
      {game::Side::asks, "class.delete", 0x89b5bc34},
      {game::Side::asks, "parts.constructor", 0xd5cb2d2d},
      {game::Side::hears, "client.hear", 0x66155f3b},
      {game::Side::hears, "client.operator", 0x98170b67},
      {game::Side::hears, "client.raw", 0x5ea1c507},
  };
  static const game::ClassRow* const kClasses[] = {
      &State_intState::row(),
      &Item::row(),
  };
  static const game::NameTable kTable{kHashes, kMethods, kClasses};
  return kTable;
}

/// Entities as other clients see them, for game::SpaceView.
inline std::span<const game::SeenRow> seen() {
  return {};
}

}  // namespace odd
