// Files that are damaged beneath a store of mail that is in use: the scrub finds them, says which
// mailboxes they concern, and the rest goes on.
#include "mail/repair/scrubber.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "mail/repair/damage_names.hpp"
#include "tests/mail/filled_store.hpp"

namespace starbus::mail {
namespace {

using namespace std::literals;
namespace fs = std::filesystem;
using test::FilledStore;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kGuildBox = "guild/7";

class ScrubberTest : public testing::Test {
 protected:
  ScrubberTest() {
    for (int i = 0; i < 20; ++i) filled_.fill("player/" + std::to_string(i), 2, 9);
    filled_.fill(kGuildBox, 3, 200);
    filled_.move_into_a_table();
  }
  fs::path table() const {
    fs::path largest;
    for (const auto& entry : fs::directory_iterator(filled_.path())) {
      if (entry.path().extension() != ".ldb") continue;
      if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
    }
    return largest;
  }
  /// One bit of the first place in the table that holds this.
  void flip(const std::string& text) {
    std::fstream file(table(), std::ios::binary | std::ios::in | std::ios::out);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    const std::size_t at = content.find(text);
    ASSERT_NE(at, std::string::npos);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(content[at] ^ 1));
  }
  Scrubber& begin(std::chrono::milliseconds rest = 5ms) {
    scrubber_.emplace(filled_.store(), ScrubSettings{.rate = 1 << 30, .rest = rest},
                      [this](const std::string& text) {
                        const std::lock_guard lock(mutex_);
                        said_.push_back(text);
                      });
    return *scrubber_;
  }
  /// Two: the first of them may have passed the place already.
  void wait_for_rounds() {
    const std::uint64_t rounds = scrubber_->figures().rounds + 2;
    for (int i = 0; i < 3'000 && scrubber_->figures().rounds < rounds; ++i) {
      std::this_thread::sleep_for(10ms);
    }
    ASSERT_GE(scrubber_->figures().rounds, rounds);
  }
  std::vector<std::string> said() const {
    const std::lock_guard lock(mutex_);
    return said_;
  }
  std::vector<std::string> names(const storage::FileDamage& damage, std::size_t most = 100) {
    const auto findings = name_damage(*filled_.snapshot(), damage, most);
    EXPECT_TRUE(findings) << findings.error().to_string();
    std::vector<std::string> texts;
    for (const Finding& finding : *findings) texts.push_back(finding.to_string());
    return texts;
  }
  std::string message(const std::string& box, std::uint64_t number) const {
    const test::Place place = test::place_of(box);
    return message_key(place.shard, place.id, number);
  }

