#include "bus/io/endpoint.hpp"

#include <gtest/gtest.h>

namespace starbus::bus::io {
namespace {

TEST(Endpoint, ReadsAndPrintsEveryScheme) {
  for (const char* text :
       {"unix:///run/starbus/busd.sock", "ipc:///run/starbus/busd.ipc", "stream://10.0.0.1:7600",
        "tcp://[::1]:7600", "tcp://root.example:1", "stream://*:0"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(endpoint->to_string(), text);
  }
  EXPECT_EQ(parse_endpoint("tcp://[::1]:7600")->host, "::1");
  EXPECT_EQ(parse_endpoint("stream://10.0.0.1:65535")->port, 65535);
}

TEST(Endpoint, RefusesWhatMakesNoSense) {
  for (const char* text :
       {"", "unix", "unix://", "unix://relative", "http://a:1", "tcp://", "tcp://host", "tcp://:80",
        "tcp://host:", "tcp://host:65536", "tcp://host:-1", "tcp://host:1x", "tcp://::1:80",
        "tcp://[::1]", "tcp://a b:1", "stream://a/b:1", "tcp://[]:1", "tcp://[host]:1",
        "tcp://[::1]]:1"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint) << text;
    EXPECT_EQ(endpoint.error().code, Errc::bad_config);
  }
}

TEST(Endpoint, KnowsHowLongAPathMayBe) {
  EXPECT_TRUE(parse_endpoint("unix:///" + std::string(106, 'a')));
  const auto longer = parse_endpoint("unix:///" + std::string(107, 'a'));
  ASSERT_FALSE(longer);
  EXPECT_NE(longer.error().detail.find("at most 107"), std::string::npos);
  // Sessions of an ipc listener append to its path.
  EXPECT_TRUE(parse_endpoint("ipc:///" + std::string(97, 'a')));
  EXPECT_FALSE(parse_endpoint("ipc:///" + std::string(98, 'a')));
}

}  // namespace
}  // namespace starbus::bus::io
