/// Rows as bytes: what is written is read, and nothing else.
#include "mail/rows.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "bus/core/wire/name.hpp"

namespace starbus::mail {
namespace {

const ChannelId kId = channel_id("player/1");
const Process kAlice{7, 8, 9};

/// Every shorter text, and one byte more, is no row.
template <class Decode>
void refuses_cuts(const std::string& value, Decode&& decode) {
  EXPECT_TRUE(decode(value));
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_FALSE(decode(value.substr(0, size))) << size;
  }
  EXPECT_FALSE(decode(value + "x"));
}

TEST(MailRows, KeysSortByNumber) {
  EXPECT_LT(message_key(3, kId, 255), message_key(3, kId, 256));
  EXPECT_LT(message_key(3, kId, 256), message_key(3, kId, ~std::uint64_t{0}));
  EXPECT_LT(results_key(3, kAlice, bus::Lane::call, 9),
            results_key(3, kAlice, bus::Lane::call, 10));
  EXPECT_LT(message_key(3, kId, 9), prefix_end(kind_prefix('b', 3)));
  EXPECT_EQ(prefix_end(kind_prefix('b', 255)), "c");
}

TEST(MailRows, AStreamIsReadFromItsKey) {
  const auto stream = read_stream_key(stream_key(200, kAlice, bus::Lane::bulk));
  ASSERT_TRUE(stream);
  EXPECT_EQ(stream->origin, kAlice);
  EXPECT_EQ(stream->lane, bus::Lane::bulk);
  EXPECT_EQ(read_stream_key(results_key(1, kAlice, bus::Lane::call, 77))->seq, 77u);
  EXPECT_FALSE(read_stream_key("f"));
}

TEST(MailRows, BoxesSurviveTheTrip) {
  const BoxRow row{PostTarget::log, "guild/1", 9, 4, 1'000, 300, Epoch::of(2, 3)};
  const std::string value = encode(row);
  const auto read = decode_box(value);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, PostTarget::log);
  EXPECT_EQ(read->name, "guild/1");
  EXPECT_EQ(read->count(), 5u);
  EXPECT_EQ(read->bytes(), 700u);
  EXPECT_EQ(read->reader, Epoch::of(2, 3));
  refuses_cuts(value, decode_box);
}

TEST(MailRows, ABoxThatCannotBeIsRefused) {
  EXPECT_FALSE(decode_box(encode(BoxRow{PostTarget::mailbox, "a/b", 3, 4, 0, 0, {}})));
  EXPECT_FALSE(decode_box(encode(BoxRow{PostTarget::mailbox, "a/b", 3, 1, 5, 6, {}})));
  EXPECT_FALSE(decode_box(encode(BoxRow{static_cast<PostTarget>(3), "a/b", 3, 1, 5, 5, {}})));
  const std::uint64_t most = kMostNumber;
  EXPECT_TRUE(decode_box(encode(BoxRow{PostTarget::log, "a/b", most, 1, most, 5, {}})));
  EXPECT_FALSE(decode_box(encode(BoxRow{PostTarget::log, "a/b", most + 1, 1, 5, 5, {}})));
  EXPECT_FALSE(decode_box(encode(BoxRow{PostTarget::log, "a/b", 3, 1, most + 1, 5, {}})));
}

TEST(MailRows, MessagesSurviveTheTrip) {
  const std::string trace(24, 't');
  const std::string value = encode(MessageRow{12, 34, trace, "body"});
  const auto read = decode_message(value);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->time_ms, 12u);
  EXPECT_EQ(read->total, 34u);
  EXPECT_EQ(read->trace, trace);
  EXPECT_EQ(read->body, "body");
  EXPECT_FALSE(decode_message(encode(MessageRow{1, 2, "short", "body"})));
}

TEST(MailRows, TheOthersToo) {
  refuses_cuts(encode(ShardRow{Epoch::of(1, 2)}), decode_shard);
  refuses_cuts(encode(KeyRow{5, 6}), decode_key);
  refuses_cuts(encode(StreamRow{7, 8}), decode_stream);
  std::vector<PostResult> results = {{1, Errc::ok, 10}, {2, Errc::store_full, 0}};
  std::vector<PostResult> read;
  EXPECT_TRUE(decode_results(encode(results), read));
  EXPECT_EQ(read, results);
  EXPECT_FALSE(decode_results(encode(results) + "x", read));
}

TEST(MailRows, GarbageIsNeverARowThatCannotBe) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& bytes) {
    const auto box = decode_box(bytes);
    if (box) RC_ASSERT(box->floor <= box->last && box->floor_total <= box->total);
    std::vector<PostResult> results;
    (void)decode_results(bytes, results);
    (void)decode_message(bytes);
    (void)read_stream_key(bytes);
  }));
}

}  // namespace
}  // namespace starbus::mail