  FilledStore filled_;
  mutable std::mutex mutex_;
  std::vector<std::string> said_;
  std::optional<Scrubber> scrubber_;
};

TEST_F(ScrubberTest, SoundFilesAreReadAgainAndAgain) {
  begin();
  wait_for_rounds();
  EXPECT_GT(scrubber_->figures().bytes, 10'000u);
  EXPECT_EQ(scrubber_->figures().damaged, 0u);
  EXPECT_THAT(said(), IsEmpty());
}

TEST_F(ScrubberTest, AFlippedBitIsToldOnceWithItsMailboxAndForgottenWhenItIsMended) {
  begin();
  wait_for_rounds();
  flip(test::body_of(kGuildBox, 100));
  wait_for_rounds();
  EXPECT_EQ(scrubber_->figures().damaged, 1u);
  EXPECT_THAT(scrubber_->figures().findings, Contains(StartsWith("guild/7: damaged_block ")));
  EXPECT_THAT(scrubber_->figures().findings, Not(Contains(HasSubstr("player/"))));
  const auto texts = said();
  EXPECT_EQ(std::ranges::count_if(
                texts, [](const std::string& text) { return text.starts_with("damage: guild/7"); }),
            1);
  // The rest goes on.
  EXPECT_TRUE(filled_.store().get(message("player/3", 5)).has_value());
  filled_.put("zz", "posts, too");
  flip(test::body_of(kGuildBox, 100).replace(0, 1, "f"));  // back again
  wait_for_rounds();
  EXPECT_EQ(scrubber_->figures().damaged, 0u);
  EXPECT_THAT(scrubber_->figures().findings, IsEmpty());
}

TEST_F(ScrubberTest, ACutTableIsToldThoughItIsOpen) {
  // Its row has been written since, into another table.
  const test::Place box = test::place_of(kGuildBox);
  const std::string row = box_key(box.shard, box.id);
  filled_.put(row, filled_.store().get(row).value().value());
  filled_.move_into_a_table();
  EXPECT_TRUE(filled_.store().get(message(kGuildBox, 100)).has_value());
  fs::resize_file(table(), fs::file_size(table()) / 2);
  begin();
  wait_for_rounds();
  EXPECT_EQ(scrubber_->figures().damaged, 1u);
  EXPECT_THAT(scrubber_->figures().findings,
              ElementsAre(HasSubstr("should have"),
                          testing::ContainsRegex("^guild/7: damaged_block 1[0-9][0-9] to 200: in "),
                          StartsWith("guild/7: damaged_block: its row, in ")));
}

TEST_F(ScrubberTest, ALostTableIsToldThoughItIsOpen) {
  EXPECT_TRUE(filled_.store().get(message(kGuildBox, 100)).has_value());
  begin();
  fs::remove(table());
  wait_for_rounds();
  EXPECT_THAT(scrubber_->figures().findings.front(), HasSubstr("the file is gone"));
  EXPECT_THAT(scrubber_->figures().findings, testing::SizeIs(kScrubShown)) << "of 22";
  const auto texts = said();
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(texts,
                Contains(HasSubstr("player/" + std::to_string(i) + ": damaged_block 3 to 9")));
  }
  EXPECT_THAT(texts, Contains(HasSubstr("guild/7: damaged_block 4 to 200")));
}

TEST_F(ScrubberTest, NumbersAreThoseBetweenTheKeysAndStillKept) {
  const storage::FileDamage part{"7.ldb", message(kGuildBox, 21) + '\0', message(kGuildBox, 65),
                                 "cut"};
  EXPECT_THAT(names(part), ElementsAre(HasSubstr("7.ldb: cut; between after message 21 of mailbox"),
                                       "guild/7: damaged_block 22 to 64: in 7.ldb"));
  const storage::FileDamage last{"7.ldb", message(kGuildBox, 200), message(kGuildBox, 200) + '\0',
                                 "cut"};
  EXPECT_THAT(names(last), Contains("guild/7: damaged_block 200: in 7.ldb"));
  const storage::FileDamage old{"7.ldb", message(kGuildBox, 1), message(kGuildBox, 4), "cut"};
  EXPECT_THAT(names(old), testing::SizeIs(1)) << "acknowledged long ago";
  const test::Place box = test::place_of(kGuildBox);
  const std::string row = box_key(box.shard, box.id);
  EXPECT_THAT(names({"7.ldb", row, row + '\0', "cut"}),
              Contains("guild/7: damaged_block: its row, in 7.ldb"));
  const std::string key = post_key(box.shard, box.id, "k");
  EXPECT_THAT(names({"7.ldb", key, key + '\0', "cut"}),
              Contains("guild/7: damaged_block: idempotency keys, perhaps, in 7.ldb"));
  EXPECT_THAT(names({"MANIFEST-000001", {}, {}, "the file is gone"}),
              ElementsAre("the store: damaged_block: MANIFEST-000001: the file is gone"));
  EXPECT_THAT(names({"7.ldb", "\x01", "\xff", "cut"}, 5), testing::SizeIs(6)) << "a bound";
}

TEST_F(ScrubberTest, AMailboxWhoseRowCannotBeReadHasItsId) {
  const test::Place box = test::place_of(kGuildBox);
  filled_.put(box_key(box.shard, box.id), "no row");
  EXPECT_THAT(names({"7.ldb", message(kGuildBox, 21), message(kGuildBox, 65), "cut"}),
              Contains("mailbox " + box.id.to_string() + ": damaged_block 21 to 64: in 7.ldb"));
}

TEST_F(ScrubberTest, AnyRangeOfKeysIsBorne) {
  std::vector<std::string> keys = {
      {}, "\0"s, "b", "b\x01", "m", "zz", message(kGuildBox, 7), "b\xff\xff"};
  for (const std::string& from : keys) {
    for (const std::string& to : keys) EXPECT_FALSE(names({"7.ldb", from, to, "cut"}).empty());
  }
}

TEST_F(ScrubberTest, IsSlowAndEndsAtOnce) {
  scrubber_.emplace(filled_.store(), ScrubSettings{.rate = 1, .rest = 1h}, [](const auto&) {});
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(scrubber_->figures().rounds, 0u);
  const auto begin = std::chrono::steady_clock::now();
  scrubber_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  scrubber_.emplace(filled_.store(), ScrubSettings{.rate = 0, .rest = 0ms}, [](const auto&) {});
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(scrubber_->figures().bytes, 0u) << "turned off";
}

}  // namespace
}  // namespace starbus::mail
