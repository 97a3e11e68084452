#include "tools/bustop/live/live_view.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/report/document.hpp"
#include "tests/tools/samples.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::bustop {
namespace {

using testing::HasSubstr;
using testing::Not;
using Kind = Key::Kind;

class Live : public testing::Test {
 protected:
  Live() {
    live_.resize(100, 12);
    feed();
  }

  void feed(double at = 1, std::uint64_t bytes = 1000) {
    LiveData data;
    data.want = live_.want();
    data.at_s = at;
    data.cluster.local = report::from_json<DaemonStatus>(test::kStatusA).value();
    data.cluster.root = report::from_json<RootTopology>(test::kTopologyRoot).value();
    for (const HostRow& row : data.cluster.root->hosts) {
      HostView host;
      host.name = row.host;
      host.local = row.host == "a";
      host.row = row;
      if (host.row->link) host.row->link->bytes_in = bytes;
      data.cluster.hosts.push_back(host);
    }
    if (data.want.level != LiveLevel::cluster) {
      data.host = report::from_json<HostTopology>(data.want.host == "a" ? test::kTopologyA
                                                                        : test::kTopologyB)
                      .value();
    }
    if (data.want.level == LiveLevel::process) {
      data.names = {{"player/1", "", data.want.process, "3.1", "3.1", "active"},
                    {"player/2", "", data.want.process, "3.2", "3.2", "active"}};
      data.names_scanned = data.names_total = 2;
    }
    live_.on_data(data);
  }
  void press(const std::string& characters) {
    for (const char c : characters) live_.on_key(Key::of(c));
  }
  void press(Kind kind) { live_.on_key({kind}); }
  std::string screen() const {
    std::string text;
    for (const std::string& line : live_.frame()) text += line + "\n";
    return text;
  }

