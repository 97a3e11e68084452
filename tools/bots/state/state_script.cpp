#include "tools/bots/state/state_script.hpp"

#include <algorithm>
#include <sstream>

#include "tools/bots/limits.hpp"

namespace starbus::bots {
namespace {

using daemon::ConfigReader;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kLongest = 1h;

std::string quoted(const std::string& text) {
  return "'" + text + "'";
}

/// "health i32".
void read_fields(ConfigReader& in, const char* key, bool others, StateTable& state) {
  for (const std::string& text : in.strings(key)) {
    const std::size_t space = text.find(' ');
    const std::string name = text.substr(0, space);
    const auto type = space == std::string::npos
                          ? std::nullopt
                          : read_type(std::string_view(text).substr(space + 1));
    if (!type || name.empty()) {
      in.problem(key, quoted(text) +
                          " is not of the form \"health i32\": a name and b, i8 .. i64, "
                          "u8 .. u64, f32, f64 or str");
    } else if (state.find(name)) {
      in.problem(key, quoted(name) + " is the name of another field");
    } else {
      state.fields.push_back({name, *type, others});
    }
  }
}

bool is_integer(Type type) {
  return type != Type::str && type != Type::f32 && type != Type::f64 && type != Type::b;
}

std::optional<std::size_t> number_field(ConfigReader& in, const char* key, const std::string& name,
                                        const StateTable& state) {
  const auto at = state.find(name);
  if (at && is_integer(state.fields[*at].type)) return at;
  in.problem(key,
             quoted(name) + " must be one of 'fields' and 'own_fields', of a type of integers");
  return std::nullopt;
}

/// "gold = looted + received - given".
void read_sum(ConfigReader& in, const char* key, const std::string& text, const StateTable& state,
              std::vector<StateSum>& sums) {
  std::istringstream words(text);
  std::string name;
  std::string sign;
  StateSum sum;
  sum.text = text;
  words >> name >> sign;
  const auto left = number_field(in, key, name, state);
  if (!left) return;
  sum.left = *left;
  bool adds = true;
  bool good = sign == "=";
  while (good && words >> name) {
    const auto each = number_field(in, key, name, state);
    if (!each) return;
    sum.right.emplace_back(adds, *each);
    if (!(words >> sign)) {
      sums.push_back(std::move(sum));
      return;
    }
    good = sign == "+" || sign == "-";
    adds = sign == "+";
  }
  in.problem(key, quoted(text) + " is not of the form \"gold = looted + received - given\"");
}

}  // namespace

std::optional<std::size_t> StateTable::find(std::string_view field) const {
  const auto at = std::ranges::find(fields, field, &Field::name);
  if (at == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(at - fields.begin());
}

StateTable read_state(ConfigReader& in) {
  StateTable state;
  state.name = in.required_string("name");
  state.of = in.required_string("class");
  state.properties = in.required_string("properties");
  state.own = in.boolean("own", false);
  read_fields(in, "fields", true, state);
  read_fields(in, "own_fields", false, state);
  if (state.fields.size() > kStateFields) {
    in.problem("fields", "at most " + std::to_string(kStateFields) + " fields; they are " +
                             std::to_string(state.fields.size()));
  }
  if (!state.own && in.has("own_fields")) {
    in.problem("own_fields", "'own_fields' needs 'own = true': nobody else sees them");
  }
  if (const std::string key = in.string("key", ""); !key.empty()) {
    state.key = state.find(key);
    if (!state.key || state.fields[*state.key].type != Type::str ||
        !state.fields[*state.key].others) {
      in.problem("key", quoted(key) + " must be one of 'fields', of type str");
    }
  }
  for (const std::string& name : in.strings("grows")) {
    if (const auto at = number_field(in, "grows", name, state)) state.grows.push_back(*at);
  }
  state.back = in.duration("back", 0ms, 0ms, kLongest);
  for (const std::string& text : in.strings("sums")) {
    read_sum(in, "sums", text, state, state.sums);
  }
  for (const std::string& text : in.strings("totals")) {
    read_sum(in, "totals", text, state, state.totals);
  }
  if (const std::string name = in.string("letters", ""); !name.empty()) {
    state.letters = number_field(in, "letters", name, state);
    state.letters_of = in.required_string("letters_of");
  }
  for (const char* key : {"grows", "sums", "totals", "letters"}) {
    if (!state.own && in.has(key)) in.problem(key, quoted(key) + " needs 'own = true'");
  }
  if (in.has("within")) state.within = in.duration("within", 200ms, 1ms, kLongest);
  if (in.has("speed")) state.speed = in.number("speed", 5, 0.01, 10'000);
  state.credit = in.duration("credit", 500ms, 0ms, kLongest);
  return state;
}

}  // namespace starbus::bots
