#include "tools/bots/state/state_rows.hpp"

#include <utility>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/state_fields.hpp"

namespace starbus::bots {
namespace {

using game::FieldRow;
using game::Operation;
using game::Part;
using game::StateReader;

template <class T>
void read_value(StateReader& in, void* field, const FieldRow&) {
  T read{};
  game::get_value(in, read);
  auto& value = *static_cast<StateValue*>(field);
  if constexpr (std::is_same_v<T, std::string>) {
    value.text = std::move(read);
  } else if constexpr (std::is_same_v<T, float>) {
    value.number = std::bit_cast<std::int32_t>(read);
  } else if constexpr (std::is_same_v<T, double>) {
    value.number = std::bit_cast<std::int64_t>(read);
  } else {
    value.number = static_cast<std::int64_t>(read);
  }
}
template <class T>
void apply_value(StateReader& in, Operation operation, void* field, const FieldRow& row) {
  if (operation != Operation::set) return in.refuse(game::Refusal::malformed);
  read_value<T>(in, field, row);
}
void no_element(StateReader& in, Part, void*, const FieldRow&) {
  in.refuse(game::Refusal::malformed);
}
template <class T>
constexpr game::FieldOps kOps{&read_value<T>, &apply_value<T>, &no_element, nullptr};

const game::FieldOps* ops_of(Type type) {
  switch (type) {
    case Type::b:
      return &kOps<bool>;
    case Type::i8:
      return &kOps<std::int8_t>;
    case Type::i16:
      return &kOps<std::int16_t>;
    case Type::i32:
      return &kOps<std::int32_t>;
    case Type::i64:
      return &kOps<std::int64_t>;
    case Type::u8:
      return &kOps<std::uint8_t>;
    case Type::u16:
      return &kOps<std::uint16_t>;
    case Type::u32:
      return &kOps<std::uint32_t>;
    case Type::u64:
      return &kOps<std::uint64_t>;
    case Type::f32:
      return &kOps<float>;
    case Type::f64:
      return &kOps<double>;
    case Type::str:
      break;
  }
  return &kOps<std::string>;
}

template <std::size_t I>
void* field_at(void* state) {
  return &static_cast<StateValues*>(state)->fields[I];
}
template <std::size_t... I>
constexpr std::array<void* (*)(void*), sizeof...(I)> fields_at(std::index_sequence<I...>) {
  return {&field_at<I>...};
}
constexpr auto kFieldAt = fields_at(std::make_index_sequence<kStateFields>());

/// Rows of one class for one audience.
struct Class {
  std::string name;
  std::vector<FieldRow> fields;
  game::ClassRow row{};
};

/// What the rows refer to.
struct Rows {
  std::vector<StateTable> states;
  std::array<Class, kStates> others;
  Class own;
  std::vector<game::SeenRow> seen;
  game::NameTable names{};
};
Rows& rows() {
  static Rows all;
  return all;
}

void make_class(const StateTable& state, bool own, Class& made) {
  made.name = state.properties + (own ? "" : "@others");
  made.fields.clear();
  for (std::size_t i = 0; i < state.fields.size(); ++i) {
    const StateTable::Field& field = state.fields[i];
    if (!own && !field.others) continue;
    made.fields.push_back({field.name, static_cast<std::uint8_t>(i + 1),
                           game::hash_of(name_of(field.type)), ops_of(field.type), kFieldAt[i],
                           nullptr, 0});
  }
  made.row = {made.name, 0, made.fields};  // no server has this hash: its names are waited for
}

/// A class of its own for each place, as Seen::as() tells them apart by.
template <std::size_t I>
struct SeenState : StateValues {
  static const game::ClassRow& row() { return rows().others[I].row; }
};
template <std::size_t I>
const StateValues* values_at(const game::Seen& seen, std::size_t& which) {
  const auto* const found = seen.as<SeenState<I>>();
  if (found != nullptr) which = I;
  return found;
}
template <std::size_t... I>
const StateValues* find_values(const game::Seen& seen, std::size_t& which,
                               std::index_sequence<I...>) {
  const StateValues* found = nullptr;
  static_cast<void>(((found = values_at<I>(seen, which)) || ...));
  return found;
}
template <std::size_t... I>
void add_seen(Rows& all, std::index_sequence<I...>) {
  const auto class_at = [&](std::size_t which) -> std::string_view {
    return which < all.states.size() ? std::string_view(all.states[which].of) : "";
  };
  const auto add = [&](std::size_t which, const game::SeenRow& row) {
    if (which < all.states.size()) all.seen.push_back(row);
  };
  (add(I, game::seen_row<SeenState<I>>(class_at(I))), ...);
}

}  // namespace

std::string to_string(const StateTable::Field& field, const StateValue& value) {
  if (field.type == Type::str) return field.name + " '" + value.text + "'";
  return field.name + " " + std::to_string(value.number);
}

const game::ClassRow& OwnState::row() {
  return rows().own.row;
}

void use_states(const std::vector<StateTable>& states) {
  Rows& all = rows();
  all.states = states;
  all.seen.clear();
  all.own = {};
  for (std::size_t i = 0; i < states.size(); ++i) {
    make_class(all.states[i], false, all.others[i]);
    if (all.states[i].own) make_class(all.states[i], true, all.own);
  }
  add_seen(all, std::make_index_sequence<kStates>());
}

std::span<const game::SeenRow> seen_states() {
  return rows().seen;
}

const game::NameTable* state_names() {
  return rows().states.empty() ? nullptr : &rows().names;
}

const StateValues* values_of(const game::Seen& seen, std::size_t& which) {
  return find_values(seen, which, std::make_index_sequence<kStates>());
}

}  // namespace starbus::bots
