#include "bus/core/routers/root/directory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <time.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "bus/core/wire/name.hpp"
#include "tests/sanitized.hpp"

namespace starbus::bus {
namespace {

struct DirectoryTest : ::testing::Test {
  Directory::Owner a{Process{1, 1, 1}};
  Directory::Owner b{Process{2, 2, 2}};
  Directory directory;

  Directory::Entry& insert(const std::string& name, Directory::Owner& owner) {
    return directory.insert(channel_id(name), name, owner);
  }
  std::vector<std::string> list(std::string_view prefix, std::string_view after = "",
                                std::size_t limit = 100) {
    std::vector<std::string> names;
    directory.list(prefix, after, [&](const Directory::Entry& entry) {
      names.emplace_back(entry.name());
      return names.size() < limit;
    });
    return names;
  }
};

TEST_F(DirectoryTest, FindsByIdAndByName) {
  insert("player/1", a);
  ASSERT_NE(directory.find(channel_id("player/1")), nullptr);
  EXPECT_EQ(directory.find(channel_id("player/1"))->name(), "player/1");
  EXPECT_EQ(&directory.find(channel_id("player/1"))->owner(), &a);
  EXPECT_EQ(directory.find(channel_id("player/2")), nullptr);
}

TEST_F(DirectoryTest, RefusesASecondNameWithTheSameId) {
  directory.insert({1, 1}, "player/1", a);
  EXPECT_TRUE(directory.find({1, 1}, "player/1"));
  const auto other = directory.find({1, 1}, "player/2");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), Errc::name_taken);
}

TEST_F(DirectoryTest, ListsByPrefixInOrderAndInPages) {
  for (const char* name : {"b/2", "a/1", "b/1", "b/10", "c/1", "b/\xc3\xa9"}) insert(name, a);
  EXPECT_EQ(list("b/"), (std::vector<std::string>{"b/1", "b/10", "b/2", "b/\xc3\xa9"}));
  EXPECT_EQ(list("b/", "", 2), (std::vector<std::string>{"b/1", "b/10"}));
  EXPECT_EQ(list("b/", "b/10", 2), (std::vector<std::string>{"b/2", "b/\xc3\xa9"}));
  EXPECT_EQ(list("b/", "a/1").size(), 4u);
  EXPECT_EQ(list("b/", "c").size(), 0u);
  EXPECT_EQ(list("").size(), 6u);
  EXPECT_EQ(list("d").size(), 0u);
}

TEST_F(DirectoryTest, ChangesOwnersAndErasesAllOfOne) {
  for (int i = 0; i < 10; ++i) insert("x/" + std::to_string(i), i < 6 ? a : b);
  directory.change_owner(*directory.find(channel_id("x/0")), b);
  EXPECT_EQ(a.names(), 5u);
  EXPECT_EQ(b.names(), 5u);
  directory.for_each_of(b, [&](Directory::Entry& entry) { directory.erase(entry); });
  EXPECT_EQ(b.names(), 0u);
  EXPECT_EQ(directory.size(), 5u);
  EXPECT_EQ(list("x/").front(), "x/1");
  EXPECT_EQ(directory.find(channel_id("x/9")), nullptr);
}

// --- a million names -----------------------------------------------------------------------------

// Time of this thread on a processor: other programs on the machine do not count.
struct Clock {
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e6;
  }
};

double ms_since(double start) {
  return Clock::now() - start;
}

std::size_t heap_in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The sanitizer's allocator has its own costs.
constexpr bool kMeasures = !kAddressSanitizer;

TEST(DirectoryScale, MillionNamesTakeUnder400BytesEachAndListInASecond) {
  constexpr std::size_t kNames = 1'000'000;
  std::deque<Directory::Owner> owners;
  for (std::uint32_t i = 0; i < 100; ++i) owners.emplace_back(Process{i, i, i});
  Directory directory;
  const auto name_of = [](std::size_t i) {
    char text[32];
    std::snprintf(text, sizeof text, "entity/%017zx", i * 2654435761 % 4294967296);
    return std::string(text);
  };
  ASSERT_EQ(name_of(1).size(), 24u);

  const std::size_t before = heap_in_use();
  auto start = Clock::now();
  double longest = 0;
  for (std::size_t i = 0; i < kNames; ++i) {
    const std::string name = name_of(i);
    const auto one = Clock::now();
    directory.insert(channel_id(name), name, owners[i % owners.size()]);
    longest = std::max(longest, ms_since(one));
  }
  const double inserted = ms_since(start);
  const double bytes = static_cast<double>(heap_in_use() - before) / kNames;

  start = Clock::now();
  std::size_t listed = 0;
  directory.list("entity/", "", [&](const Directory::Entry& entry) {
    listed += entry.name().size() == 24;
    return true;
  });
  const double all = ms_since(start);

  std::string after;
  std::size_t paged = 0;
  double longest_page = 0;
  for (bool more = true; more;) {
    start = Clock::now();
    std::size_t page = 0;
    directory.list("entity/", after, [&](const Directory::Entry& entry) {
      after = entry.name();
      return ++page < 1000;
    });
    longest_page = std::max(longest_page, ms_since(start));
    paged += page;
    more = page == 1000;
  }

  start = Clock::now();
  directory.for_each_of(owners[0], [&](Directory::Entry& entry) { directory.erase(entry); });
  const double died = ms_since(start);

  std::printf(
      "bytes per name %.0f; insert %.2f us (longest %.1f ms); list all %.0f ms; longest "
      "page of 1000 %.2f ms; death of an owner of 10,000 %.1f ms\n",
      bytes, inserted * 1000 / kNames, longest, all, longest_page, died);
  EXPECT_EQ(listed, kNames);
  EXPECT_EQ(paged, kNames);
  EXPECT_EQ(directory.size(), kNames - kNames / 100);
  if (kMeasures) {
    EXPECT_LT(bytes, 400);
    EXPECT_LT(all, 1000);
  }
  for (auto& owner : owners) {
    directory.for_each_of(owner, [&](Directory::Entry& entry) { directory.erase(entry); });
  }
  EXPECT_EQ(directory.size(), 0u);
}

}  // namespace
}  // namespace starbus::bus