  LiveView live_{"http://127.0.0.1:7611", false};
};

TEST_F(Live, ShowsHosts) {
  const auto lines = live_.frame();
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_THAT(lines[0], HasSubstr("busroot up  term 3  3 hosts  1 processes  1.5 k names"));
  EXPECT_EQ(lines[1], "cluster");
  EXPECT_THAT(lines[2], HasSubstr("HOST  STATE  PROCS"));
  EXPECT_THAT(lines[3], HasSubstr("\x1b[7ma *"));  // the cursor
  EXPECT_THAT(lines[5], HasSubstr("down"));
  EXPECT_THAT(lines[11], HasSubstr("1/3  by HOST"));
}

TEST_F(Live, RatesComeWithTheSecondReading) {
  EXPECT_THAT(screen(), Not(HasSubstr("MB/s")));
  feed(3, 1000 + 2'400'000);
  EXPECT_THAT(screen(), HasSubstr("1.2 MB/s"));
}

TEST_F(Live, SelectsAndStaysInBounds) {
  EXPECT_EQ(live_.selected(), "a");
  press(Kind::up);
  EXPECT_EQ(live_.selected(), "a");
  press("jj");
  EXPECT_EQ(live_.selected(), "c");
  press(Kind::page_down);
  EXPECT_EQ(live_.selected(), "c");
  press("k");
  EXPECT_EQ(live_.selected(), "b");
  press(Kind::home);
  EXPECT_EQ(live_.selected(), "a");
  press(Kind::end);
  EXPECT_EQ(live_.selected(), "c");
}

TEST_F(Live, SortsAndKeepsTheSelection) {
  press("j");
  press("sss");  // STATE, PROCS, NAMES
  EXPECT_THAT(screen(), HasSubstr("by NAMES"));
  EXPECT_EQ(live_.selected(), "b");
  EXPECT_THAT(live_.frame()[3], HasSubstr("a *"));  // most names first
  press("r");
  EXPECT_THAT(screen(), HasSubstr("by NAMES reversed"));
  EXPECT_THAT(live_.frame()[3], HasSubstr("c"));
  EXPECT_EQ(live_.selected(), "b");
}

TEST_F(Live, DrillsDownAndComesBackToWhereItWas) {
  press(Kind::enter);
  EXPECT_EQ(live_.want(), (LiveWant{LiveLevel::host, "a", {}}));
  EXPECT_THAT(screen(), HasSubstr("cluster > a  ..."));
  press(Kind::enter);  // nothing to enter yet
  EXPECT_EQ(live_.want().level, LiveLevel::host);
  feed();
  EXPECT_THAT(screen(), HasSubstr("gate-1"));
  EXPECT_THAT(screen(), HasSubstr("silent 4.2 s"));
  press("j");
  press(Kind::enter);
  EXPECT_EQ(live_.want(), (LiveWant{LiveLevel::process, "a", "a.space-1"}));
  feed();
  EXPECT_THAT(screen(), HasSubstr("cluster > a > space-1"));
  EXPECT_THAT(screen(), HasSubstr("player/2"));
  press(Kind::enter);  // nothing below
  EXPECT_EQ(live_.want().level, LiveLevel::process);
  press(Kind::escape);
  feed();
  EXPECT_EQ(live_.selected(), "a.space-1");
  press(Kind::backspace);
  feed();
  EXPECT_EQ(live_.want(), LiveWant{});
  EXPECT_EQ(live_.selected(), "a");
}

TEST_F(Live, IgnoresDataOfAPlaceThatWasLeft) {
  LiveData late;
  late.want = live_.want();
  press(Kind::enter);
  live_.on_data(late);
  EXPECT_THAT(screen(), HasSubstr("cluster > a  ..."));
}

TEST_F(Live, Filters) {
  press("/");
  press("b");
  EXPECT_THAT(live_.frame().back(), HasSubstr("/b_"));
  EXPECT_EQ(live_.selected(), "b");
  press("q");  // a letter of the filter, not the end
  EXPECT_FALSE(live_.quit());
  EXPECT_EQ(live_.selected(), "");
  press(Kind::backspace);
  press(Kind::enter);
  EXPECT_THAT(screen(), HasSubstr("1/1"));
  EXPECT_THAT(screen(), HasSubstr("filter /b"));
  press(Kind::escape);
  EXPECT_THAT(screen(), HasSubstr("1/3"));
}

TEST_F(Live, FilterForgetsWholeCharacters) {
  press("/");
  press("a\xc3\xa9");
  press(Kind::backspace);
  EXPECT_THAT(live_.frame().back(), HasSubstr("/a_"));
}

TEST_F(Live, PauseHelpIntervalQuit) {
  press("p");
  EXPECT_TRUE(live_.paused());
  EXPECT_THAT(screen(), HasSubstr("paused"));
  press("p");
  EXPECT_FALSE(live_.paused());
  press("+");
  EXPECT_EQ(live_.interval(), std::chrono::milliseconds(2000));
  press("-----");
  EXPECT_EQ(live_.interval(), std::chrono::milliseconds(250));
  press("h");
  EXPECT_THAT(screen(), HasSubstr("any key: back"));
  press("x");
  EXPECT_THAT(screen(), Not(HasSubstr("any key: back")));
  press("q");
  EXPECT_TRUE(live_.quit());
}

TEST_F(Live, KeepsTheLastFrameThroughErrors) {
  LiveData failed;
  failed.error = {Errc::unreachable, "refused"};
  live_.on_data(failed);
  EXPECT_THAT(screen(), HasSubstr("unreachable: refused: trying again"));
  EXPECT_THAT(screen(), HasSubstr("a *"));
  feed();
  EXPECT_THAT(screen(), Not(HasSubstr("trying again")));
}

TEST_F(Live, FitsAnySize) {
  for (std::size_t columns : {1U, 2U, 7U, 20U, 80U, 300U}) {
    for (std::size_t rows : {1U, 2U, 3U, 4U, 5U, 50U}) {
      live_.resize(columns, rows);
      const auto lines = live_.frame();
      EXPECT_LE(lines.size(), rows);
      for (const std::string& line : lines) {
        std::string plain;
        for (std::size_t i = 0; i < line.size(); ++i) {
          if (line[i] == '\x1b') {
            i = line.find('m', i);
          } else {
            plain += line[i];
          }
        }
        EXPECT_LE(starbus::bustop::columns(plain), columns) << line;
      }
    }
  }
}

TEST_F(Live, ScrollsToTheSelection) {
  live_.resize(100, 5);  // one row of the table
  press(Kind::end);
  EXPECT_THAT(screen(), HasSubstr("down"));
  EXPECT_THAT(screen(), Not(HasSubstr("a *")));
}

TEST_F(Live, HostileNamesDoNotReachTheTerminal) {
  LiveData data;
  HostView host;
  host.name = "x\x1b[2Jy";
  data.cluster.hosts.push_back(host);
  data.cluster.root_trouble = Errc::deadline;
  live_.on_data(data);
  EXPECT_THAT(screen(), Not(HasSubstr("\x1b[2J")));
  EXPECT_THAT(screen(), HasSubstr("x\\x1b[2Jy"));
  EXPECT_THAT(screen(), HasSubstr("no busroot"));
}

}  // namespace
}  // namespace starbus::bustop
