/// Whether encode and decode of archive.hpp take a type, asked before cereal is: its own answer to
/// a class without `serialize` is a hundred lines long. Pure; no thread.
#pragma once

#include "entity/archive/archive.hpp"

namespace starbus::entity {

/// True if values of T can be written and read. Elements of the standard containers count.
template <class T>
inline constexpr bool archivable =
    kPlainValue<T> || (cereal::traits::is_output_serializable<T, archives::OutputArchive>::value &&
                       cereal::traits::is_input_serializable<T, archives::InputArchive>::value);
template <class T, class A>
inline constexpr bool archivable<std::vector<T, A>> = archivable<T>;
template <class T, class A>
inline constexpr bool archivable<std::deque<T, A>> = archivable<T>;
template <class T, class A>
inline constexpr bool archivable<std::list<T, A>> = archivable<T>;
template <class T, std::size_t N>
inline constexpr bool archivable<std::array<T, N>> = archivable<T>;
template <class T, class C, class A>
inline constexpr bool archivable<std::set<T, C, A>> = archivable<T>;
template <class T, class H, class E, class A>
inline constexpr bool archivable<std::unordered_set<T, H, E, A>> = archivable<T>;
template <class K, class T, class C, class A>
inline constexpr bool archivable<std::map<K, T, C, A>> = archivable<K>&& archivable<T>;
template <class K, class T, class H, class E, class A>
inline constexpr bool archivable<std::unordered_map<K, T, H, E, A>> = archivable<K>&& archivable<T>;
template <class First, class Second>
inline constexpr bool archivable<std::pair<First, Second>> =
    archivable<std::remove_const_t<First>>&& archivable<std::remove_const_t<Second>>;
template <class... Parts>
inline constexpr bool archivable<std::tuple<Parts...>> = (archivable<Parts> && ...);
template <class... Parts>
inline constexpr bool archivable<std::variant<Parts...>> = (archivable<Parts> && ...);
template <class T>
inline constexpr bool archivable<std::optional<T>> = archivable<T>;

/// Named in the compiler's message where a value of T would be saved or sent.
template <class T>
struct cannot_be_saved_or_sent {
  static_assert(archivable<T>,
                "the class needs `template <class A> void serialize(A& a) { a(x, y); }`; or, as a "
                "property whose parts are changed one by one, derive it from entity::Struct");
};

}  // namespace starbus::entity
