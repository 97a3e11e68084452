/// What bytes do to the fields of a state, by their types: a value, a std::vector (a List), a
/// std::map, a Bag, or a class of fields of its own. For generated code alone. Constants.
#pragma once

#include "clients/cpp/bag.hpp"
#include "clients/cpp/state_rows.hpp"

namespace starbus::game {

namespace detail {

inline void refuse(StateReader& in) {
  in.refuse(Refusal::malformed);
}
/// The index of an element; desync outside of the list.
inline std::size_t place_in(StateReader& in, std::size_t size) {
  const std::uint64_t at = in.number();
  if (at < size) return static_cast<std::size_t>(at);
  in.desync();
  return 0;
}
template <class K>
K key_of(StateReader& in) {
  K key{};
  get_value(in, key);
  if constexpr (std::is_same_v<K, std::string>) {
    if (key.empty() || key.size() > kKeyBytes) in.refuse(Refusal::malformed);
  }
  return key;
}
inline std::size_t elements(StateReader& in) {
  const std::size_t count = in.elements();
  if (count > kListElements) in.refuse(Refusal::too_large);
  return in.ok() ? count : 0;
}

/// A field whose changes are whole values.
template <class T>
struct StateField {
  static void read(StateReader& in, void* field, const FieldRow&) {
    get_value(in, *static_cast<T*>(field));
  }
  static void apply(StateReader& in, Operation operation, void* field, const FieldRow&) {
    if (operation != Operation::set) return refuse(in);
    get_value(in, *static_cast<T*>(field));
  }
  static void element(StateReader& in, Part, void*, const FieldRow&) { refuse(in); }
  static constexpr void* (*enter)(StateReader&, void*) = nullptr;
};

/// A class of fields of its own.
template <class T>
requires requires {
  T::row();
}
struct StateField<T> {
  static void read(StateReader& in, void* field, const FieldRow&) {
    T fresh{};
    in.fields(T::row().name, &fresh);
    *static_cast<T*>(field) = std::move(fresh);
  }
  static void apply(StateReader& in, Operation, void*, const FieldRow&) { refuse(in); }
  static void element(StateReader& in, Part, void*, const FieldRow&) { refuse(in); }
  static void* enter(StateReader&, void* field) { return field; }
};

template <class T>
struct StateField<std::vector<T>> {
  using List = std::vector<T>;
  static void read(StateReader& in, void* field, const FieldRow&) {
    List fresh;
    for (std::size_t left = elements(in); left > 0 && in.ok(); --left) {
      fresh.push_back(value(in));
    }
    *static_cast<List*>(field) = std::move(fresh);
  }
  static void apply(StateReader& in, Operation operation, void* field, const FieldRow& row) {
    List& list = *static_cast<List*>(field);
    switch (operation) {
      case Operation::clear:
        return list.clear();
      case Operation::set:
        return read(in, field, row);
      case Operation::list_push:
        return insert(in, list, list.size());
      case Operation::list_insert:
        return insert(in, list, place_in(in, list.size() + 1));
      case Operation::list_pop:
        return list.empty() ? in.desync() : list.pop_back();
      case Operation::list_set:
        return element(in, Part::element, field, row);
      case Operation::list_erase: {
        const std::size_t at = place_in(in, list.size());
        if (in.ok()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        return;
      }
      default:
        return refuse(in);
    }
  }
  static void element(StateReader& in, Part part, void* field, const FieldRow&) {
    List& list = *static_cast<List*>(field);
    if (part != Part::element) return refuse(in);
    const std::size_t at = place_in(in, list.size());
    T each = value(in);
    if (in.ok()) list[at] = std::move(each);
  }
  static constexpr void* (*enter)(StateReader&, void*) = nullptr;

 private:
  static T value(StateReader& in) {
    T each{};
    get_value(in, each);
    return each;
  }
  static void insert(StateReader& in, List& list, std::size_t at) {
    if (list.size() >= kListElements) return in.desync();
    T each = value(in);
    if (in.ok()) list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), std::move(each));
  }
};

template <class K, class T>
struct StateField<std::map<K, T>> {
  using Map = std::map<K, T>;
  static void read(StateReader& in, void* field, const FieldRow&) {
    Map fresh;
    for (std::size_t left = elements(in); left > 0 && in.ok(); --left) {
      K key = key_of<K>(in);
      if (fresh.contains(key)) return refuse(in);
      get_value(in, fresh[std::move(key)]);
    }
    *static_cast<Map*>(field) = std::move(fresh);
  }
  static void apply(StateReader& in, Operation operation, void* field, const FieldRow& row) {
    Map& map = *static_cast<Map*>(field);
    if (operation == Operation::clear) return map.clear();
    if (operation == Operation::set) return read(in, field, row);
    if (operation == Operation::map_put) return put(in, map, key_of<K>(in));
    if (operation != Operation::map_erase) return refuse(in);
    if (map.erase(key_of<K>(in)) == 0) in.desync();
  }
  static void element(StateReader& in, Part part, void* field, const FieldRow&) {
    Map& map = *static_cast<Map*>(field);
    if (part == Part::slot) return refuse(in);
    K key = key_of<K>(in);
    if (part == Part::element) return put(in, map, std::move(key));
    map.erase(key);
  }
  static constexpr void* (*enter)(StateReader&, void*) = nullptr;

