// What busd's configuration says of mail, and what it may not say.
#include "busd/settings.hpp"

#include <gmock/gmock.h>

#include "daemon/config/config.hpp"

namespace starbus::busd {
namespace {

using testing::HasSubstr;

/// The problems of a busd.toml with this [mail]; empty: there are none.
std::string problems_of(const std::string& mail) {
  auto reader = daemon::ConfigReader::parse("[busd]\nhost = 'a'\n[mail]\n" + mail, "busd.toml");
  if (!reader) return reader.error().detail;
  (void)read_settings(*reader);
  const auto end = reader->finish();
  return end ? "" : end.error().detail;
}

TEST(BusdSettings, TheFolderOfAStoreIsAbsolute) {
  EXPECT_THAT(problems_of("directory = 'mail'\n"), HasSubstr("must be an absolute path"));
  EXPECT_THAT(problems_of("directory = '/mail'\n"), testing::Not(HasSubstr("'directory'")));
}

TEST(BusdSettings, AgesAreMostlyDays) {
  EXPECT_THAT(problems_of("age = '30'\n"), HasSubstr("ms, s, m, h or d"));
  EXPECT_THAT(problems_of("age = '30d'\n"), testing::Not(HasSubstr("'age'")));
}

TEST(BusdSettings, OneTableForALogIsToldHowToWriteTheList) {
  EXPECT_THAT(problems_of("[mail.log]\nprefix = 'log/'\n"), HasSubstr("([[mail.log]])"));
}

}  // namespace
}  // namespace starbus::busd
