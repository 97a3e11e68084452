// The table [login], and what an operator is told of mistakes in it.
#include "nodes/login/node/login_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace starbus::nodes::login {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The settings, and the problems of them.
std::pair<LoginSettings, std::string> read(const std::string& keys) {
  auto reader = daemon::ConfigReader::parse("[login]\nkey = 'k'\n" + keys, "login.toml");
  EXPECT_TRUE(reader);
  LoginSettings settings = read_login_settings(*reader);
  const auto finished = reader->finish();
  return {std::move(settings), finished ? "" : finished.error().detail};
}

TEST(LoginSettingsTest, LoadsHaveRanges) {
  const auto [plain, none] = read("");
  EXPECT_EQ(none, "");
  EXPECT_TRUE(plain.admission.places.load.roles.empty());
  const auto [settings, good] = read(
      "load_roles = ['space', 'accounts']\nload_full = 400\nload_none = 500\nload_weight = 7\n");
  EXPECT_EQ(good, "");
  const LoadOptions& load = settings.admission.places.load;
  EXPECT_THAT(load.roles, ElementsAre("space", "accounts"));
  EXPECT_EQ(load.full, 400U);
  EXPECT_EQ(load.none, 500U);
  EXPECT_EQ(load.weight, 7U);
  EXPECT_THAT(read("load_full = 950\n").second, HasSubstr("must be below load_none"));
  EXPECT_THAT(read("load_none = 1000\n").second, HasSubstr("load_none"));
  EXPECT_THAT(read("load_weight = 0\n").second, HasSubstr("load_weight"));
  EXPECT_THAT(read("load_roles = ['a b']\n").second, HasSubstr("is no role"));
  std::string many = "load_roles = [";
  for (std::size_t i = 0; i <= kLoadRoles; ++i) many += "'r" + std::to_string(i) + "', ";
  EXPECT_THAT(read(many + "]\n").second, HasSubstr("more than 8 roles"));
}

}  // namespace
}  // namespace starbus::nodes::login
