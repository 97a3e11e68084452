/// A value of a JSON document and its place, so that what is wrong is told with the place:
/// "player.json: rpc.classes[3].methods[0].id: missing". Reading throws JsonProblem, which
/// CodeSchema::read catches. One thread; a place is valid as long as its document.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tools/starbus/code/schema.hpp"

namespace starbus::starter {

/// Thrown by places.
struct JsonProblem {
  CodeError error;
};

class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& value, std::string path)
      : value_(&value), path_(std::move(path)) {}

  bool is_text() const { return value_->is_string(); }
  bool is_null() const { return value_->is_null(); }
  bool has(const char* member) const { return value_->is_object() && value_->contains(member); }
  JsonPlace member(const char* name) const;
  JsonPlace element(std::size_t at) const;
  std::size_t size() const;
  void each(const std::function<void(const JsonPlace&)>& take) const;
  void each_member(const std::function<void(const std::string&, const JsonPlace&)>& take) const;
  /// Neither empty nor with control characters.
  std::string text() const;
  std::uint64_t number() const;
  /// Exactly so many digits.
  std::uint64_t hex(std::size_t digits) const;
  bool flag() const;
  std::string dump() const { return value_->dump(); }

  [[noreturn]] void fail(CodeErrc code, const std::string& what) const;
  [[noreturn]] void malformed(const std::string& what) const { fail(CodeErrc::malformed, what); }
  [[noreturn]] void too_large(const std::string& what) const { fail(CodeErrc::too_large, what); }

 private:
  const nlohmann::json* value_;
  std::string path_;
};

class JsonDocument {
 public:
  /// Throws JsonProblem.
  static JsonDocument parse(std::string_view file, std::string_view text);
  JsonPlace top() const { return {*value_, file_}; }

 private:
  std::string file_;
  std::shared_ptr<const nlohmann::json> value_;
};

}  // namespace starbus::starter
