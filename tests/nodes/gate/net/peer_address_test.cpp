#include "nodes/gate/net/peer_address.hpp"

#include <gtest/gtest.h>

namespace starbus::nodes::gate::net {
namespace {

TEST(PeerAddressTest, TextAndSystemFormsAgree) {
  for (const std::string text : {"192.0.2.7:4711", "[2001:db8::1]:80", "0.0.0.0:0", "[::]:7001"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(address->to_string(), text);
    sockaddr_storage system{};
    to_system(*address, system);
    EXPECT_EQ(address_of(system), address) << text;
  }
  for (const std::string text : {"", "localhost:80", "192.0.2.7", "300.1.1.1:5", "[::1:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(PeerAddressTest, SourcesAreAddressesOr64BitsOfThem) {
  const auto source = [](const char* text) { return parse_address(text)->source(); };
  EXPECT_NE(source("192.0.2.7:1"), source("192.0.2.8:1"));
  EXPECT_EQ(source("192.0.2.7:1"), source("192.0.2.7:2"));
  EXPECT_EQ(source("[2001:db8::1]:1"), source("[2001:db8::ffff:2]:1"));
  EXPECT_NE(source("[2001:db8:0:1::1]:1"), source("[2001:db8:0:2::1]:1"));
}

TEST(PeerAddressTest, MappedAddressesAreThoseOfV4) {
  bus::Bytes mapped(16);
  mapped[10] = mapped[11] = std::byte{0xff};
  mapped[12] = std::byte{10};
  mapped[15] = std::byte{9};
  EXPECT_EQ(address_of(mapped, 5)->to_string(), "10.0.0.9:5");
}

}  // namespace
}  // namespace starbus::nodes::gate::net
