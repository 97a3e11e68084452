#include "nodes/db/index_key.hpp"

#include <bit>
#include <cmath>

#include "nodes/db/key_bytes.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

// Far enough from 0 and 255, also turned round.
enum Rank : char {
  kNull = 0x10,
  kFalse = 0x18,
  kTrue = 0x20,
  kNumber = 0x28,
  kText = 0x30,
  kOther = 0x38
};

/// The largest double that is not above the integer.
double floor_of(std::int64_t value) {
  const double nearest = static_cast<double>(value);
  // 2^63 itself, which nearest may be, does not fit an int64.
  if (nearest >= 0x1p63 || static_cast<std::int64_t>(nearest) > value) {
    return std::nextafter(nearest, -HUGE_VAL);
  }
  return nearest;
}

/// As integers the bits of doubles sort as those do, once negative ones are turned round.
void append_number(double whole, std::uint16_t rest, std::string& out) {
  const auto bits = std::bit_cast<std::uint64_t>(whole == 0 ? 0.0 : whole);  // not -0
  append_big_endian(bits >> 63 != 0 ? ~bits : bits | 1ULL << 63, out);
  append_big_endian(rest, out);
}

void append_text(std::string_view text, std::string& out) {
  for (const char byte : text.substr(0, kIndexText)) {
    out += byte;
    if (byte == '\0') out += '\xff';
  }
  out += '\0';
  out += '\0';
}

void append_ascending(const Json& value, std::string& out) {
  switch (value.type()) {
    case Json::value_t::null:
      out += kNull;
      return;
    case Json::value_t::boolean:
      out += value.get<bool>() ? kTrue : kFalse;
      return;
    case Json::value_t::number_float:
      out += kNumber;
      return append_number(value.get<double>(), 0, out);
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: {
      // Doubles of this size are at most 1024 apart.
      const auto number = value.get<std::int64_t>();
      const double whole = floor_of(number);
      out += kNumber;
      const std::int64_t rest = number - static_cast<std::int64_t>(whole);
      return append_number(whole, static_cast<std::uint16_t>(rest), out);
    }
    case Json::value_t::string:
      out += kText;
      return append_text(value.get_ref<const std::string&>(), out);
    default:
      out += kOther;
  }
}

}  // namespace

void append_value(const Json& value, bool descending, std::string& out) {
  const std::size_t begin = out.size();
  append_ascending(value, out);
  if (!descending) return;
  for (std::size_t i = begin; i < out.size(); ++i) out[i] = static_cast<char>(~out[i]);
}

IndexShape::IndexShape(std::vector<IndexField> fields) : fields_(std::move(fields)) {
  for (const IndexField& field : fields_) paths_.push_back(parse_path(field.path).value());
}

std::string IndexShape::key_of(const Json& document) const {
  std::string key;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Json* const value = look_up(document, paths_[i]);
    append_value(value == nullptr ? Json() : *value, fields_[i].descending, key);
  }
  return key;
}

Result<std::string> IndexShape::key_of(const std::vector<Json>& values) const {
  if (values.size() > fields_.size()) {
    return Error(Errc::bad_request, "bound: more values than the index has fields");
  }
  std::string key;
  for (std::size_t i = 0; i < values.size(); ++i) {
    append_value(values[i], fields_[i].descending, key);
  }
  return key;
}

Result<> check_fields(const std::vector<IndexField>& fields) {
  if (fields.empty() || fields.size() > kMaxIndexFields) {
    return Error(Errc::bad_request,
                 "an index has 1.." + std::to_string(kMaxIndexFields) + " fields");
  }
  for (const IndexField& field : fields) {
    if (const auto path = parse_path(field.path); !path) return path.error();
  }
  return {};
}

std::string behind(std::string prefix) {
  return prefix += '\xff';
}

}  // namespace starbus::nodes::db
