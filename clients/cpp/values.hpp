/// Values as the server's archive has them: arguments and answers of calls, and what properties
/// consist of (docs/guide/properties.md, section "Values: the archive"). For generated code
/// (`starbus client-code`), which has a type for each type of the schema:
///
///   numbers, enums            themselves        list, set      std::vector
///   string, ref               std::string       map            std::map
///   bytes                     Bytes             array          std::array
///   optional, variant, tuple  those of std      duration       std::chrono::duration
///   struct                    a class with each_field(self, visit)
///
/// Reading trusts nothing: a count is checked against the bytes that are left, and against limits.
/// Plain values; one thread at a time.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "clients/cpp/fields.hpp"
#include "clients/cpp/limits.hpp"

namespace starbus::game {

/// Appends values to bytes that it does not own.
class ValueWriter : public FieldWriter {
 public:
  using FieldWriter::FieldWriter;
  /// Writes what is nested in a class or container.
  template <class Write>
  void nested(Write write) {
    deepest_ = std::max(deepest_, ++depth_);
    write();
    --depth_;
  }
  /// False: nested deeper than a reader takes.
  bool ok() const { return deepest_ <= kValueDepth; }

 private:
  std::size_t depth_ = 0;
  std::size_t deepest_ = 0;
};

/// Reads values of bytes that it does not own.
class ValueReader : public FieldReader {
 public:
  using FieldReader::FieldReader;
  /// The number of elements that follow; too_large beyond kValueElements of all containers.
  std::size_t elements() {
    const std::size_t count = this->count(elements_);
    elements_ -= count;
    return count;
  }
  /// Reads what is nested in a class or container; too_large beyond kValueDepth.
  template <class ReadIt>
  void nested(ReadIt read) {
    if (++depth_ > kValueDepth) refuse(Refusal::too_large);
    if (ok()) read();
    --depth_;
  }

