/// The inside of ConfigReader; only its own sources include this.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/config/config.hpp"
#include "daemon/config/config_values.hpp"

namespace starbus::daemon {

/// Pieces of the texts of problems.
inline std::string in_quotes(std::string_view text) {
  return std::string("'").append(text).append("'");
}

/// The type of a TOML value as the texts of problems call it.
inline std::string_view type_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// The text of a value of the wrong type.
inline std::string not_a(std::string_view key, std::string_view wanted, const toml::node& found) {
  std::string text = in_quotes(key).append(" must be ").append(wanted);
  return text.append(", not ").append(type_name(found));
}

struct ConfigReader::Document {
  struct Table {
    const toml::table* node;  // null for a table that the file does not have
    std::set<std::string, std::less<>> asked;
  };
  struct Problem {
    toml::source_position place;
    std::string text;
    bool operator<(const Problem& other) const {
      return std::tie(place.line, place.column) < std::tie(other.place.line, other.place.column);
    }
  };

  std::string file;
  toml::table root;
  std::vector<Table> tables;
  std::vector<Problem> problems;
  std::vector<Problem> warnings;

  std::size_t open(const toml::table* node) {
    const auto known = std::ranges::find(tables, node, &Table::node);
    if (node != nullptr && known != tables.end()) {
      return static_cast<std::size_t>(known - tables.begin());
    }
    tables.push_back({node, {}});
    return tables.size() - 1;
  }

  void add(const toml::node& place, std::string text) {
    problems.push_back({place.source().begin, std::move(text)});
  }

  /// Of a key, or of its table if that does not have it.
  toml::source_position place_of(std::size_t table, std::string_view key) const {
    const toml::table* const whole = tables[table].node;
    if (whole == nullptr) return {};
    const toml::node* const node = whole->get(key);
    return (node != nullptr ? node : whole)->source().begin;
  }

  std::string located(const Problem& problem) const {
    std::ostringstream text;
    text << file << ':';
    if (problem.place) text << problem.place.line << ':' << problem.place.column << ':';
    text << ' ' << problem.text;
    return std::move(text).str();
  }

  void refuse_unknown_keys(const Table& table) {
    if (table.node == nullptr) return;
    const std::vector<std::string> known(table.asked.begin(), table.asked.end());
    for (const auto& [key, value] : *table.node) {
      if (table.asked.contains(key.str())) continue;
      std::string text = value.is_table() ? "unknown table " : "unknown key ";
      text.append(in_quotes(key.str()));
      if (const auto hint = closest_word(key.str(), known)) {
        text.append("; did you mean ").append(in_quotes(*hint)).append("?");
      }
      problems.push_back({key.source().begin, std::move(text)});
    }
  }
};

struct ConfigReader::Lookup {
  Document* document;
  std::string_view key;
  std::string_view wanted;
  const toml::node* node;  // null when the key is not there

  void fail(std::string text) const { document->add(*node, std::move(text)); }
  /// The value, or null; then a wrong type has been noted.
  template <class T>
  const T* value() const {
    if (node == nullptr) return nullptr;
    if (const auto* found = node->as<T>()) return &found->get();
    fail(not_a(key, wanted, *node));
    return nullptr;
  }
};

}  // namespace starbus::daemon
