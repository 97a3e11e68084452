/// Every row of a store of mail, byte for byte as LevelDB has it (docs/design/storage-format.md,
/// docs/guide/mail.md "On the disk"). A failure here means that stores on disks, and shards that
/// come from hosts of the version before, are no longer understood: a new layout needs a new kind
/// of row or a new storage format, and a way over, not a new vector. tests/mail/rows was written
/// down by hand, not by this code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <leveldb/db.h>

#include <fstream>
#include <set>

#include "base/hex.hpp"
#include "bus/core/wire/post_limit.hpp"
#include "mail/dead_letters.hpp"
#include "mail/lost_row.hpp"
#include "mail/row_keys.hpp"
#include "mail/rows.hpp"
#include "storage/envelope.hpp"
#include "tests/places.hpp"
#include "tests/storage/support.hpp"

namespace starbus::mail {
namespace {

const std::uint8_t kShard = 17;
const ChannelId kId{0x4142434445464748, 0x5152535455565758};
const Process kOrigin{0x11121314, 0x21222324, 0x3132333435363738};
const std::uint64_t kTime = 0x0102030405;

struct Golden {
  std::string key, value;
};

/// '#' begins a comment line, "key" and "value" say what the hex behind them is.
Golden golden(const std::string& name) {
  std::ifstream file(source_file("tests/mail/rows/" + name + ".hex"));
  EXPECT_TRUE(file) << name;
  Golden row;
  std::string* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (line == "key" || line == "value") {
      part = line == "key" ? &row.key : &row.value;
      continue;
    }
    for (std::size_t at = 0; at + 1 < line.size(); at += 3) {
      *part += static_cast<char>(std::stoi(line.substr(at, 2), nullptr, 16));
    }
  }
  return row;
}

std::string trace() {
  std::string bytes;
  for (int i = 0; i < 24; ++i) bytes += static_cast<char>(0xa1 + i);
  return bytes;
}

struct Row {
  std::string name, key, value;
};

/// As the code writes them.
std::vector<Row> rows() {
  const BoxRow box{PostTarget::log, "guild/1", 0x0908, 0x0102, 0x0b0a, 0x0403, Epoch::of(3, 17)};
  const std::vector<PostResult> results{
      {0x0d0b, Errc::ok, 0x0908},
      {0x0d0c, Errc::mailbox_full, static_cast<std::uint64_t>(PostLimit::box_messages)}};
  return {
      {"place", place_key(kShard),
       encode(PlaceRow{Keeping::elsewhere, 0x0102030405060708, "hostA"})},
      {"shard", shard_key(kShard), encode(ShardRow{Epoch::of(2, 9), {3, 0x0405, 0x060708}})},
      {"box", box_key(kShard, kId), encode(box)},
      {"message", message_key(kShard, kId, 0x0908),
       encode(MessageRow{kTime, 0x0b0a, trace(), "body"})},
      {"lost_message", message_key(kShard, kId, 7), encode(lost_row(0x0b0a))},
      {"post_key", post_key(kShard, kId, "trade-77"), encode(KeyRow{0x0908, kTime})},
      {"stream", stream_key(kShard, kOrigin, bus::Lane::call), encode(StreamRow{0x0d0c, kTime})},
      {"results", results_key(kShard, kOrigin, bus::Lane::call, 0x0d0c), encode(results)},
  };
}

std::string sealed(std::string_view key, std::string_view value) {
  std::string out;
  storage::seal(key, value, out);
  return out;
}

TEST(GoldenRows, AreWrittenByteForByte) {
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.name);
    const Golden bytes = golden(row.name);
    EXPECT_EQ(hex_of(row.key), hex_of(bytes.key));
    EXPECT_EQ(hex_of(sealed(row.key, row.value)), hex_of(bytes.value));
  }
}

TEST(GoldenRows, ThereIsOneOfEachKind) {
  std::set<char> kinds;
  for (const Row& row : rows()) kinds.insert(row.key.front());
  EXPECT_EQ(std::string(kinds.begin(), kinds.end()), kRowKinds);
}

/// The value of a golden row, read as the store and then the mail read it.
template <class Decode>
auto decoded(const std::string& name, Decode&& decode) {
  static std::string value;  // some rows are views into it
  const Golden bytes = golden(name);
  const auto opened = storage::unseal(bytes.key, bytes.value);
  EXPECT_TRUE(opened) << name;
  value = opened ? std::string(*opened) : "";
  return decode(value);
}

