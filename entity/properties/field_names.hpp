#pragma once

#include <string_view>
#include <type_traits>

/// The fields of a class, each under the name that it has there:
///
///   struct PlayerState : entity::Properties<PlayerState> {
///     STARBUS_FIELDS(                                            // declarations, as anywhere else
///         Field<int, all_clients | save> level{*this, 1};        // "level", at first 1
///         Bag<Item, own_client | save> items{*this, 60};)
///   };
///
/// It declares them as they stand, and keeps their text: names are read from it when the schema is
/// made, once. One such list in a class, without directives (#if) in it. Beside it, `{this,
/// "name"}` declares a field under another name, as that of one that was renamed and is saved.
#define STARBUS_FIELDS(...)                                      \
  static constexpr ::std::string_view kFieldText = #__VA_ARGS__; \
  __VA_ARGS__

namespace starbus::entity {

class StructBase;

/// The text of the declarations of a class, of which a field is the next one.
struct FieldText {
  std::string_view text;
};

/// The name of declaration `number`, counted from 0: the word in front of "{*this". Empty: there
/// are fewer.
std::string_view declared_field(std::string_view text, std::size_t number);

/// What a field takes in place of `this` and a name.
template <class Owner>
concept FieldOwner = std::is_base_of_v<StructBase, Owner>;

/// Whether a class has declared fields so.
template <class Owner>
inline constexpr bool has_a_list_of_fields = requires {
  Owner::kFieldText;
};
/// Named in the compiler's message where a field has no name.
template <class Owner>
struct field_without_a_name {
  static_assert(has_a_list_of_fields<Owner>,
                "a field with {*this} stands within STARBUS_FIELDS(...) of its class; anywhere "
                "else it is declared with its name, {this, \"name\"}");
};

/// The text in which a class declares its fields.
template <FieldOwner Owner>
constexpr FieldText field_text() {
  if constexpr (sizeof(field_without_a_name<Owner>) > 0 && has_a_list_of_fields<Owner>) {
    return {Owner::kFieldText};
  } else {
    return {};
  }
}

}  // namespace starbus::entity
