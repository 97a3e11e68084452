#include "daemon/config/protocol_setting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bus/core/wire/version.hpp"

namespace starbus::daemon {
namespace {

Result<std::uint8_t> minor_of(const std::string& text) {
  auto reader = ConfigReader::parse(text, "busd.toml");
  if (!reader) return reader.error();
  const std::uint8_t minor = read_protocol(*reader);
  if (auto finished = reader->finish(); !finished) return finished.error();
  return minor;
}

TEST(ProtocolSetting, IsThisReleasesOrTheOneBeforeIt) {
  EXPECT_EQ(*minor_of(""), bus::kVersionMinor);
  EXPECT_EQ(*minor_of("protocol = \"" + bus::protocol_text(bus::kVersionMinor) + "\""),
            bus::kVersionMinor);
  EXPECT_EQ(*minor_of("protocol = \"" + bus::protocol_text(bus::kVersionMinor - 1) + "\""),
            bus::kVersionMinor - 1);
}

TEST(ProtocolSetting, RefusesAnyOther) {
  for (const char* text : {"protocol = \"1.9\"", "protocol = \"2.0\"", "protocol = 1.0"}) {
    const auto minor = minor_of(text);
    ASSERT_FALSE(minor) << text;
    EXPECT_THAT(minor.error().detail, testing::HasSubstr("busd.toml:1:12: 'protocol'"));
  }
}

}  // namespace
}  // namespace starbus::daemon
