#include "entity/objects/names/client_shape.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "entity/objects/limits.hpp"

namespace starbus::entity {
namespace {

using ShapeJson = nlohmann::json;
constexpr std::string_view kUnknown = "?";

/// Writes the shape of one description.
class ShapeWriter {
 public:
  ShapeWriter(const std::map<std::string, std::string>& structs, std::string_view mark)
      : structs_(structs), mark_(mark) {}

  std::string of(const ShapeJson& type) {
    if (type.is_string()) return of_plain(type.get_ref<const std::string&>());
    if (const auto found = type.find("enum"); found != type.end()) return of(type.at("of"));
    if (const auto found = type.find("list"); found != type.end()) return "l" + of(*found);
    if (const auto found = type.find("set"); found != type.end()) return "l" + of(*found);
    if (const auto found = type.find("map"); found != type.end()) {
      return "m" + of(found->at(0)) + of(found->at(1));
    }
    if (const auto found = type.find("array"); found != type.end()) {
      return "a" + std::to_string(type.at("size").get<std::uint64_t>()) + ":" + of(*found);
    }
    if (const auto found = type.find("optional"); found != type.end()) return "o" + of(*found);
    if (const auto found = type.find("variant"); found != type.end()) return "|" + all(*found);
    if (const auto found = type.find("tuple"); found != type.end()) return "(" + all(*found);
    if (const auto found = type.find("duration"); found != type.end()) return of(*found);
    if (const auto found = type.find("struct"); found != type.end()) return of_struct(*found);
    if (type.contains("ref")) return "s";
    if (const auto found = type.find("properties"); found != type.end()) return class_of(*found);
    if (const auto found = type.find("bag"); found != type.end()) {
      return "b" + of(found->at(0)) + of(found->at(1));
    }
    return std::string(kUnknown);
  }

 private:
  static std::string of_plain(std::string_view name) {
    if (name == "string" || name == "bytes") return "s";
    if (name == "f32") return "4";
    if (name == "f64") return "8";
    return name == "bool" || name == "i8" || name == "u8" ? "1" : "v";
  }
  std::string class_of(const ShapeJson& name) const {
    return "{" + name.get<std::string>().append(mark_).substr(0, 255) + "}";
  }
  /// Parts, and the closing bracket; an empty group is one zero byte.
  std::string all(const ShapeJson& parts) {
    std::string text;
    for (const ShapeJson& part : parts) text += of(part);
    return text + ")";
  }
  std::string of_struct(const ShapeJson& name) {
    const auto known = structs_.find(name.get<std::string>());
    const bool again = std::ranges::find(inside_, name) != inside_.end();
    if (known == structs_.end() || again) return std::string(kUnknown);
    inside_.push_back(name);
    std::string text = "(";
    for (const ShapeJson& field : ShapeJson::parse(known->second)) text += of(field.at("type"));
    inside_.pop_back();
    return text + ")";
  }

  const std::map<std::string, std::string>& structs_;
  std::string_view mark_;
  std::vector<ShapeJson> inside_;
};

}  // namespace

std::string shape_of(std::string_view description,
                     const std::map<std::string, std::string>& structs, std::string_view mark) {
  const std::string shape = ShapeWriter(structs, mark).of(ShapeJson::parse(description));
  const bool whole = shape.find('?') == std::string::npos && shape.size() <= kClientShape;
  return whole ? shape : std::string(kUnknown);
}

}  // namespace starbus::entity
