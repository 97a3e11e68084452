/// The structure of a type as text: "i32", "[str]", "{i32,f64}". Two types with one signature have
/// the same bytes in an archive, whatever their names and whichever compiler built them, so peers
/// and saved data compare signatures. Found by running the type's own cereal function on a
/// default-constructed value; a class that writes other things depending on its value must say so
/// by a version of its own (CEREAL_CLASS_VERSION). Pure; from any thread.
#pragma once

#include <algorithm>
#include <typeindex>
#include <typeinfo>

#include "entity/archive/archive.hpp"

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

/// Collects the text; an output archive to cereal.
class SignatureArchive
    : public cereal::OutputArchive<SignatureArchive, cereal::AllowEmptyClassElision> {
 public:
  SignatureArchive()
      : cereal::OutputArchive<SignatureArchive, cereal::AllowEmptyClassElision>(this) {}
  /// Appends a part, after a comma unless it begins or ends a group.
  void add(std::string_view text) {
    const bool opens = text_.empty() || text_.back() == '{' || text_.back() == '[';
    if (!opens && text != "}" && text != "]") text_ += ',';
    text_ += text;
  }
  /// The braces of a class.
  void enter(const std::type_info& type) {
    add("{");
    inside_.emplace_back(type);
  }
  void leave() {
    inside_.pop_back();
    add("}");
  }
  /// The element type of containers whose default value is empty.
  template <class T>
  void element() {
    if (std::find(inside_.begin(), inside_.end(), typeid(T)) != inside_.end()) {
      add("^");  // a tree: the class contains itself
    } else {
      (*this)(T{});
    }
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::type_index> inside_;
};

template <class T>
void prologue(SignatureArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.enter(typeid(T));
}
template <class T>
void epilogue(SignatureArchive& archive, const T&) {
  if constexpr (CountedClass<T>) archive.leave();
}
template <Number T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const T&) {
  archive.add(number_signature<T>());
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::NameValuePair<T>& pair) {
  archive(pair.value);
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::SizeTag<T>&) {
  archive.add("n");
}
template <ByteData T>
void CEREAL_SAVE_FUNCTION_NAME(SignatureArchive& archive, const cereal::BinaryData<T>&) {
  archive.add("bytes");
}

}  // namespace archives
}  // namespace starbus::entity

namespace cereal {

template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::vector<T, A>&) {
  ar.add("["), ar.template element<T>(), ar.add("]");
}
template <class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::vector<bool, A>&) {
  ar.add("["), ar.template element<bool>(), ar.add("]");
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::deque<T, A>&) {
  ar.add("["), ar.template element<T>(), ar.add("]");
}
template <class T, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::list<T, A>&) {
  ar.add("["), ar.template element<T>(), ar.add("]");
}
template <class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::set<T, C, A>&) {
  ar.add("["), ar.template element<T>(), ar.add("]");
}
template <class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::unordered_set<T, H, E, A>&) {
  ar.add("["), ar.template element<T>(), ar.add("]");
}
template <class K, class T, class C, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::map<K, T, C, A>&) {
  ar.add("["), ar.template element<K>(), ar.template element<T>(), ar.add("]");
}
template <class K, class T, class H, class E, class A>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::unordered_map<K, T, H, E, A>&) {
  ar.add("["), ar.template element<K>(), ar.template element<T>(), ar.add("]");
}
template <class T>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::optional<T>&) {
  ar.add("?"), ar.template element<T>();
}
template <class First, class... Rest>
void CEREAL_SAVE_FUNCTION_NAME(starbus::entity::archives::SignatureArchive& ar,
                               const std::variant<First, Rest...>&) {
  ar.add("|"), ar.template element<First>(), (ar.template element<Rest>(), ...);
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

}  // namespace starbus::entity
