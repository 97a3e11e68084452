#include "tools/bots/values.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "clients/cpp/limits.hpp"

namespace starbus::bots {
namespace {

constexpr std::array<std::string_view, 12> kTypeNames{"b",   "i8",  "i16", "i32", "i64", "u8",
                                                      "u16", "u32", "u64", "f32", "f64", "str"};

bool is_signed(Type type) {
  return type >= Type::i8 && type <= Type::i64;
}

/// Bits of an integer.
int bits_of(Type type) {
  constexpr int kBits[] = {1, 8, 16, 32, 64, 8, 16, 32, 64, 32, 64, 0};
  return kBits[static_cast<std::size_t>(type)];
}

template <class Bits>
void put_bits(Bits bits, game::Bytes& out) {
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    out.push_back(static_cast<std::byte>(bits >> (8 * i) & 0xff));
  }
}

void put_integer(Type type, std::int64_t value, game::FieldWriter& out) {
  if (bits_of(type) == 8) return out.byte(static_cast<std::uint8_t>(value));
  const auto plain = static_cast<std::uint64_t>(value);
  out.number(is_signed(type) ? plain << 1 ^ static_cast<std::uint64_t>(value >> 63) : plain);
}

double fraction_of(const Scalar& value) {
  const auto* const integer = std::get_if<std::int64_t>(&value);
  return integer == nullptr ? std::get<double>(value) : static_cast<double>(*integer);
}

}  // namespace

std::optional<Type> read_type(std::string_view name) {
  const auto at = std::ranges::find(kTypeNames, name);
  if (at == kTypeNames.end()) return std::nullopt;
  return static_cast<Type>(at - kTypeNames.begin());
}

std::string_view name_of(Type type) {
  return kTypeNames[static_cast<std::size_t>(type)];
}

std::variant<Signature, BadSignature> read_signature(std::string_view text) {
  Signature made;
  made.text = text;
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) {
    return BadSignature{"is not of the form \"(str,u64)->str\""};
  }
  const std::string_view after = text.substr(close + 1);
  if (!after.empty() && !after.starts_with("->")) {
    return BadSignature{"has something other than \"->\" after its arguments"};
  }
  if (!after.empty()) made.answer = after.substr(2, after.find('!') - 2);
  std::string_view rest = text.substr(1, close - 1);
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto type = read_type(rest.substr(0, comma));
    if (!type) {
      return BadSignature{"has an argument '" + std::string(rest.substr(0, comma)) +
                          "', which no script can write; it can b, i8 .. i64, u8 .. u64, f32, f64 "
                          "and str"};
    }
    made.arguments.push_back(*type);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return made;
}

std::optional<std::string> misfit(Type type, const Scalar& value) {
  const auto wanted = [&](const char* what) {
    return "of type " + std::string(name_of(type)) + " must be " + what;
  };
  if (type == Type::str) {
    if (std::holds_alternative<std::string>(value)) return std::nullopt;
    return wanted("a string");
  }
  if (type == Type::b) {
    if (std::holds_alternative<bool>(value)) return std::nullopt;
    return wanted("true or false");
  }
  if (type == Type::f32 || type == Type::f64) {
    if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value)) {
      return std::nullopt;
    }
    return wanted("a number");
  }
  const auto* const integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr) return wanted("an integer");
  const int bits = bits_of(type);
  const std::int64_t least = is_signed(type) ? -1 - ((std::int64_t{1} << (bits - 1)) - 1) : 0;
  const std::int64_t most = bits == 64        ? std::numeric_limits<std::int64_t>::max()
                            : is_signed(type) ? (std::int64_t{1} << (bits - 1)) - 1
                                              : (std::int64_t{1} << bits) - 1;
  if ((is_signed(type) && bits == 64) || (*integer >= least && *integer <= most)) {
    return std::nullopt;
  }
  return "is out of the range of " + std::string(name_of(type));
}

void put_value(Type type, const Scalar& value, game::Bytes& out) {
  game::FieldWriter fields(out);
  switch (type) {
    case Type::str:
      return fields.text(std::get<std::string>(value));
    case Type::b:
      return fields.byte(std::get<bool>(value) ? 1 : 0);
    case Type::f32:
      return put_bits(std::bit_cast<std::uint32_t>(static_cast<float>(fraction_of(value))), out);
    case Type::f64:
      return put_bits(std::bit_cast<std::uint64_t>(fraction_of(value)), out);
    default:
      return put_integer(type, std::get<std::int64_t>(value), fields);
  }
}

Value get_value(Type type, game::FieldReader& in) {
  Value read;
  switch (type) {
    case Type::str:
      read.text = game::text_of(in.bytes(game::kPartBytes));
      break;
    case Type::b:
      read.number = in.byte(0, 1);
      break;
    case Type::f32:
      read.number = in.word();
      break;
    case Type::f64:
      read.number = in.word();
      read.number |= std::uint64_t{in.word()} << 32;
      break;
    default:
      read.number = bits_of(type) == 8 ? in.byte() : in.number();
  }
  return read;
}

}  // namespace starbus::bots
