/// Values of RPC as a script has them: their types, by the letters of a signature, and their bytes
/// (docs/guide/rpc.md). What is read is hostile. Values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "clients/cpp/fields.hpp"

namespace starbus::bots {

/// One type that a script can write and read.
enum class Type : std::uint8_t { b, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, str };
/// "i32"; nullopt: none of them.
std::optional<Type> read_type(std::string_view name);
std::string_view name_of(Type type);

/// The types of a method or of a call: "(str,u64)->{[u64]}!u8".
struct Signature {
  std::string text{};
  std::vector<Type> arguments{};
  std::string answer{};  // as it is written, without the refusal; "" without "->"
};
/// Errors, as a text: what cannot be read, and what can.
struct BadSignature {
  std::string why;
};
std::variant<Signature, BadSignature> read_signature(std::string_view text);

/// A value of a script.
using Scalar = std::variant<bool, std::int64_t, double, std::string>;
/// Why the value is none of this type; nullopt if it is.
std::optional<std::string> misfit(Type type, const Scalar& value);
/// Appends its bytes; the value fits.
void put_value(Type type, const Scalar& value, game::Bytes& out);

/// A value that was read: a text, or a number, of which signed ones are as their bits.
struct Value {
  std::uint64_t number = 0;
  std::string_view text{};  // a view of what is read
};
/// Refuses by the reader's own errors.
Value get_value(Type type, game::FieldReader& in);

}  // namespace starbus::bots
