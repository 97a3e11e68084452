#include "daemon/config/endpoint.hpp"

#include <gtest/gtest.h>

namespace starbus::daemon {
namespace {

TEST(Endpoint, ReadsAndWrites) {
  EXPECT_EQ(parse_endpoint("127.0.0.1:9321").value(), (Endpoint{"127.0.0.1", 9321}));
  EXPECT_EQ(parse_endpoint("[::1]:0").value(), (Endpoint{"::1", 0}));
  EXPECT_EQ(parse_endpoint("localhost:65535").value(), (Endpoint{"localhost", 65535}));
  for (const char* text : {"127.0.0.1:9321", "[::1]:1", "localhost:2"}) {
    EXPECT_EQ(parse_endpoint(text).value().to_string(), text);
  }
}

TEST(Endpoint, RefusesTheRest) {
  for (const char* bad : {"", ":", ":80", "host", "host:", "host:x", "host:65536", "host:-1",
                          "host:80 ", "::1:80", "[]:80"}) {
    EXPECT_EQ(parse_endpoint(bad).error(), bus::Errc::bad_config) << bad;
  }
}

}  // namespace
}  // namespace starbus::daemon
