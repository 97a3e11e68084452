// One entity as text for people.
#include <nlohmann/json.hpp>

#include "tools/bustop/manager_view.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using Json = nlohmann::ordered_json;

/// Scalars as they are, whatever stands for them.
std::string plain(const Json& value) {
  if (value.is_string()) return printable(value.get<std::string>());
  return printable(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string field(const Json& entity, const char* name) {
  const auto found = entity.find(name);
  return found == entity.end() || found->is_null() ? std::string("-") : plain(*found);
}

bool is_true(const Json& entity, const char* name) {
  const auto found = entity.find(name);
  return found != entity.end() && found->is_boolean() && found->get<bool>();
}

/// Objects line by line, everything else on one line.
void add_tree(const Json& value, const std::string& name, std::size_t depth, std::string& text) {
  text.append(2 * depth, ' ').append(printable(name));
  if (!value.is_object() || value.empty()) {
    text.append("  ").append(plain(value)).append("\n");
    return;
  }
  text += "\n";
  for (const auto& [key, inner] : value.items()) add_tree(inner, key, depth + 1, text);
}

std::string saving_of(const Json& entity) {
  if (is_true(entity, "saving")) return "on its way to the store";
  return is_true(entity, "unsaved") ? "has changed, and is not saved" : "saved, or nothing to save";
}

std::string steps_of(const Json& entity) {
  const auto steps = entity.find("steps");
  if (steps == entity.end() || !steps->is_array()) return {};
  std::string text;
  for (const Json& step : *steps) {
    text += "step     " + field(step, "step") + " in " + field(step, "due_in_ms") + " ms";
    const std::string every = field(step, "every_ms");
    text += every == "-" ? "\n" : ", every " + every + " ms\n";
  }
  if (entity.contains("steps_left_out")) {
    text += "step     and " + field(entity, "steps_left_out") + " more\n";
  }
  return text;
}

std::string machines_of(const Json& entity) {
  const auto machines = entity.find("machines");
  if (machines == entity.end() || !machines->is_array()) return {};
  std::string text;
  for (const Json& machine : *machines) {
    const std::string state = field(machine, "state");
    text +=
        "machine  " + field(machine, "machine") + ": " +
        (state.empty() ? "does not run" : state + " for " + field(machine, "in_state_ms") + " ms");
    const std::string deadline = field(machine, "deadline_in_ms");
    if (deadline != "-") text += ", deadline in " + deadline + " ms";
    text += ", " + field(machine, "ignored") + " events ignored\n";
  }
  if (entity.contains("machines_left_out")) {
    text += "machine  and " + field(entity, "machines_left_out") + " more\n";
  }
  return text;
}

}  // namespace

std::string render_entity(const Json& entity, const Look& look) {
  if (!entity.is_object()) return plain(entity) + "\n";
  const bool dirty = is_true(entity, "unsaved") || is_true(entity, "saving");
  std::string text = "entity   " + field(entity, "type") + " " + field(entity, "persistent_id") +
                     ", " + field(entity, "state") + (is_true(entity, "moving") ? ", moving" : "") +
                     "\n";
  text += "id       " + field(entity, "online_id") + "\n";
  text += "channel  " + field(entity, "channel") + ", epoch " + field(entity, "epoch") + "\n";
  text += "space    " + field(entity, "space") + "\n";
  text += "parts    " + field(entity, "components") + "\n";
  text += "kept     " + toned(look, dirty ? Tone::warning : Tone::good, saving_of(entity)) + "\n";
  text += "watched  " + field(entity, "watched") + ", mirrors " + field(entity, "mirrors") + "\n";
  text += "busy     " + field(entity, "busy_ms_per_s") + " ms of each second of its loop\n";
  text += "waits    " + field(entity, "questions") + " questions, " + field(entity, "coroutines") +
          " coroutines\n";
  text += steps_of(entity) + machines_of(entity);
  if (entity.contains("properties_left_out")) {
    return text + "properties are left out: " + field(entity, "properties_left_out") + " bytes\n";
  }
  if (!entity.contains("properties")) return text + "no properties\n";
  add_tree(entity["properties"], "properties", 0, text);
  return text;
}

}  // namespace starbus::bustop