 private:
  static void put(StateReader& in, Map& map, K key) {
    if (!map.contains(key) && map.size() >= kListElements) return in.desync();
    T value{};
    get_value(in, value);
    if (in.ok()) map.insert_or_assign(std::move(key), std::move(value));
  }
};

template <class K, class T>
struct StateField<Bag<K, T>> {
  using Items = Bag<K, T>;
  static void read(StateReader& in, void* field, const FieldRow& row) {
    const std::size_t count = in.elements();
    if (count > row.capacity) return in.refuse(Refusal::too_large);
    Items fresh;
    for (std::size_t left = count; left > 0 && in.ok(); --left) {
      const K key = key_of<K>(in);
      const std::uint64_t slot = in.number();
      if (slot >= row.capacity || fresh.find(key) != nullptr || fresh.at(slot) != nullptr) {
        return refuse(in);
      }
      in.fields(T::row().name, &fresh.insert(key, slot));
    }
    *static_cast<Items*>(field) = std::move(fresh);
  }
  static void apply(StateReader& in, Operation operation, void* field, const FieldRow& row) {
    Items& bag = *static_cast<Items*>(field);
    if (operation == Operation::clear) {
      bag = {};
      return;
    }
    const K key = key_of<K>(in);
    const bool there = in.ok() && bag.find(key) != nullptr;
    if (operation == Operation::bag_erase) return there ? bag.erase(key) : in.desync();
    const bool inserts = operation == Operation::bag_insert;
    if (!inserts && operation != Operation::bag_move) return refuse(in);
    const std::uint64_t slot = in.number();
    if (!in.ok() || slot >= row.capacity || there == inserts) return in.desync();
    if (!inserts) return bag.place(key, slot);
    if (bag.at(slot) != nullptr) return in.desync();
    in.fields(T::row().name, &bag.insert(key, slot));
  }
  static void element(StateReader& in, Part part, void* field, const FieldRow& row) {
    Items& bag = *static_cast<Items*>(field);
    const K key = key_of<K>(in);
    const bool there = in.ok() && bag.find(key) != nullptr;
    if (part == Part::gone) return there ? bag.erase(key) : void();
    const std::uint64_t slot = in.number();
    if (!in.ok() || slot >= row.capacity) return refuse(in);
    if (!there) {
      if (part == Part::slot || bag.size() >= row.capacity) return in.desync();
      bag.insert(key, bag.at(slot) == nullptr ? slot : bag.first_free());
    }
    bag.place(key, slot);
    if (part == Part::slot) return;
    T fresh{};
    in.fields(T::row().name, &fresh);
    *bag.edit(key) = std::move(fresh);
  }
  static void* enter(StateReader& in, void* field) {
    const K key = key_of<K>(in);
    void* const item = in.ok() ? static_cast<Items*>(field)->edit(key) : nullptr;
    if (item == nullptr) in.desync();
    return item;
  }
};

/// These functions of one type.
template <class T>
inline constexpr FieldOps kFieldOps{&StateField<T>::read, &StateField<T>::apply,
                                    &StateField<T>::element, StateField<T>::enter};

template <class T>
struct Below {
  static constexpr const ClassRow& (*row)() = nullptr;
};
template <class T>
requires requires {
  T::row();
}
struct Below<T> {
  static constexpr const ClassRow& (*row)() = &T::row;
};
template <class K, class T>
struct Below<Bag<K, T>> : Below<T> {};

template <auto M>
struct Member;
template <class C, class T, T C::*M>
struct Member<M> {
  using Type = T;
  static void* of(void* state) { return &(static_cast<C*>(state)->*M); }
};

}  // namespace detail

/// A row of generated code: field_row<&HeroState::gold>("gold", 1, 0x5ac81d30).
template <auto M>
constexpr FieldRow field_row(std::string_view name, std::uint8_t index, std::uint32_t fingerprint,
                             std::size_t capacity = 0) {
  using At = detail::Member<M>;
  using Type = typename At::Type;
  return {name,    index, fingerprint, &detail::kFieldOps<Type>, &At::of, detail::Below<Type>::row,
          capacity};
}

}  // namespace starbus::game
