/// The header of a bundle.
#include "bus/core/wire/bundle.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace starbus::bus {
namespace {

Bytes sealed(std::size_t size = kBundleHeaderSize) {
  Bytes bundle(size);
  seal_bundle(bundle, 11, 22, 33);
  return bundle;
}

TEST(Bundle, IsReadAsItWasSealed) {
  const Bytes bundle = sealed(100);
  const auto header = decode_bundle_header(bundle);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->length, 100u);
  EXPECT_EQ(header->session, 11u);
  EXPECT_EQ(header->number, 22u);
  EXPECT_EQ(header->consumed, 33u);
  EXPECT_EQ(header->minor, kVersionMinor);
  EXPECT_EQ(*peek_bundle_length(ByteView(bundle).first(8)), 100u);
}

TEST(Bundle, MayBeAsLargeAsItsLimit) {
  EXPECT_TRUE(decode_bundle_header(sealed(kMaxBundle)));
  Bytes longer = sealed(kMaxBundle);
  longer.push_back({});
  store(longer.data() + 4, static_cast<std::uint32_t>(longer.size()));
  EXPECT_EQ(decode_bundle_header(longer).error(), Errc::bad_bytes);
}

TEST(Bundle, RefusesEveryTruncation) {
  const Bytes bundle = sealed(40);
  for (std::size_t size = 0; size < bundle.size(); ++size) {
    EXPECT_EQ(decode_bundle_header(ByteView(bundle).first(size)).error(), Errc::bad_bytes);
    EXPECT_EQ(size >= 8, peek_bundle_length(ByteView(bundle).first(size)).has_value());
  }
}

TEST(Bundle, RefusesALengthUnlikeItsSize) {
  for (const std::uint32_t length : {0U, 31U, 41U, 39U, ~0U}) {
    Bytes bundle = sealed(40);
    store(bundle.data() + 4, length);
    EXPECT_EQ(decode_bundle_header(bundle).error(), Errc::bad_bytes) << length;
  }
}

TEST(Bundle, RefusesForeignBytesAndVersions) {
  Bytes bundle = sealed();
  bundle[0] = std::byte{'X'};
  EXPECT_EQ(decode_bundle_header(bundle).error(), Errc::bad_bytes);
  bundle = sealed();
  bundle[2] = std::byte{kVersionMajor + 1};
  EXPECT_EQ(decode_bundle_header(bundle).error(), Errc::version_mismatch);
  EXPECT_EQ(peek_bundle_length(bundle).error(), Errc::version_mismatch);
  bundle = sealed();
  bundle[3] = std::byte{kVersionMinor + 1};
  EXPECT_TRUE(decode_bundle_header(bundle)) << "minor versions interoperate";
}

RC_GTEST_PROP(Bundle, AnyBytesAreReadOrRefused, (std::vector<std::uint8_t> raw)) {
  Bytes bytes = sealed();
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (i < bytes.size()) bytes[i] = static_cast<std::byte>(raw[i]);
  }
  const auto header = decode_bundle_header(bytes);
  if (header) RC_ASSERT(header->length == bytes.size());
}

}  // namespace
}  // namespace starbus::bus
