// starbus-nav in this process, with a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/nav/cli.hpp"

namespace starbus::nav_tool::test {

class NavTool : public ::testing::Test {
 protected:
  NavTool()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("nav_tool_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~NavTool() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string read(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  struct Ran {
    int code;
    std::string out;
    std::string err;
  };
  static Ran run(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = run_nav_tool(arguments, {out, err});
    return {code, out.str(), err.str()};
  }

  // What a page plays.
  static nlohmann::json data_of(const std::string& html) {
    const auto begin = html.find("const data = ") + 13;
    return nlohmann::json::parse(html.substr(begin, html.find(";\n", begin) - begin));
  }

 private:
  std::filesystem::path folder_;
};

inline std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace starbus::nav_tool::test
