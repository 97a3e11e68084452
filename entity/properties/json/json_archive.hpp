/// The two archives that show classes with a cereal function as JSON, with the names that the
/// function gives, in the form of cereal's own JSON archives: unnamed values are "value0",
/// "value1"..., sequences are arrays. Input of another form throws JsonFailure, which
/// json_value.hpp catches.
#pragma once

#include <cereal/cereal.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "entity/archive/archive.hpp"
#include "entity/properties/json/json_seam.hpp"

namespace starbus::entity::archives {

/// Input of another form; the text says what was expected.
struct JsonFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The name of the next member: as given, once, or else by number.
class MemberNames {
 public:
  void set_next(const char* name) { next_ = name; }
  /// The given name, or else the next unnamed one.
  std::string take(std::size_t& unnamed) {
    const char* const given = std::exchange(next_, nullptr);
    return given != nullptr ? std::string(given) : "value" + std::to_string(unnamed++);
  }
  void drop() { next_ = nullptr; }

 private:
  const char* next_ = nullptr;
};

/// Writes a value as JSON. Lives for one call; one thread.
class JsonOutputArchive : public cereal::OutputArchive<JsonOutputArchive>,
                          public cereal::traits::TextArchive {
 public:
  explicit JsonOutputArchive(const JsonWriter& root)
      : cereal::OutputArchive<JsonOutputArchive>(this), root_(root) {}

  void set_next_name(const char* name) { names_.set_next(name); }
  /// The place of the next value.
  JsonWriter next() {
    if (levels_.empty()) return root_;
    Level& level = levels_.back();
    if (level.array) {
      names_.drop();
      return level.at.element();
    }
    return level.at.member(names_.take(level.unnamed));
  }
  void begin() {
    levels_.push_back({next(), false, 0});
    levels_.back().at.object();
  }
  void end() { levels_.pop_back(); }
  void make_array() {
    levels_.back().at.array();
    levels_.back().array = true;
  }

 private:
  struct Level {
    JsonWriter at;
    bool array;
    std::size_t unnamed;
  };
  JsonWriter root_;
  std::vector<Level> levels_;
  MemberNames names_;
};

/// Reads a value from JSON. Lives for one call; one thread.
class JsonInputArchive : public cereal::InputArchive<JsonInputArchive>,
                         public cereal::traits::TextArchive {
 public:
  explicit JsonInputArchive(const JsonReader& root)
      : cereal::InputArchive<JsonInputArchive>(this), root_(root) {}

  void set_next_name(const char* name) { names_.set_next(name); }
  /// The place of the next value; throws if there is none.
  JsonReader next() {
    if (levels_.empty()) return root_;
    Level& level = levels_.back();
    if (level.at.is_array()) {
      names_.drop();
      if (level.place == level.at.size()) throw JsonFailure("too few elements");
      return level.at.element(level.place++);
    }
    const std::string name = names_.take(level.place);
    const auto member = level.at.member(name);
    if (!member) throw JsonFailure("no member " + name);
    return *member;
  }
  void begin() {
    const JsonReader at = next();
    if (!at.is_array() && !at.is_object()) throw JsonFailure("not an object");
    levels_.push_back({at, 0});
  }
  void end() { levels_.pop_back(); }
  std::size_t size() const {
    if (!levels_.back().at.is_array()) throw JsonFailure("not an array");
    return levels_.back().at.size();
  }
  /// Throws if the next value is of another type.
  template <class T>
  void read(T& value) {
    if (!next().read(value)) throw JsonFailure("another type");
  }

 private:
  struct Level {
    JsonReader at;
    std::size_t place;  // of the next element, or the number of the next unnamed member
  };
  JsonReader root_;
  std::vector<Level> levels_;
  MemberNames names_;
};

// Customisation points of cereal, by these names.

/// Classes, which become objects or arrays.
template <class Archive, class T>
inline constexpr bool kJsonNode = false;
template <class T>
inline constexpr bool kJsonNode<JsonOutputArchive, T> =
    CountedClass<T> && !std::is_same_v<T, std::string> &&
    !cereal::traits::has_minimal_output_serialization<T, JsonOutputArchive>::value;
template <class T>
inline constexpr bool kJsonNode<JsonInputArchive, T> =
    CountedClass<T> && !std::is_same_v<T, std::string> &&
    !cereal::traits::has_minimal_input_serialization<T, JsonInputArchive>::value;

template <class T>
void prologue(JsonOutputArchive& archive, const T&) {
  if constexpr (kJsonNode<JsonOutputArchive, T>) archive.begin();
}
template <class T>
void epilogue(JsonOutputArchive& archive, const T&) {
  if constexpr (kJsonNode<JsonOutputArchive, T>) archive.end();
}
template <class T>
void prologue(JsonInputArchive& archive, const T&) {
  if constexpr (kJsonNode<JsonInputArchive, T>) archive.begin();
}
template <class T>
void epilogue(JsonInputArchive& archive, const T&) {
  if constexpr (kJsonNode<JsonInputArchive, T>) archive.end();
}

template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_SAVE_FUNCTION_NAME(JsonOutputArchive& archive, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    archive.next().boolean(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    archive.next().real(static_cast<double>(value));
  } else if constexpr (std::is_signed_v<T>) {
    archive.next().integer(static_cast<std::int64_t>(value));
  } else {
    archive.next().integer(static_cast<std::uint64_t>(value));
  }
}
template <class T>
requires std::is_arithmetic_v<T>
void CEREAL_LOAD_FUNCTION_NAME(JsonInputArchive& archive, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    archive.read(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    double wide = 0;
    archive.read(wide);
    value = static_cast<T>(wide);
  } else {
    std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t> wide = 0;
    archive.read(wide);
    value = static_cast<T>(wide);
    if (value != wide) throw JsonFailure("out of range");
  }
}

inline void CEREAL_SAVE_FUNCTION_NAME(JsonOutputArchive& archive, const std::string& text) {
  archive.next().text(text);
}
inline void CEREAL_LOAD_FUNCTION_NAME(JsonInputArchive& archive, std::string& text) {
  archive.read(text);
}

template <class Archive, class T>
CEREAL_ARCHIVE_RESTRICT(JsonInputArchive, JsonOutputArchive)
CEREAL_SERIALIZE_FUNCTION_NAME(Archive& archive, cereal::NameValuePair<T>& pair) {
  archive.set_next_name(pair.name);
  archive(pair.value);
}

template <class T>
void CEREAL_SAVE_FUNCTION_NAME(JsonOutputArchive& archive, const cereal::SizeTag<T>&) {
  archive.make_array();
}
template <class T>
void CEREAL_LOAD_FUNCTION_NAME(JsonInputArchive& archive, cereal::SizeTag<T>& tag) {
  tag.size = archive.size();
}

}  // namespace starbus::entity::archives

CEREAL_SETUP_ARCHIVE_TRAITS(starbus::entity::archives::JsonInputArchive,
                            starbus::entity::archives::JsonOutputArchive)
