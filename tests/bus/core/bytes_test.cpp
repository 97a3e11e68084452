/// Reading untrusted bytes never passes their end.
#include "bus/core/bytes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace starbus::bus {
namespace {

TEST(Reader, ReadsWhatAWriterWrote) {
  Bytes bytes;
  Writer writer(bytes);
  writer.put(std::uint8_t{1});
  writer.put(std::uint64_t{0x0102030405060708});
  writer.short_text("name");
  writer.long_bytes(as_bytes("body"));
  EXPECT_EQ(bytes[1], std::byte{8}) << "little-endian";
  Reader reader(bytes);
  EXPECT_EQ(reader.get<std::uint8_t>(), 1);
  EXPECT_EQ(reader.get<std::uint64_t>(), 0x0102030405060708u);
  EXPECT_EQ(reader.short_text(), "name");
  EXPECT_EQ(as_text(reader.long_bytes()), "body");
  EXPECT_TRUE(reader.done());
}

TEST(Reader, StaysFailedAndReturnsZeros) {
  const Bytes bytes(3, std::byte{0xff});
  Reader reader(bytes);
  EXPECT_EQ(reader.get<std::uint32_t>(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.get<std::uint8_t>(), 0u) << "although a byte is there";
  EXPECT_TRUE(reader.take(1).empty());
  EXPECT_FALSE(reader.done());
}

TEST(Reader, RefusesALengthBeyondTheEnd) {
  Bytes bytes(4, std::byte{0xff});
  EXPECT_TRUE(Reader(bytes).long_bytes().empty());
  EXPECT_TRUE(Reader(bytes).short_text().empty());
  Reader reader(bytes);
  reader.take(5);
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, IsNotDoneWhileSomethingIsLeft) {
  const Bytes bytes(2);
  Reader reader(bytes);
  reader.get<std::uint8_t>();
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.done());
}

RC_GTEST_PROP(Reader, NeverPassesTheEnd, (std::vector<std::uint8_t> raw)) {
  Bytes bytes;
  for (const std::uint8_t value : raw) bytes.push_back(static_cast<std::byte>(value));
  Reader reader(bytes);
  while (reader.ok() && !reader.empty()) {
    switch (reader.get<std::uint8_t>() % 4) {
      case 0:
        reader.get<std::uint64_t>();
        break;
      case 1:
        reader.short_text();
        break;
      case 2:
        reader.long_bytes();
        break;
      default:
        reader.get<std::uint16_t>();
        break;
    }
    RC_ASSERT(reader.rest().size() <= bytes.size());
  }
}

}  // namespace
}  // namespace starbus::bus
