// The command line of starbus-bots: what it says, and how it ends.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/places.hpp"
#include "tools/bots/cli.hpp"
#include "tools/bots/report.hpp"

namespace starbus::bots {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out, err;
};
Ran bots(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = run_bots(arguments, {out, err});
  return {code, out.str(), err.str()};
}
const std::string kScript = source_file("examples/plaza/bots.toml");

TEST(BotCommandLine, HelpNamesEachOption) {
  const Ran help = bots({"--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* option :
       {"SCRIPT", "--bots", "--first", "--gate", "--arrive", "--duration", "--threads", "--seed",
        "--save-tickets", "--violations", "--check", "--json", "--quiet", "--version"}) {
    EXPECT_THAT(help.out, HasSubstr(option));
  }
}

TEST(BotCommandLine, WrongOnesAreRefused) {
  EXPECT_EQ(bots({}).code, 2);
  EXPECT_EQ(bots({kScript, "--bots", "0"}).code, 2);
  EXPECT_EQ(bots({kScript, "--bots", "100001"}).code, 2);
  EXPECT_EQ(bots({kScript, "--threads", "65"}).code, 2);
  EXPECT_EQ(bots({kScript, "--violations", "10001"}).code, 2);
  EXPECT_THAT(bots({kScript, "--gate", "x"}).err, HasSubstr("--gate x: give tcp://HOST:PORT"));
  EXPECT_THAT(bots({kScript, "--duration", "x"}).err, HasSubstr("--duration x: give a number"));
  const Ran missing = bots({"/no/script.toml"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("/no/script.toml: cannot be read"));
}

TEST(BotCommandLine, AScriptIsChecked) {
  const Ran checked = bots({kScript, "--check"});
  EXPECT_EQ(checked.code, 0) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("all is well"));
}

TEST(BotSummary, HasEachKeyOfThePage) {
  const Script script = read_script(kScript).value();
  Outcome outcome(script.says.size(), script.hears.size());
  outcome.violations.count = 1;
  outcome.violations.kinds[0] = 1;
  outcome.violations.told.push_back({5, 4, "bot4", Broken::gap, "tick", "3", "4"});
  const auto json = summary_json(script, {"s", 1, 1}, outcome);
  EXPECT_EQ(outcome.exit_code(), 3);
  EXPECT_EQ(json["result"], "violated");
  EXPECT_EQ(json["violations"]["kinds"]["gap"], 1);
  EXPECT_THAT(summary_text(script, {"s", 1, 1}, outcome),
              HasSubstr("5 ms, bot 4 (bot4): gap of tick: expected 3, got 4"));
  std::ifstream file(source_file("docs/operate/bots.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto all = [&](const auto& self, const bustop::OrderedJson& each) -> void {
    if (each.is_array() && !each.empty()) return self(self, each[0]);
    if (!each.is_object()) return;
    for (const auto& [key, value] : each.items()) {
      EXPECT_THAT(page, testing::AnyOf(HasSubstr("`" + key + "`"), HasSubstr('"' + key + '"')));
      self(self, value);
    }
  };
  all(all, json);
}

}  // namespace
}  // namespace starbus::bots