 private:
  std::size_t elements_ = kValueElements;
  std::size_t depth_ = 0;
};

/// An answer of a method that returns nothing.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

/// Appends a value.
template <class T>
void put_value(ValueWriter& out, const T& value);
/// Reads one; after a refusal it is any.
template <class T>
void get_value(ValueReader& in, T& value);

namespace detail {

/// How values of T are written and read.
template <class T>
struct Codec;

template <class T>
requires std::is_integral_v<T>
struct Codec<T> {
  static void put(ValueWriter& out, T value) {
    if constexpr (sizeof(T) == 1) {
      out.byte(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_signed_v<T>) {
      const auto wide = static_cast<std::int64_t>(value);
      out.number((static_cast<std::uint64_t>(wide) << 1) ^ static_cast<std::uint64_t>(wide >> 63));
    } else {
      out.number(value);
    }
  }
  static void get(ValueReader& in, T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = in.flag();
    } else if constexpr (sizeof(T) == 1) {
      value = static_cast<T>(in.byte());
    } else if constexpr (std::is_signed_v<T>) {
      constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<T>::max()) * 2 + 1;
      const std::uint64_t read = in.number(kMost);
      value = static_cast<T>(static_cast<std::int64_t>((read >> 1) ^ (~(read & 1) + 1)));
    } else {
      value = static_cast<T>(in.number(std::numeric_limits<T>::max()));
    }
  }
};
template <class T>
requires std::is_enum_v<T>
struct Codec<T> {
  using Number = std::underlying_type_t<T>;
  static void put(ValueWriter& out, T value) { put_value(out, static_cast<Number>(value)); }
  static void get(ValueReader& in, T& value) {
    Number number{};
    get_value(in, number);
    value = static_cast<T>(number);
  }
};
template <>
struct Codec<float> {
  static void put(ValueWriter& out, float value) { out.word(std::bit_cast<std::uint32_t>(value)); }
  static void get(ValueReader& in, float& value) { value = std::bit_cast<float>(in.word()); }
};
template <>
struct Codec<double> {
  static void put(ValueWriter& out, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    out.word(static_cast<std::uint32_t>(bits));
    out.word(static_cast<std::uint32_t>(bits >> 32));
  }
  static void get(ValueReader& in, double& value) {
    const std::uint64_t low = in.word();
    value = std::bit_cast<double>(low | static_cast<std::uint64_t>(in.word()) << 32);
  }
};
template <>
struct Codec<std::string> {
  static void put(ValueWriter& out, const std::string& value) { out.text(value); }
  static void get(ValueReader& in, std::string& value) { value = text_of(in.bytes(kPacketBytes)); }
};
template <>
struct Codec<Bytes> {
  static void put(ValueWriter& out, const Bytes& value) { out.bytes(value); }
  static void get(ValueReader& in, Bytes& value) {
    const ByteView read = in.bytes(kPacketBytes);
    value.assign(read.begin(), read.end());
  }
};
/// One zero byte.
template <>
struct Codec<Nothing> {
  static void put(ValueWriter& out, Nothing) { out.byte(0); }
  static void get(ValueReader& in, Nothing&) { static_cast<void>(in.byte(0, 0)); }
};

template <class T>
struct Codec<std::vector<T>> {
  static void put(ValueWriter& out, const std::vector<T>& value) {
    out.nested([&] {
      out.number(value.size());
      for (const T& each : value) put_value(out, each);
    });
  }
  static void get(ValueReader& in, std::vector<T>& value) {
    value.clear();
    in.nested([&] {
      for (std::size_t left = in.elements(); left > 0 && in.ok(); --left) {
        T each{};
        get_value(in, each);
        value.push_back(std::move(each));
      }
    });
  }
};
template <class K, class T>
struct Codec<std::map<K, T>> {
  static void put(ValueWriter& out, const std::map<K, T>& value) {
    out.nested([&] {
      out.number(value.size());
      for (const auto& [key, each] : value) put_value(out, key), put_value(out, each);
    });
  }
  static void get(ValueReader& in, std::map<K, T>& value) {
    value.clear();
    in.nested([&] {
      for (std::size_t left = in.elements(); left > 0 && in.ok(); --left) {
        K key{};
        get_value(in, key);
        get_value(in, value[std::move(key)]);
      }
    });
  }
};
template <class T, std::size_t N>
struct Codec<std::array<T, N>> {
  static void put(ValueWriter& out, const std::array<T, N>& value) {
    out.nested([&] {
      for (const T& each : value) put_value(out, each);
      if constexpr (N == 0) out.byte(0);
    });
  }
  static void get(ValueReader& in, std::array<T, N>& value) {
    in.nested([&] {
      for (T& each : value) get_value(in, each);
      if constexpr (N == 0) static_cast<void>(in.byte(0, 0));
    });
  }
};
template <class T>
struct Codec<std::optional<T>> {
  static void put(ValueWriter& out, const std::optional<T>& value) {
    put_value(out, !value.has_value());
    if (value) out.nested([&] { put_value(out, *value); });
  }
  static void get(ValueReader& in, std::optional<T>& value) {
    value.reset();
    if (!in.flag() && in.ok()) in.nested([&] { get_value(in, value.emplace()); });
  }
};
template <class... T>
struct Codec<std::variant<T...>> {
  using Variant = std::variant<T...>;
  static void put(ValueWriter& out, const Variant& value) {
    put_value(out, static_cast<std::int32_t>(value.index()));
    out.nested([&] { std::visit([&](const auto& each) { put_value(out, each); }, value); });
  }
  static void get(ValueReader& in, Variant& value) {
    std::int32_t index = 0;
    get_value(in, index);
    if (index < 0 || index >= static_cast<std::int32_t>(sizeof...(T))) {
      return in.refuse(Refusal::malformed);
    }
    in.nested([&] { get_one(in, value, index, std::index_sequence_for<T...>()); });
  }
  template <std::size_t... I>
  static void get_one(ValueReader& in, Variant& value, std::int32_t index,
                      std::index_sequence<I...>) {
    ((static_cast<std::int32_t>(I) == index ? get_value(in, value.template emplace<I>()) : void()),
     ...);
  }
};
template <class... T>
struct Codec<std::tuple<T...>> {
  static void put(ValueWriter& out, const std::tuple<T...>& value) {
    out.nested([&] {
      std::apply([&](const auto&... each) { (put_value(out, each), ...); }, value);
      if constexpr (sizeof...(T) == 0) out.byte(0);
    });
  }
  static void get(ValueReader& in, std::tuple<T...>& value) {
    in.nested([&] {
      std::apply([&](auto&... each) { (get_value(in, each), ...); }, value);
      if constexpr (sizeof...(T) == 0) static_cast<void>(in.byte(0, 0));
    });
  }
};
template <class T, class U>
struct Codec<std::pair<T, U>> {
  static void put(ValueWriter& out, const std::pair<T, U>& value) {
    out.nested([&] { put_value(out, value.first), put_value(out, value.second); });
  }
  static void get(ValueReader& in, std::pair<T, U>& value) {
    in.nested([&] { get_value(in, value.first), get_value(in, value.second); });
  }
};
template <class T, class Period>
struct Codec<std::chrono::duration<T, Period>> {
  static void put(ValueWriter& out, std::chrono::duration<T, Period> value) {
    put_value(out, value.count());
  }
  static void get(ValueReader& in, std::chrono::duration<T, Period>& value) {
    T count{};
    get_value(in, count);
    value = std::chrono::duration<T, Period>(count);
  }
};
/// A class of generated code.
template <class T>
requires requires(T& value) {
  T::each_field(value, [](auto&) {});
}
struct Codec<T> {
  static void put(ValueWriter& out, const T& value) {
    out.nested([&] {
      std::size_t fields = 0;
      T::each_field(value, [&](const auto& field) { ++fields, put_value(out, field); });
      if (fields == 0) out.byte(0);
    });
  }
  static void get(ValueReader& in, T& value) {
    in.nested([&] {
      std::size_t fields = 0;
      T::each_field(value, [&](auto& field) { ++fields, get_value(in, field); });
      if (fields == 0) static_cast<void>(in.byte(0, 0));
    });
  }
};

}  // namespace detail

template <class T>
void put_value(ValueWriter& out, const T& value) {
  detail::Codec<T>::put(out, value);
}
template <class T>
void get_value(ValueReader& in, T& value) {
  detail::Codec<T>::get(in, value);
}

}  // namespace starbus::game
