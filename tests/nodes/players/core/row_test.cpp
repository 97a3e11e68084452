// The bytes of an account in the database.
#include "nodes/players/core/row.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"

namespace starbus::nodes::players {
namespace {

bus::Bytes bytes_of(const AccountRow& row) {
  bus::Bytes bytes;
  encode(row, bytes);
  return bytes;
}

AccountRow full_row() {
  return {9,
          8,
          {1, 2},
          {"gate/a", {1, 2, 3}},
          4,
          {7, 8},
          "player/1",
          {5, 6},
          "player/2",
          Reason::ended,
          Closing{8, 300, {5, 6}, {299, 300}}};
}

TEST(AccountRow, HasGoldenBytes) {
  const bus::Bytes bytes = bytes_of(full_row());
  EXPECT_EQ(hex_of(bus::as_text(bytes)),
            "01"
            "09"
            "08"
            "01000000000000000200000000000000"
            "06676174652f61010203"
            "04"
            "07000000000000000800000000000000"
            "08706c617965722f31"
            "0506"
            "08706c617965722f32"
            "0105"
            "0108ac02050602ab02ac02");
  EXPECT_TRUE(decode_row(bytes).value() == full_row());
  AccountRow fresh;
  fresh.subject = "account/a";
  EXPECT_TRUE(decode_row(bytes_of(fresh)).value() == fresh);
}

TEST(AccountRow, CutOrForgedBytesAreRefused) {
  bus::Bytes bytes = bytes_of(full_row());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_row(bus::ByteView(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_row(bytes).error(), entity::DataErrc::trailing);
  bytes.pop_back();
  bytes[0] = std::byte{2};
  EXPECT_EQ(decode_row(bytes).error(), entity::DataErrc::malformed);
}

TEST(AccountRow, WhatNoAccountStoresIsRefused) {
  const auto refused = [](auto change) {
    AccountRow row = full_row();
    change(row);
    return !decode_row(bytes_of(row));
  };
  EXPECT_TRUE(refused([](AccountRow& row) { row.login = 10; }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.login = 0; }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.subject.clear(); }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.bind = {}; }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.gate.channel.clear(); }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.session = {}; }));
  EXPECT_TRUE(refused([](AccountRow& row) { row.subject = std::string(256, 'x'); }));
}

}  // namespace
}  // namespace starbus::nodes::players
