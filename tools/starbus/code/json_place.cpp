#include "tools/starbus/code/json_place.hpp"

#include <algorithm>

#include "tools/starbus/code/limits.hpp"

namespace starbus::starter {
namespace {

constexpr std::size_t kMostText = 4096;  // of a name; signatures of large structs are the longest

/// Refuses what is nested deeper than a reader of it can go.
class DepthCheck : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= kJsonDepth; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t) override { return ++depth_ <= kJsonDepth; }
  bool end_array() override { return --depth_, true; }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception&) override {
    at_ = at;
    return false;
  }
  std::string why() const {
    return depth_ > kJsonDepth ? "nested deeper than kJsonDepth"
                               : "not JSON at byte " + std::to_string(at_);
  }

 private:
  std::size_t depth_ = 0;
  std::size_t at_ = 0;
};

}  // namespace

void JsonPlace::fail(CodeErrc code, const std::string& what) const {
  throw JsonProblem{{code, path_ + ": " + what}};
}

JsonPlace JsonPlace::member(const char* name) const {
  if (!value_->is_object()) malformed("is not an object");
  const auto found = value_->find(name);
  const bool top = path_.find(": ") == std::string::npos;
  JsonPlace place(*value_, path_ + (top ? ": " : ".") + name);
  if (found == value_->end()) place.malformed("missing");
  place.value_ = &*found;
  return place;
}
JsonPlace JsonPlace::element(std::size_t at) const {
  if (at >= size()) malformed("is too short");
  return {(*value_)[at], path_ + "[" + std::to_string(at) + "]"};
}
std::size_t JsonPlace::size() const {
  if (!value_->is_array()) malformed("is not an array");
  return value_->size();
}
void JsonPlace::each(const std::function<void(const JsonPlace&)>& take) const {
  const std::size_t count = size();
  if (count > kSchemaNames) too_large("more rows than kSchemaNames");
  for (std::size_t at = 0; at < count; ++at) take(element(at));
}
void JsonPlace::each_member(
    const std::function<void(const std::string&, const JsonPlace&)>& take) const {
  if (!value_->is_object()) malformed("is not an object");
  if (value_->size() > kSchemaNames) too_large("more rows than kSchemaNames");
  for (const auto& [name, value] : value_->items())
    take(name, {value, path_ + "[\"" + name + "\"]"});
}
std::string JsonPlace::text() const {
  if (!value_->is_string()) malformed("is not a text");
  auto text = value_->get<std::string>();
  if (text.size() > kMostText) too_large("longer than " + std::to_string(kMostText) + " bytes");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, is_control)) malformed("is not a name");
  return text;
}
std::uint64_t JsonPlace::number() const {
  if (!value_->is_number_unsigned()) malformed("is not a number without sign");
  return value_->get<std::uint64_t>();
}
std::uint64_t JsonPlace::hex(std::size_t digits) const {
  const std::string digits_text = text();
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (digits_text.size() != digits || !std::ranges::all_of(digits_text, is_digit)) {
    malformed("is not " + std::to_string(digits) + " digits of hex");
  }
  return std::stoull(digits_text, nullptr, 16);
}
bool JsonPlace::flag() const {
  if (!value_->is_boolean()) malformed("is not true or false");
  return value_->get<bool>();
}

JsonDocument JsonDocument::parse(std::string_view file, std::string_view text) {
  JsonDocument made;
  made.file_ = file;
  const auto problem = [&](CodeErrc code, const std::string& why) {
    return JsonProblem{{code, made.file_ + ": " + why}};
  };
  if (text.size() > kSchemaBytes)
    throw problem(CodeErrc::too_large, "more bytes than kSchemaBytes");
  DepthCheck check;
  if (!nlohmann::json::sax_parse(text, &check)) throw problem(CodeErrc::malformed, check.why());
  made.value_ = std::make_shared<const nlohmann::json>(nlohmann::json::parse(text));
  return made;
}

}  // namespace starbus::starter
