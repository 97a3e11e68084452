/// Values to bytes and back: arguments of calls, values of properties, state that migrates.
///
///   const DataResult<Bytes> bytes = encode(std::string("gold"), 5);
///   const auto values = decode_all<std::string, int>(*bytes);  // a tuple
///
/// Supported types: numbers, enums, std::string, array, vector, deque, list, map, set, their
/// unordered forms, optional, variant, tuple, pair, chrono durations and time points, and every
/// default-constructible class with cereal's `serialize` (member or not) or `save` and `load`.
/// docs/guide/properties.md has the bytes. Reading is bounded by a Budget, in bytes, elements,
/// memory and depth, and never trusts a length. No exception leaves these functions: an exception
/// of a class's own function becomes `refused`. Pure functions; from any thread.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "entity/archive/cereal_archive.hpp"

namespace starbus::entity {

/// Values that are written without cereal: no state, no exceptions, the same bytes.
template <class T>
inline constexpr bool kPlainValue = Number<T> || std::is_same_v<T, std::string>;
template <class T, class A>
inline constexpr bool kPlainValue<std::vector<T, A>> = kPlainValue<T> && !std::is_same_v<T, bool>;

/// Appends one value; an error is kept in the encoder.
template <class T>
void put_value(Encoder& out, const T& value) noexcept {
  if constexpr (Number<T>) {
    out.number(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    out.text(value);
  } else if constexpr (kPlainValue<T>) {
    if (value.size() > kArchiveElements) out.fail(DataErrc::too_large);
    out.varint(value.size());
    for (const auto& element : value) put_value(out, element);
  } else {
    try {
      archives::OutputArchive archive(out);
      archive(value);
    } catch (const archives::ArchiveFailure& failure) {
      out.fail(failure.code);
    } catch (...) {
      out.fail(DataErrc::refused);
    }
  }
}

/// Reads one value; an error is kept in the decoder, and the value is then unspecified.
template <class T>
void get_value(Decoder& in, T& value) noexcept {
  if constexpr (Number<T>) {
    value = in.number<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    const std::string_view text = in.text();
    if (in.charge(text.size())) value.assign(text);
  } else if constexpr (kPlainValue<T>) {
    const std::size_t count = in.count();
    value.clear();
    if (!in.charge(count * sizeof(typename T::value_type))) return;
    value.reserve(count);
    for (std::size_t i = 0; i < count && in.ok(); ++i) get_value(in, value.emplace_back());
  } else {
    try {
      archives::InputArchive archive(in);
      archive(value);
    } catch (const archives::ArchiveFailure& failure) {
      in.fail(failure.code);
    } catch (const cereal::Exception&) {
      in.fail(DataErrc::malformed);
    } catch (...) {
      in.fail(DataErrc::refused);
    }
  }
}

/// Appends the values one after the other to `out`; nothing on failure.
template <class... Values>
DataResult<> encode_to(Bytes& out, const Values&... values) {
  Encoder encoder(out);
  (put_value(encoder, values), ...);
  const DataErrc error = encoder.error();
  if (error != DataErrc::ok) encoder.rewind(0);
  return result_of(error);
}
template <class... Values>
DataResult<Bytes> encode(const Values&... values) {
  Bytes bytes;
  if (const auto written = encode_to(bytes, values...); !written) return written.error();
  return bytes;
}

/// Reads exactly these values: too few bytes are `truncated`, too many `trailing`.
template <class... Values>
DataResult<std::tuple<Values...>> decode_all(ByteView bytes, const Budget& budget = {}) {
  std::tuple<Values...> values;
  Decoder decoder(bytes, budget);
  std::apply([&](auto&... value) { (get_value(decoder, value), ...); }, values);
  if (decoder.finish() != DataErrc::ok) return DataError(decoder.error());
  return values;
}
template <class Value>
DataResult<Value> decode(ByteView bytes, const Budget& budget = {}) {
  auto values = decode_all<Value>(bytes, budget);
  if (!values) return values.error();
  return std::get<0>(std::move(*values));
}

}  // namespace starbus::entity