TEST(GoldenRows, AreReadAsWhatTheySay) {
  EXPECT_EQ(decoded("place", decode_place),
            (PlaceRow{Keeping::elsewhere, 0x0102030405060708, "hostA"}));
  const auto shard = decoded("shard", decode_shard).value();
  EXPECT_EQ(shard.lineage, Epoch::of(2, 9));
  EXPECT_EQ(shard.totals, (Totals{3, 0x0405, 0x060708}));
  const auto box = decoded("box", decode_box).value();
  EXPECT_EQ(box.kind, PostTarget::log);
  EXPECT_EQ(box.name, "guild/1");
  EXPECT_EQ(box.last, 0x0908U);
  EXPECT_EQ(box.floor, 0x0102U);
  EXPECT_EQ(box.total, 0x0b0aU);
  EXPECT_EQ(box.floor_total, 0x0403U);
  EXPECT_EQ(box.reader, Epoch::of(3, 17));
  const auto message = decoded("message", decode_message).value();
  EXPECT_EQ(message.time_ms, kTime);
  EXPECT_EQ(message.total, 0x0b0aU);
  EXPECT_EQ(message.trace, trace());
  EXPECT_EQ(message.body, "body");
  EXPECT_FALSE(is_lost(message));
  EXPECT_TRUE(is_lost(decoded("lost_message", decode_message).value()));
  const auto key = decoded("post_key", decode_key).value();
  EXPECT_EQ(key.number, 0x0908U);
  EXPECT_EQ(key.time_ms, kTime);
  const auto stream = decoded("stream", decode_stream).value();
  EXPECT_EQ(stream.last, 0x0d0cU);
  EXPECT_EQ(stream.time_ms, kTime);
  std::vector<PostResult> results;
  EXPECT_TRUE(
      decoded("results", [&](const std::string& value) { return decode_results(value, results); }));
  EXPECT_THAT(results, testing::ElementsAre(PostResult{0x0d0b, Errc::ok, 0x0908},
                                            PostResult{0x0d0c, Errc::mailbox_full, 3}));
}

TEST(GoldenRows, KeysAreReadAsWhatTheySay) {
  const auto message = read_mail_key(golden("message").key).value();
  EXPECT_EQ(message.shard, kShard);
  EXPECT_EQ(message.id, kId);
  EXPECT_EQ(message.number, 0x0908U);
  const auto stream = read_stream_key(golden("results").key).value();
  EXPECT_EQ(stream.origin, kOrigin);
  EXPECT_EQ(stream.lane, bus::Lane::call);
  EXPECT_EQ(stream.seq, 0x0d0cU);
}

TEST(GoldenRows, ADeadLetterIsToo) {
  const std::string bytes = golden("dead_letter").value;
  Bytes written;
  encode_dead_letter({"player/1", 0x0908, kTime, "too old", as_bytes("body")}, written);
  EXPECT_EQ(hex_of(as_text(written)), hex_of(bytes));
  const auto letter = decode_dead_letter(as_bytes(bytes));
  ASSERT_TRUE(letter);
  EXPECT_EQ(letter->mailbox, "player/1");
  EXPECT_EQ(letter->number, 0x0908U);
  EXPECT_EQ(letter->time_ms, kTime);
  EXPECT_EQ(letter->reason, "too old");
  EXPECT_EQ(as_text(letter->body), "body");
}

// --- as LevelDB has them -------------------------------------------------------------------------

class GoldenStore : public testing::Test {
 protected:
  using Raw = std::unique_ptr<leveldb::DB>;
  Raw open_raw() {
    leveldb::Options options;
    options.create_if_missing = true;
    leveldb::DB* db = nullptr;
    const auto status = leveldb::DB::Open(options, path(), &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return Raw(db);
  }
  std::string path() const { return (folder_.path() / "mail").string(); }

  storage::test::TempFolder folder_;
};

/// Nothing stands in a store but its version and what was put.
TEST_F(GoldenStore, HasTheseBytesAndNoOthers) {
  {
    const auto store = storage::test::open_or_fail({.folder = path(), .headroom = 1});
    storage::Batch batch;
    for (const Row& row : rows()) batch.put(row.key, row.value);
    ASSERT_TRUE(storage::test::commit(*store, std::move(batch)));
  }
  std::map<std::string, std::string> expected{{golden("format").key, golden("format").value}};
  for (const Row& row : rows()) expected[golden(row.name).key] = golden(row.name).value;
  std::map<std::string, std::string> found;
  const Raw db = open_raw();
  const std::unique_ptr<leveldb::Iterator> at(db->NewIterator({}));
  for (at->SeekToFirst(); at->Valid(); at->Next()) {
    found[at->key().ToString()] = at->value().ToString();
  }
  EXPECT_EQ(found, expected);
}

/// A range that was being erased when the store that wrote it ended goes on to be: what lies in it
/// is not there any more.
TEST_F(GoldenStore, IsReadWhoeverWroteIt) {
  const std::string hidden{"b\x11m"};
  {
    const Raw db = open_raw();
    for (const char* const name : {"format", "erasing"}) {
      ASSERT_TRUE(db->Put({}, golden(name).key, golden(name).value).ok());
    }
    for (const Row& row : rows()) {
      ASSERT_TRUE(db->Put({}, golden(row.name).key, golden(row.name).value).ok());
    }
    ASSERT_TRUE(db->Put({}, hidden, sealed(hidden, "gone")).ok());
  }
  const auto store = storage::test::open_or_fail({.folder = path(), .headroom = 1});
  for (const Row& row : rows()) {
    const auto value = store->get(row.key);
    ASSERT_TRUE(value) << value.error().to_string();
    EXPECT_EQ(*value, row.value) << row.name;
  }
  EXPECT_EQ(store->get(hidden)->has_value(), false);
}

/// One that is not known is of a later version, and is refused before anything is read or written.
TEST_F(GoldenStore, AnotherVersionIsRefused) {
  const Golden format = golden("format");
  ASSERT_TRUE(open_raw()->Put({}, format.key, sealed(format.key, "2")).ok());
  const auto opened = storage::open_store({.folder = path(), .headroom = 1});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error(), storage::Errc::newer_format);
}

}  // namespace
}  // namespace starbus::mail
