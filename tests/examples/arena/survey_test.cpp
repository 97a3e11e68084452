/// What the operator's view makes of the answers of programs, also of those that it should not get.
#include "examples/arena/operator/survey.hpp"

#include <gmock/gmock.h>

#include <map>

#include "tests/examples/arena/run.hpp"

namespace arena::view {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

class ArenaSurvey : public testing::Test {
 protected:
  /// A program that runs, and answers what `answers_` has.
  void add(const std::string& name, const std::string& kind, const std::string& node) {
    run_.add(name);
    Program& program = run_.programs.back();
    program.kind = kind;
    program.node = node;
    program.socket = "somewhere";
    const RunFolder folder(run_.path(), run_.programs);
    const Outcome outcome = folder.start(name);
    ASSERT_FALSE(outcome) << outcome->why;
    // Memory: the script has become the program.
    ASSERT_TRUE(test::wait_for([&] {
      const auto process = folder.look(program);
      return process && process->memory > 0;
    }));
  }
  Round round(Moment now = 0s) {
    if (!folder_) {
      folder_.emplace(run_.path(), run_.programs);
      survey_.emplace(
          *folder_,
          [this](const Program& program, const std::string& target) -> std::optional<json> {
            asked_.push_back(program.name + " " + target);
            const auto found = answers_.find(asked_.back());
            if (found == answers_.end()) return std::nullopt;
            return found->second;
          },
          [this] { return goes_on_; });
    }
    auto found = survey_->round(now);
    EXPECT_TRUE(found);
    return found ? std::move(*found) : Round{};
  }
  json row(const Round& round, const std::string& name) {
    for (const json& each : round.shown["programs"]) {
      if (each["name"] == name) return each;
    }
    return {};
  }

  test::Run run_;
  std::map<std::string, json> answers_;
  std::vector<std::string> asked_;
  bool goes_on_ = true;
  std::optional<RunFolder> folder_;
  std::optional<Survey> survey_;
};

TEST_F(ArenaSurvey, ShowsHostsProgramsAndSpaces) {
  add("arena-a", "arena", "arena");
  add("busd-a", "busd", "");
  answers_["busd-a /topology"] = json::parse(R"({
      "names": 7, "uplink": {"connected": true, "rtt_us": 120},
      "processes": [{"name": "a.arena", "names": 5, "vitals": {"sent_per_s": 44}}]})");
  answers_["arena-a /inspect"] =
      json::parse(R"({"state": "ready", "load": {"busy_ms_per_s": 12.5}})");
  answers_["arena-a /spaces"] = json::parse(R"({"spaces": [
      {"space": "meadow-1", "state": "running", "players": 1, "others": 2, "capacity": 300,
       "tick": {"per_second": 20, "window_missed": 3, "took_ms": {"p99": 0.5}}}]})");
  answers_["arena-a /spaces/members?space=meadow-1"] = json::parse(R"({
      "min": [0, 0, 0], "max": [200, 200, 0],
      "members": [{"id": "1", "persistent_id": "ada.1", "player": true, "at": [10.123, 20, 0]},
                  {"id": "2", "persistent_id": "", "player": false, "at": [1, 2, 0],
                   "nav": {"task": "follow", "way": [[3.26, 2, 0], [4, 5.5, 0]]}}]})");
  const Round found = round();
  EXPECT_EQ(found.shown["hosts"],
            json::parse(R"([{"host": "a", "connected": true, "rtt_us": 120.0, "names": 7}])"));
  const json arena = row(found, "arena-a");
  EXPECT_EQ(arena["up"], true);
  EXPECT_EQ(arena["answers"], true);
  EXPECT_EQ(arena["state"], "ready");
  EXPECT_EQ(arena["busy"], 12.5);
  EXPECT_EQ(arena["sent"], 44);
  EXPECT_EQ(arena["names"], 5);
  EXPECT_GT(arena["memory"], 0);
  ASSERT_EQ(found.shown["spaces"].size(), 1U);
  const json& space = found.shown["spaces"][0];
  EXPECT_EQ(space["space"], "meadow-1");
  EXPECT_EQ(space["program"], "arena-a");
  EXPECT_EQ(space["took_ms"], 0.5);
  EXPECT_EQ(space["missed"], 3);
  EXPECT_EQ(space["dots"],
            json::parse(R"([["1", 10.1, 20.0, 1], ["2", 1.0, 2.0, 0, [[3.3, 2.0], [4.0, 5.5]]]])"));
  ASSERT_EQ(found.crowds.size(), 1U);
  EXPECT_THAT(found.crowds[0].heroes, ElementsAre("ada.1"));
}

