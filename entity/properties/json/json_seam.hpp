/// Values to JSON and back without the JSON library in any header that declares properties: only
/// json_seam.cpp includes it. Callers of Root::get and set include inspect.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace starbus::entity {

/// Writes one value into a JSON document that it does not own. A writer of an element or a member
/// is valid until the next one of the same array or object is made.
class JsonWriter {
 public:
  explicit JsonWriter(nlohmann::json& to) : to_(&to) {}

  /// Each replaces the value.
  void boolean(bool value);
  void integer(std::int64_t value);
  void integer(std::uint64_t value);
  void real(double value);
  void text(std::string_view value);
  /// The value is an array, empty at first.
  void array();
  JsonWriter element();
  /// The value is an object, empty at first.
  void object();
  JsonWriter member(std::string_view name);

 private:
  nlohmann::json* to_;
};

/// Reads one value of a JSON document that it does not own.
class JsonReader {
 public:
  explicit JsonReader(const nlohmann::json& from) : from_(&from) {}

  bool is_null() const;
  bool is_array() const;
  bool is_object() const;
  // False: the value is of another type, or out of range; nothing was changed.
  bool read(bool& value) const;
  bool read(std::int64_t& value) const;
  bool read(std::uint64_t& value) const;
  bool read(double& value) const;
  bool read(std::string& value) const;

  /// Elements of an array, or members of an object; 0 for others.
  std::size_t size() const;
  /// Requires an array with more elements than `place`.
  JsonReader element(std::size_t place) const;
  /// nullopt if it is not an object or has no such member.
  std::optional<JsonReader> member(std::string_view name) const;
  /// Visits the members of an object until `visit` returns false; returns its last result, true if
  /// there were no members.
  bool each_member(
      const std::function<bool(const std::string& name, const JsonReader& value)>& visit) const;

 private:
  const nlohmann::json* from_;
};

}  // namespace starbus::entity
