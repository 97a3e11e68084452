/// ConfigReader: keys with one value, and lists of strings.
#include <algorithm>

#include "daemon/config/config_document.hpp"

namespace starbus::daemon {
namespace {

std::string out_of_range(std::string_view key, std::string_view min, std::string_view max) {
  std::string text = in_quotes(key).append(" must be between ").append(min);
  return text.append(" and ").append(max);
}

}  // namespace

std::string ConfigReader::string(std::string_view key, std::string_view fallback) {
  const std::string* value = look_up(key, "a string").value<std::string>();
  return value == nullptr ? std::string(fallback) : *value;
}

std::string ConfigReader::required_string(std::string_view key) {
  const Lookup found = look_up(key, "a string");
  if (found.node == nullptr) {
    problem(key, "missing key " + in_quotes(key));
    return {};
  }
  const std::string* value = found.value<std::string>();
  if (value == nullptr) return {};
  if (value->empty()) found.fail(in_quotes(key) + " must not be empty");
  return *value;
}

std::string ConfigReader::choice(std::string_view key, std::string_view fallback,
                                 std::initializer_list<std::string_view> choices) {
  const Lookup found = look_up(key, "a string");
  const std::string* value = found.value<std::string>();
  if (value == nullptr) return std::string(fallback);
  if (std::ranges::find(choices, *value) != choices.end()) return *value;
  std::string text = in_quotes(key) + " must be one of";
  std::string_view separator = " ";
  for (std::string_view choice : choices) {
    text.append(separator).append(choice);
    separator = ", ";
  }
  found.fail(text + "; it is " + in_quotes(*value));
  return std::string(fallback);
}

bool ConfigReader::boolean(std::string_view key, bool fallback) {
  const bool* value = look_up(key, "true or false").value<bool>();
  return value == nullptr ? fallback : *value;
}

std::int64_t ConfigReader::integer_in(std::string_view key, std::int64_t fallback, std::int64_t min,
                                      std::int64_t max) {
  const Lookup found = look_up(key, "an integer");
  const std::int64_t* value = found.value<std::int64_t>();
  if (value == nullptr) return fallback;
  if (*value >= min && *value <= max) return *value;
  found.fail(out_of_range(key, std::to_string(min), std::to_string(max)) + "; it is " +
             std::to_string(*value));
  return fallback;
}

ConfigReader::Milliseconds ConfigReader::duration(std::string_view key, Milliseconds fallback,
                                                  Milliseconds min, Milliseconds max) {
  const Lookup found = look_up(key, "a duration such as \"30s\"");
  const std::string* text = found.value<std::string>();
  if (text == nullptr) return fallback;
  const auto value = parse_duration(*text);
  if (!value) {
    found.fail(in_quotes(key) + " must be a number with ms, s, m, h or d, such as \"30s\"; it is " +
               in_quotes(*text));
  } else if (*value < min || *value > max) {
    found.fail(out_of_range(key, format_duration(min), format_duration(max)) + "; it is " + *text);
  } else {
    return *value;
  }
  return fallback;
}

std::uint64_t ConfigReader::size(std::string_view key, std::uint64_t fallback, std::uint64_t min,
                                 std::uint64_t max) {
  const Lookup found = look_up(key, "a size such as \"16MiB\"");
  std::string text;
  if (found.node != nullptr && found.node->is_integer()) {
    text = std::to_string(found.node->as_integer()->get());
  } else if (const std::string* written = found.value<std::string>()) {
    text = *written;
  } else {
    return fallback;
  }
  const auto value = parse_size(text);
  if (!value) {
    found.fail(in_quotes(key) + " must be bytes, or a number with KiB, MiB or GiB, such as " +
               "\"16MiB\"; it is " + in_quotes(text));
  } else if (*value < min || *value > max) {
    const std::string most = max >= kNoMaximum ? "8EiB" : format_size(max);
    found.fail(out_of_range(key, format_size(min), most) + "; it is " + text);
  } else {
    return *value;
  }
  return fallback;
}

double ConfigReader::number(std::string_view key, double fallback, double min, double max) {
  const Lookup found = look_up(key, "a number");
  if (found.node == nullptr) return fallback;
  const auto value = found.node->value<double>();
  const auto shown = [](double each) { return (std::ostringstream() << each).str(); };
  if (!value || found.node->is_boolean()) {
    found.fail(not_a(key, found.wanted, *found.node));
  } else if (!(*value >= min && *value <= max)) {
    found.fail(out_of_range(key, shown(min), shown(max)) + "; it is " + shown(*value));
  } else {
    return *value;
  }
  return fallback;
}

std::vector<ConfigReader::Scalar> ConfigReader::scalars(std::string_view key) {
  const Lookup found = look_up(key, "a list of values");
  std::vector<Scalar> all;
  if (found.node == nullptr) return all;
  const toml::array* list = found.node->as_array();
  if (list == nullptr) {
    found.fail(not_a(key, found.wanted, *found.node));
    return all;
  }
  for (const toml::node& item : *list) {
    if (const auto* flag = item.as_boolean()) {
      all.emplace_back(flag->get());
    } else if (const auto* integer = item.as_integer()) {
      all.emplace_back(integer->get());
    } else if (const auto* fraction = item.as_floating_point()) {
      all.emplace_back(fraction->get());
    } else if (const auto* text = item.as_string()) {
      all.emplace_back(text->get());
    } else {
      document_->add(item, not_a(key, found.wanted, item) + " in it");
    }
  }
  return all;
}

std::vector<std::string> ConfigReader::strings(std::string_view key,
                                               std::vector<std::string> fallback) {
  const Lookup found = look_up(key, "a list of strings");
  if (found.node == nullptr) return fallback;
  const toml::array* list = found.node->as_array();
  if (list == nullptr) {
    found.fail(not_a(key, found.wanted, *found.node));
    return fallback;
  }
  std::vector<std::string> all;
  for (const toml::node& item : *list) {
    const auto* text = item.as_string();
    if (text == nullptr) {
      document_->add(item, not_a(key, found.wanted, item) + " in it");
    } else if (std::ranges::find(all, text->get()) != all.end()) {
      document_->add(item, in_quotes(key) + " names " + in_quotes(text->get()) + " twice");
    } else {
      all.push_back(text->get());
    }
  }
  return all;
}

}  // namespace starbus::daemon
