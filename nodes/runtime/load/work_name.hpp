#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

namespace starbus::nodes {

/// The name of a kind of work in reports: a literal, or the type of its closure, which for a lambda
/// names the enclosing function. A plain value, cheap to create; the text is created once per kind.
/// Literals live for ever, so any thread may use it.
class WorkName {
 public:
  WorkName(const char* literal) : literal_(literal), key_(literal) {}  // NOLINT
  explicit WorkName(const std::type_info& type) : type_(&type), key_(&type) {}

  /// At most kMaxSourceName bytes.
  std::string text() const;
  /// Equal for two of one place in the code; two keys may have one text.
  const void* key() const { return key_; }

 private:
  const char* literal_ = nullptr;
  const std::type_info* type_ = nullptr;
  const void* key_;
};

}  // namespace starbus::nodes