TEST_F(ArenaSurvey, SaysWhatIsDownAndWhatIsSilent) {
  add("busd-a", "busd", "");
  add("gate-a", "gate", "gate");
  const Program busd = run_.programs[0];
  const Process process = RunFolder(run_.path(), run_.programs).look(busd).value_or(Process{});
  ASSERT_FALSE(RunFolder(run_.path(), run_.programs).kill("busd-a", process.pid, process.started));
  ASSERT_TRUE(test::wait_for([&] { return !RunFolder(run_.path(), run_.programs).look(busd); }));
  const Round found = round();
  EXPECT_EQ(found.up, (std::map<std::string, bool>{{"busd-a", false}, {"gate-a", true}}));
  EXPECT_EQ(row(found, "busd-a")["up"], false);
  EXPECT_FALSE(row(found, "busd-a").contains("pid"));
  EXPECT_EQ(row(found, "gate-a")["answers"], false);
  EXPECT_EQ(found.shown["hosts"], json::parse(R"([{"host": "a", "connected": false}])"));
  EXPECT_THAT(asked_, ElementsAre("gate-a /inspect")) << "nobody asks what is down";
}

TEST_F(ArenaSurvey, AnswersOfAnotherFormShowAsNothing) {
  add("arena-a", "arena", "arena");
  add("busd-a", "busd", "");
  for (const char* text :
       {R"({})", R"({"processes": 7, "uplink": "x", "names": "many"})",
        R"({"processes": [1, "x", []], "spaces": [1, "y", {}]})",
        R"({"state": [], "load": 5, "spaces": {}})",
        R"({"spaces": [{"space": 5, "tick": {"took_ms": 1}, "players": -1}]})"}) {
    const json wrong = json::parse(text);
    for (const char* question : {"busd-a /topology", "arena-a /inspect", "arena-a /spaces"}) {
      answers_[question] = wrong;
    }
    const Round found = round();
    EXPECT_EQ(found.shown["programs"].size(), 2U) << wrong;
    EXPECT_THAT(found.crowds, IsEmpty());
  }
}

TEST_F(ArenaSurvey, WaysOfAnotherFormShowAsNone) {
  add("arena-a", "arena", "arena");
  answers_["arena-a /inspect"] = {{"state", "ready"}};
  answers_["arena-a /spaces"] =
      json::parse(R"({"spaces": [{"space": "cave-1", "state": "running"}]})");
  for (const char* nav : {R"(7)", R"([])", R"({"way": "x"})", R"({"way": {}})"}) {
    answers_["arena-a /spaces/members?space=cave-1"] = {
        {"members", {{{"id", "1"}, {"at", {1, 2, 0}}, {"nav", json::parse(nav)}}}}};
    EXPECT_EQ(round().shown["spaces"][0]["dots"], json::parse(R"([["1", 1.0, 2.0, 0]])")) << nav;
  }
}

TEST_F(ArenaSurvey, MembersThatAreTooManyAreLeftOut) {
  add("arena-a", "arena", "arena");
  answers_["arena-a /inspect"] = {{"state", "ready"}};
  json spaces = json::array();
  for (std::size_t i = 0; i < Survey::kMostSpaces + 1; ++i) {
    const std::string name = "cave-" + std::to_string(i + 1);
    spaces.push_back({{"space", name}, {"state", "running"}, {"players", 1}});
    answers_["arena-a /spaces/members?space=" + name] = {{"members", json::array()}};
  }
  json members = json::array();
  for (std::size_t i = 0; i < Survey::kMostMembers + 1; ++i) {
    members.push_back({{"id", std::to_string(i)}, {"player", false}, {"at", {1, 1, 0}}});
  }
  answers_["arena-a /spaces"] = {{"spaces", spaces}};
  answers_["arena-a /spaces/members?space=cave-1"] = {{"members", members}};
  const Round found = round();
  EXPECT_EQ(found.shown["spaces"].size(), Survey::kMostSpaces + 1);
  EXPECT_EQ(found.shown["spaces"][0]["dots"].size(), Survey::kMostMembers);
  EXPECT_EQ(found.crowds.size(), Survey::kMostSpaces) << "of the others the numbers alone";
}

TEST_F(ArenaSurvey, ProcessorTimeIsAShareOfWhatHasPassed) {
  add("gate-a", "gate", "gate");
  EXPECT_EQ(row(round(1s), "gate-a")["processor"], 0.0) << "nothing to compare with yet";
  const double share = row(round(100s), "gate-a")["processor"];
  EXPECT_GE(share, 0);
  EXPECT_LT(share, 0.5) << "it sleeps";
}

TEST_F(ArenaSurvey, EndsInTheMiddle) {
  add("gate-a", "gate", "gate");
  round();
  goes_on_ = false;
  EXPECT_FALSE(survey_->round(1s));
}

}  // namespace
}  // namespace arena::view
