/// The structure of a type as text: "i32", "[str]", "{i32,f64}". Two types with one signature have
/// the same bytes in an archive, whatever their names and whichever compiler built them, so peers
/// and saved data compare signatures. Found by running the type's own cereal function on a
/// default-constructed value; a class that writes other things depending on its value must say so
/// by a version of its own (CEREAL_CLASS_VERSION). Pure; from any thread.
#pragma once

#include <chrono>
#include <typeindex>
#include <typeinfo>

#include "entity/archive/archive.hpp"
#include "entity/archive/type_table.hpp"

namespace starbus::entity {

/// FNV-1a (Fowler, Noll, Vo), 64 bits.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325);

/// "b", "i8".."i64", "u8".."u64", "f32", "f64".
template <Number T>
std::string number_signature() {
  if constexpr (std::is_enum_v<T>) {
    return number_signature<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "b";
  } else {
    const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    return kind + std::to_string(sizeof(T) * 8);
  }
}

namespace archives {

/// What a class is to a description.
template <class T>
inline constexpr TypeTable::Details kDetails{};
template <>
inline constexpr TypeTable::Details kDetails<std::string>{TypeTable::Form::text};
template <class T, std::size_t N>
inline constexpr TypeTable::Details kDetails<std::array<T, N>>{TypeTable::Form::array, N};
template <class First, class Second>
inline constexpr TypeTable::Details kDetails<std::pair<First, Second>>{TypeTable::Form::tuple};
template <class... T>
inline constexpr TypeTable::Details kDetails<std::tuple<T...>>{TypeTable::Form::tuple};
template <class T, class Period>
inline constexpr TypeTable::Details kDetails<std::chrono::duration<T, Period>>{
    TypeTable::Form::duration, static_cast<std::uint64_t>(Period::num),
    static_cast<std::uint64_t>(Period::den)};
template <class T>
requires requires {
  typename T::Referred;
}
inline constexpr TypeTable::Details kDetails<T>{TypeTable::Form::reference};

/// Collects the text, or fills a table; an output archive to cereal.
class SignatureArchive
    : public cereal::OutputArchive<SignatureArchive, cereal::AllowEmptyClassElision> {
 public:
  using Group = TypeTable::Group;

  /// Null: the text. The table outlives it.
  explicit SignatureArchive(TypeTable* table = nullptr);
  /// A class begins, and ends.
  void enter(const std::type_info& type, const TypeTable::Details& details);
  void leave();
  /// A container begins, and ends: in between come its types, as element().
  void open(Group group);
  void close(Group group);
  void number(std::string_view signature);
  void name_next(const char* name);
  void enum_next(const std::type_info& type);
  /// What only the class knows: the count of something, and bytes.
  void opaque(std::string_view text, std::string_view what);
  /// The element type of containers whose default value is empty.
  template <class T>
  void element() {
    if (!again(typeid(T))) (*this)(T{});
  }
  template <class... T>
  void elements(Group group) {
    open(group);
    (element<T>(), ...);
    close(group);
  }
  const std::string& text() const { return text_; }

 private:
  void add(std::string_view text);
  /// A tree: the class contains itself.
  bool again(const std::type_info& type);

  TypeTable* const table_;
  std::string text_;
  std::vector<std::type_index> inside_;
};

template <class T>
void prologue(SignatureArchive& archive, const T&) {
  if constexpr (std::is_enum_v<T>) archive.enum_next(typeid(T));
  if constexpr (CountedClass<T>) archive.enter(typeid(T), kDetails<T>);
}
template <class T>
void epilogue(SignatureArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.leave();
}
template <Number T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const T&) {
  archive.number(number_signature<T>());
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::NameValuePair<T>& pair) {
  archive.name_next(pair.name);
  archive(pair.value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::SizeTag<T>&) {
  archive.opaque("n", "size");
}
template <ByteData T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::BinaryData<T>&) {
  archive.opaque("bytes", "raw");
}

}  // namespace archives
}  // namespace starbus::entity

namespace cereal {

template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::vector<T, A>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::list);
}
template <class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::vector<bool, A>&) {
  ar.template elements<bool>(starbus::entity::TypeTable::Group::list);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::deque<T, A>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::list);
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::list<T, A>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::list);
}
template <class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::set<T, C, A>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::set);
}
template <class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::unordered_set<T, H, E, A>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::set);
}
template <class K, class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::map<K, T, C, A>&) {
  ar.template elements<K, T>(starbus::entity::TypeTable::Group::map);
}
template <class K, class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::unordered_map<K, T, H, E, A>&) {
  ar.template elements<K, T>(starbus::entity::TypeTable::Group::map);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::optional<T>&) {
  ar.template elements<T>(starbus::entity::TypeTable::Group::optional);
}
template <class First, class... Rest>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::variant<First, Rest...>&) {
  ar.template elements<First, Rest...>(starbus::entity::TypeTable::Group::variant);
}

}  // namespace cereal

namespace starbus::entity {

/// The signature of T, which is default-constructible.
template <class T>
std::string signature_of() {
  if constexpr (Number<T>) {
    return number_signature<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "str";
  } else {
    archives::SignatureArchive archive;
    archive(T{});
    return archive.text();
  }
}

/// The description of T, which is default-constructible, as JSON; structs are in the table.
template <class T>
std::string type_of(TypeTable& types) {
  types.begin();
  if constexpr (Number<T>) {
    if constexpr (std::is_enum_v<T>) types.enum_next(typeid(T));
    types.number(number_signature<T>());
  } else if constexpr (std::is_same_v<T, std::string>) {
    types.text();
  } else {
    archives::SignatureArchive archive(&types);
    archive(T{});
  }
  return types.end();
}
/// The description, or without a table the signature.
template <class T>
std::string described(TypeTable* types) {
  return types == nullptr ? signature_of<T>() : type_of<T>(*types);
}

}  // namespace starbus::entity
