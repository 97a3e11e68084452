#include "tools/terminal/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/bustop/live/live_view.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::bustop {
namespace {

TEST(Printable, ShowsWhatCouldSteerATerminal) {
  EXPECT_EQ(printable("player/42"), "player/42");
  EXPECT_EQ(printable("a\x1b[2Jb\n\r\t\x7f"), "a\\x1b[2Jb\\x0a\\x0d\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // C1: the one-byte form of ESC [
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "evil"),
            "\\u{202e}evil");
  EXPECT_EQ(printable("back\\slash"), "back\\\\slash");
}

TEST(Printable, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xc3\xa9\xe4\xb8\xad"), "\xc3\xa9\xe4\xb8\xad");
}

TEST(Columns, CountWideAndCombiningCharacters) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("中文"), 4U);
  EXPECT_EQ(columns("e\xcc\x81"), 1U);
  EXPECT_EQ(fit("abcdef", 4), "abc…");
  EXPECT_EQ(fit("中文字", 4), "中…");
  EXPECT_EQ(fit("abc", 3), "abc");
  EXPECT_EQ(fit("abc", 0), "");
  EXPECT_EQ(pad_left("中", 4), "  中");
}

TEST(Human, Units) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1'234'567), "1.2 MB");
  EXPECT_EQ(human_byte_rate(1'200'000), "1.2 MB/s");
  EXPECT_EQ(human_count(12'345), "12.3 k");
  EXPECT_EQ(human_count(999'999), "1.0 M");
  EXPECT_EQ(human_microseconds(0), "-");
  EXPECT_EQ(human_microseconds(340), "340 us");
  EXPECT_EQ(human_microseconds(1'234), "1.2 ms");
  EXPECT_EQ(human_microseconds(2'500'000), "2.5 s");
  EXPECT_EQ(human_seconds(64), "1 m 4 s");
  EXPECT_EQ(human_seconds(3 * 86400 + 4 * 3600), "3 d 4 h");
  EXPECT_EQ(human_milliseconds(250), "250 ms");
  EXPECT_EQ(human_seconds(1e300), "ever");
  EXPECT_EQ(clock_time(-1), "-");
}

TEST(Table, AlignsAndCutsOnlyOnATerminal) {
  Table table({{"NAME", Table::Align::left, true}, {"N", Table::Align::right}, {"STATE"}});
  table.add({"player/with-a-long-name", "7", {"up", Tone::good}});
  table.add({"x", "12345", "down"});
  EXPECT_EQ(table.text({}),
            "NAME                         N  STATE\n"
            "player/with-a-long-name      7  up\n"
            "x                        12345  down\n");
  EXPECT_EQ(table.text({false, 26}),
            "NAME              N  STATE\n"
            "player/with…      7  up\n"
            "x             12345  down\n");
  EXPECT_NE(table.text({true, 0}).find("\x1b[32mup\x1b[0m"), std::string::npos);
}

TEST(Branches, DrawWhatFollows) {
  EXPECT_EQ(branches({0, 1, 2, 2, 1, 2}),
            (std::vector<std::string>{"", "├─ ", "│  ├─ ", "│  └─ ", "└─ ", "   └─ "}));
  EXPECT_TRUE(branches({}).empty());
}

TEST(Clip, CountsColoursAsNothing) {
  EXPECT_EQ(clip("\x1b[1mabc\x1b[0mdef", 6), "\x1b[1mabc\x1b[0mdef");
  EXPECT_EQ(clip("\x1b[1mabc\x1b[0mdef", 5), "\x1b[1mabc\x1b[0md…\x1b[0m");
  EXPECT_EQ(clip("abcdef", 3), "ab…");
}

TEST(Keys, SequencesMayArriveInPieces) {
  using Kind = Key::Kind;
  KeyDecoder decoder;
  EXPECT_EQ(decoder.feed("q\x1b[A\r\x7f"),
            (std::vector<Key>{Key::of('q'), {Kind::up}, {Kind::enter}, {Kind::backspace}}));
  EXPECT_TRUE(decoder.feed("\x1b").empty());
  EXPECT_TRUE(decoder.pending());
  EXPECT_EQ(decoder.feed("[B"), (std::vector<Key>{{Kind::down}}));
  EXPECT_TRUE(decoder.feed("\x1b").empty());
  EXPECT_EQ(decoder.flush(), (std::vector<Key>{{Kind::escape}}));
  EXPECT_TRUE(decoder.feed("\x1b[200~\x1b[1;5C").empty());  // known to nobody: dropped
  EXPECT_EQ(decoder.feed("\x1b[" + std::string(100, '1') + "j").back(), Key::of('j'));
}

TEST(Text, CountsOfThings) {
  EXPECT_EQ(count_of(0, "message"), "0 messages");
  EXPECT_EQ(count_of(1, "mailbox"), "1 mailbox");
  EXPECT_EQ(count_of(2, "mailbox"), "2 mailboxes");
}

TEST(Text, DatesAndTimes) {
  EXPECT_THAT(date_time(1'795'300'001'000),
              testing::MatchesRegex("2026-11-2[0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}"));
  EXPECT_EQ(date_time(-1), "-");
  EXPECT_EQ(date_time(1e18), "-");
}

}  // namespace
}  // namespace starbus::bustop
