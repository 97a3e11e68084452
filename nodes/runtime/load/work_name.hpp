#pragma once

#include <string>
#include <string_view>
#include <typeinfo>

namespace starbus::nodes {

/// What a kind of work is called in reports: a literal, or else the type of its closure, which for
/// a lambda names the function that it stands in. A plain value, cheap to make; the text is made
/// once per kind. Literals live for ever, so it may go to any thread.
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
