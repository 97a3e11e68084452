#include "tools/bustop/gates/call_text.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "entity/objects/announce.hpp"

namespace starbus::bustop {
namespace {

using bus::Errc;
using bus::Error;
using entity::Encoder;
using nlohmann::json;

template <class T>
bool put_integer(Encoder& out, const json& value) {
  if (value.is_number_unsigned()) {
    const auto wide = value.get<std::uint64_t>();
    if (wide > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
    out.number(static_cast<T>(wide));
    return true;
  }
  if (!value.is_number_integer() || std::is_unsigned_v<T>) return false;
  const auto wide = value.get<std::int64_t>();
  if (wide < static_cast<std::int64_t>(std::numeric_limits<T>::min())) return false;
  out.number(static_cast<T>(wide));
  return true;
}

template <class T>
bool put_real(Encoder& out, const json& value) {
  if (!value.is_number()) return false;
  out.number(value.get<T>());
  return true;
}

bool put_bool(Encoder& out, const json& value) {
  if (!value.is_boolean()) return false;
  out.number(value.get<bool>());
  return true;
}

bool put_text(Encoder& out, const json& value) {
  if (!value.is_string()) return false;
  out.text(value.get_ref<const std::string&>());
  return true;
}

struct Type {
  std::string_view name;
  bool (*put)(Encoder&, const json&);
};
constexpr Type kTypes[] = {
    {"b", put_bool},
    {"i8", put_integer<std::int8_t>},
    {"i16", put_integer<std::int16_t>},
    {"i32", put_integer<std::int32_t>},
    {"i64", put_integer<std::int64_t>},
    {"u8", put_integer<std::uint8_t>},
    {"u16", put_integer<std::uint16_t>},
    {"u32", put_integer<std::uint32_t>},
    {"u64", put_integer<std::uint64_t>},
    {"f32", put_real<float>},
    {"f64", put_real<double>},
    {"str", put_text},
};

const Type* type_of(std::string_view name) {
  for (const Type& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

Error unknown_type(std::string_view name) {
  return {Errc::bad_name, "\"" + std::string(name) +
                              "\": no type; b, i8 to i64, u8 to u64, f32, "
                              "f64, str, or [T] for a list of one"};
}

bool is_list(std::string_view name) {
  return name.size() > 2 && name.front() == '[' && name.back() == ']';
}

/// As entity/archive/signature.hpp writes the type: a list of T is a class of C++.
std::string signature_of(std::string_view name) {
  if (!is_list(name)) return std::string(name);
  const std::string_view element = name.substr(1, name.size() - 2);
  return "{[" + (element == "str" ? std::string("{n,bytes}") : std::string(element)) + "]}";
}

bus::Result<> put(Encoder& out, std::string_view name, const json& value) {
  const bool list = is_list(name);
  const Type* const type = type_of(list ? name.substr(1, name.size() - 2) : name);
  if (type == nullptr) return unknown_type(name);
  const Error misfit(Errc::bad_bytes, value.dump(-1, ' ', true, json::error_handler_t::replace) +
                                          " is no " + std::string(name));
  if (!list) return type->put(out, value) ? bus::Result<>() : misfit;
  if (!value.is_array()) return misfit;
  out.varint(value.size());
  for (const json& each : value) {
    if (!type->put(out, each)) return misfit;
  }
  return {};
}

std::vector<std::string_view> split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const auto comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return parts;
}

std::string text_of_bytes(const bus::Bytes& bytes) {
  return std::string(bus::as_text(bytes));
}

}  // namespace

bus::Result<std::string> call_of(const std::string& method, const json& arguments) {
  const auto dot = method.find('.');
  const auto open = method.find('(');
  const bool formed = dot != std::string::npos && dot > 0 && open != std::string::npos &&
                      open > dot + 1 && method.back() == ')';
  if (!formed) {
    return Error(Errc::bad_name,
                 "\"" + method + "\": not a method with its types, as CLASS.METHOD(str,i32)");
  }
  const std::string_view types = std::string_view(method).substr(open);
  const auto names = split(types.substr(1, types.size() - 2));
  if (!arguments.is_array() || arguments.size() != names.size()) {
    return Error(Errc::bad_bytes, "the arguments are not a JSON array of " +
                                      std::to_string(names.size()) + " values");
  }
  std::string signature = "(";
  for (const std::string_view name : names) {
    signature += (signature.size() == 1 ? "" : ",") + signature_of(name);
  }
  signature += ")";
  bus::Bytes bytes;
  std::byte head[8];
  bus::store(head,
             entity::rpc::method_id(method.substr(0, dot), method.substr(dot + 1, open - dot - 1)));
  bus::store(head + 4, entity::rpc::hash32(signature));
  Encoder out(bytes);
  out.raw(head, sizeof head);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (auto done = put(out, names[i], arguments[i]); !done) return done.error();
  }
  if (!out.ok()) return Error(Errc::too_large, "the arguments are too large");
  return text_of_bytes(bytes);
}

bus::Result<std::string> notice_of(const std::string& text) {
  bus::Bytes bytes;
  if (entity::encode_client_call<&entity::AnyClient::notice>(bytes, text) != entity::DataErrc::ok) {
    return Error(Errc::too_large, "the text is too large");
  }
  return text_of_bytes(bytes);
}

}  // namespace starbus::bustop
