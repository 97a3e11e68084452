/// What bots are to do: docs/operate/bots.md has each key. Read from TOML, strictly: a key that is
/// unknown, a value out of its bounds or of the wrong type is refused with file and line, and with
/// what to write instead; all problems at once. Plain values.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/bots/gate_url.hpp"
#include "tools/bots/schedule.hpp"
#include "tools/bots/state/state_script.hpp"
#include "tools/bots/values.hpp"

namespace starbus::bots {

using std::chrono::milliseconds;

/// One kind of request.
struct Say {
  enum class When : std::uint8_t { rate, think, start };
  enum class Expect : std::uint8_t { any, echo, count };
  std::string name{};
  std::string method{};  // class.method
  Signature types{};
  std::vector<Scalar> arguments{};
  std::size_t size = 16;  // bytes of the payload, up to size_most
  std::size_t size_most = 16;
  When when = When::start;
  double rate = 0;  // a second
  milliseconds think{};
  milliseconds think_most{};
  double chance = 1;
  bool answer = true;
  Expect expect = Expect::any;
  std::string target{};    // a class: said if one of it is within reach, as {target}; empty: always
  double reach = 3;        // m
  bool has_other = false;  // {other}: another bot
  bool has_letter = false;  // {letter}: what is checked by Letters
};

/// One method of the client.
struct Hear {
  enum class Field : std::uint8_t { skip, account, origin, life, number, time, letter };
  std::string name{};
  std::string method{};
  Signature types{};
  std::optional<std::string> group{};
  std::vector<Field> fields{};  // one for each argument
  bool has(Field field) const;
};

/// How bots log in.
struct Entry {
  std::string method = "password";
  std::string account = "bot{n}";
  std::string password = "bot {n} password";
  std::string tickets{};  // a file
  bool in_order = false;  // there is one queue: whether it is kept is checked
};

/// Where the gates are.
struct Gates {
  std::vector<GateUrl> urls{};
  std::string ca{};
  std::vector<std::string> pins{};
  std::optional<Sources> from{};
};

/// How bots move in a space.
struct Walk {
  double speed = 4;      // m/s
  double range = 40;     // m around where it has come into the space
  milliseconds rest{};   // at a goal, on average
  std::string toward{};  // a class: half of its goals are at one of it that it sees
  /// Goals follow from this and the number of the bot; none: they are drawn.
  std::optional<std::uint32_t> paths{};
};

/// How bots go from one space to another.
struct Travel {
  struct Portal {
    std::string space{};  // the type of the space that it is in
    double x = 0;
    double y = 0;
  };
  milliseconds every{};  // on average
  std::vector<Portal> portals{};
};

/// How bots leave the game, and come back.
struct Leave {
  milliseconds every{};  // on average
  milliseconds away{};   // until they log in again
};

struct Script {
  std::uint64_t bots = 1;
  std::uint64_t first = 1;
  double arrive = 50;  // a second; 0: all at once
  milliseconds come_in{};
  milliseconds warm_up{};
  milliseconds duration{};  // 0: until a signal
  milliseconds settle{};
  Gates gates{};
  Entry login{};
  std::optional<std::string> character{};  // the name of one that is made
  std::vector<Say> says{};
  std::vector<Hear> hears{};
  std::vector<StateTable> states{};
  std::optional<Walk> walk{};
  std::optional<Travel> travel{};
  std::optional<Leave> leave{};
  std::optional<milliseconds> cut_every{};
  std::size_t cut_bytes = 1000;
  std::optional<milliseconds> takeover_every{};
};

/// Errors: bad_config, a problem a line.
Result<Script> read_script(const std::filesystem::path& file);
/// The same of a text; `name` is that of the file, for messages.
Result<Script> parse_script(std::string_view text, const std::string& name);
/// Replaces the URLs of the script. Errors: bad_config.
Result<> use_gates(Script& script, const std::vector<std::string>& urls);

/// What stands for a name within braces.
struct Filling {
  std::string account{};
  std::string payload{};
  std::string other{};  // account of another bot
  std::string letter{};
};
/// Puts values for `{n}`, `{account}`, `{payload}`, `{other}` and `{letter}`.
std::string filled(std::string text, std::uint64_t n, const Filling& by = {});

}  // namespace starbus::bots
