// What a tool says of a command line that it does not understand.
#include "tools/terminal/command_line.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace starbus::tools {
namespace {

class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    app_.require_subcommand(1);
    CLI::App& mail = *app_.add_subcommand("mail", "has commands of its own");
    mail.require_subcommand(1);
    mail.add_subcommand("ls", "lists")->add_option("name", name_)->required();
    mail.add_subcommand("peek", "shows");
    app_.add_subcommand("tree", "is one")->add_flag("--all", all_);
  }

  std::optional<int> parse(const std::vector<std::string>& arguments) {
    out_.str({});
    err_.str({});
    return tools::parse(app_, arguments, out_, err_, 64);
  }

  CLI::App app_{"a tool", "tool"};
  std::string name_;
  bool all_ = false;
  std::ostringstream out_, err_;
};

TEST_F(CommandLineTest, WhatItUnderstandsGoesOn) {
  EXPECT_EQ(parse({"mail", "ls", "player/1"}), std::nullopt);
  EXPECT_EQ(name_, "player/1");
  EXPECT_EQ(err_.str() + out_.str(), "");
}

TEST_F(CommandLineTest, HelpIsNoMistake) {
  EXPECT_EQ(parse({"--help"}), 0);
  EXPECT_NE(out_.str().find("a tool"), std::string::npos);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(CommandLineTest, UnknownCommandListsKnownOnes) {
  EXPECT_EQ(parse({"tre"}), 64);
  EXPECT_EQ(err_.str(),
            "tool: no command \"tre\"; commands of tool: mail, tree\n"
            "  -> tool --help\n");
  EXPECT_EQ(parse({"mail", "rm", "player/1"}), 64);
  EXPECT_EQ(err_.str(),
            "tool: no command \"rm\"; commands of tool mail: ls, peek\n"
            "  -> tool mail --help\n");
}

TEST_F(CommandLineTest, NoCommandAtAllIsSaid) {
  EXPECT_EQ(parse({}), 64);
  EXPECT_EQ(err_.str(),
            "tool: a command is missing; commands of tool: mail, tree\n"
            "  -> tool --help\n");
}

TEST_F(CommandLineTest, AMistakeWithinACommandLeadsToItsOwnHelp) {
  EXPECT_EQ(parse({"tree", "--al"}), 64);
  EXPECT_EQ(err_.str(),
            "tool: The following argument was not expected: --al\n"
            "  -> tool tree --help\n");
  EXPECT_EQ(parse({"mail", "ls"}), 64);
  EXPECT_EQ(err_.str(), "tool: name is required\n  -> tool mail ls --help\n");
}

}  // namespace
}  // namespace starbus::tools
