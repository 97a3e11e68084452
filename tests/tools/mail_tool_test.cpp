// starbus-mail on folders: what it prints, what it refuses, what is on the disk afterwards.
#include <fcntl.h>
#include <sys/file.h>

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/file_descriptor.hpp"
#include "mail/dead_letters.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/base64.hpp"
#include "mail/repair/check.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/row_keys.hpp"
#include "mail/shards/shard_row.hpp"
#include "tests/mail/filled_store.hpp"
#include "tools/mail/cli.hpp"
#include "tools/mail/export_format.hpp"

namespace starbus::mail_tool {
namespace {

namespace fs = std::filesystem;
namespace mail = bus::busd::mail;
using mail::test::body_of;
using mail::test::FilledStore;
using nlohmann::json;
using storage::test::content_of;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};
Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_mail_tool(arguments, {out, err, "http://127.0.0.1:1"});
  return {code, out.str(), err.str()};
}

class MailTool : public testing::Test {
 protected:
  MailTool() {
    for (int i = 0; i < 20; ++i) filled_.fill("player/" + std::to_string(i), 2, 9);
    filled_.close();
  }
  /// On the store of this test.
  Ran tool(std::vector<std::string> arguments) {
    filled_.close();
    arguments.insert(arguments.end(), {"--directory", filled_.path()});
    return run(arguments);
  }
  fs::path path(const std::string& name) const { return filled_.folder() / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  storage::test::Content content() {
    filled_.open();
    auto content = content_of(filled_.store());
    filled_.close();
    return content;
  }
  void expect_clean() {
    filled_.open();
    const auto report = mail::check_store(*filled_.snapshot());
    ASSERT_TRUE(report);
    for (const auto& finding : report->findings) {
      EXPECT_TRUE(mail::is_note(finding.problem)) << finding.to_string();
    }
    filled_.close();
  }
  /// Message rows of a mailbox, with numbers from its row.
  std::map<std::uint64_t, std::string> messages(const std::string& name) {
    filled_.open();
    const auto snapshot = filled_.snapshot();
    const auto box = mail::find_box(*snapshot, name);
    std::map<std::uint64_t, std::string> found;
    if (box && *box) {
      const auto page = mail::peek(*snapshot, **box, 0, 1'000);
      for (const auto& message : page->messages) {
        found[message.number] = message.trouble.empty() ? message.body : message.trouble;
      }
    }
    filled_.close();
    return found;
  }

  FilledStore filled_;
};

TEST_F(MailTool, TheCommandLineIsChecked) {
  EXPECT_EQ(run({"--help"}).code, 0);
  EXPECT_THAT(run({"repair", "--help"}).out, HasSubstr("--report"));
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"check"}).code, 2);
  EXPECT_EQ(run({"nonsense"}).code, 2);
  EXPECT_EQ(tool({"peek", "no slash"}).code, 2);
  for (const char* const limit : {"-1", "0", "99999999999999999999999", "x"}) {
    EXPECT_EQ(tool({"ls", "--limit", limit}).code, 2) << limit;
    EXPECT_EQ(tool({"peek", "player/1", "--limit", limit}).code, 2) << limit;
  }
}

TEST_F(MailTool, AFolderWithoutAStoreStaysWithoutOne) {
  const Ran ran = run({"check", "--directory", path("nothing")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("no such folder"));
  fs::create_directory(path("empty"));
  EXPECT_THAT(run({"ls", "--directory", path("empty")}).err, HasSubstr("no store in this folder"));
  EXPECT_TRUE(fs::is_empty(path("empty")));
}

TEST_F(MailTool, AdoptsShardsButNotAPart) {
  const auto mark = [&](std::uint8_t shard, mail::Keeping keeping) {
    filled_.close();
    filled_.open();
    filled_.put(mail::place_key(shard), encode(mail::PlaceRow{keeping, 7, "b"}));
  };
  mark(3, mail::Keeping::arrived);
  mark(4, mail::Keeping::elsewhere);
  const Ran ran = tool({"adopt", "3-5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("3 shards are kept here from now on\n"));
  EXPECT_THAT(ran.out, HasSubstr("they begin empty"));
  for (std::uint8_t shard = 3; shard <= 5; ++shard) {
    EXPECT_EQ(content()[mail::place_key(shard)], encode(mail::PlaceRow{}));
  }
  mark(6, mail::Keeping::incoming);
  const Ran part = tool({"adopt", "5-6"});
  EXPECT_EQ(part.code, 1);
  EXPECT_THAT(part.err, HasSubstr("store/6 was on its way from b and is here in part"));
  EXPECT_EQ(tool({"adopt", "256"}).code, 2);
}

TEST_F(MailTool, ChecksOnlyWhatIsKeptHere) {
  const std::uint8_t shard = bus::shard_of(bus::channel_id("player/1"));
  filled_.open();
  filled_.put(mail::place_key(shard), encode(mail::PlaceRow{mail::Keeping::incoming, 7, "b"}));
  filled_.erase(mail::shard_key(shard));
  EXPECT_EQ(tool({"check"}).code, 0);
  filled_.open();
  filled_.put(mail::place_key(shard), "?");
  const Ran ran = tool({"check"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("where " + bus::shard_name(shard) + " is kept"));
}

TEST_F(MailTool, AStoreThatIsOpenIsRefused) {
  filled_.open();
  const std::string folder = filled_.path();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"check"}, {"repair"}, {"ls"}, {"stats"}}) {
    auto arguments = command;
    arguments.insert(arguments.end(), {"--directory", folder});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("is open: busd runs on it"));
    EXPECT_THAT(ran.err, HasSubstr("--busd URL"));
  }
}

TEST_F(MailTool, LooksAround) {
  EXPECT_THAT(tool({"check"}).out, HasSubstr("20 mailboxes, 140 messages"));
  EXPECT_EQ(tool({"check"}).code, 0);
  EXPECT_TRUE(json::parse(tool({"check", "--json"}).out)["clean"].get<bool>());
  EXPECT_THAT(tool({"ls", "player/7"}).out, HasSubstr("player/7  mailbox"));
  EXPECT_THAT(tool({"ls", "--limit", "3"}).out, HasSubstr("3 mailboxes; there may be more"));
  EXPECT_THAT(tool({"ls"}).out, HasSubstr("20 mailboxes\n"));
  EXPECT_THAT(tool({"peek", "player/7", "--from", "5", "--limit", "1"}).out,
              HasSubstr("player/7 #5"));
  const json line = json::parse(tool({"peek", "player/7", "--limit", "1", "--json"}).out);
  EXPECT_EQ(line["number"], 3);
  EXPECT_EQ(line["body"], "cGxheWVyLzcgIzM=");
  EXPECT_EQ(tool({"peek", "player/77"}).code, 1);
  EXPECT_EQ(json::parse(tool({"stats", "--json"}).out)["messages"], 140);
  EXPECT_THAT(tool({"stats", "--shards"}).out, HasSubstr("SHARD"));
}

TEST_F(MailTool, ExportAndImportKeepEverything) {
  const auto before = content();
  const std::string file = path("all.jsonl");
  EXPECT_EQ(tool({"export", file}).code, 0);
  EXPECT_EQ(tool({"export", file}).code, 1) << "the file is there";
  const std::string other = path("other");
  const Ran ran = run({"import", file, "--directory", other});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "20 mailboxes, 140 messages imported\n");
  const auto store = storage::test::open_or_fail({.folder = other, .headroom = 1});
  for (const auto& [key, value] : content_of(*store)) {
    if (key.front() == 'S') continue;  // no lineage, other sums of those that are gone
    const auto found = before.find(key);
    ASSERT_NE(found, before.end());
    if (key.front() != 'b') continue;
    EXPECT_EQ(mail::decode_message(value)->body, mail::decode_message(found->second)->body);
  }
  const auto report = mail::check_store(**store->snapshot());
  EXPECT_TRUE(report->is_clean()) << report->findings.front().to_string();
}

TEST_F(MailTool, ExportOfSomeMailboxes) {
  const Ran ran = tool({"export", "-", "--mailbox", "player/3", "--mailbox", "player/4"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr(R"({"starbus_mail_export":1})"));
  EXPECT_THAT(ran.out, HasSubstr(R"({"box":"player/3","kind":"mailbox","floor":2,"last":9})"));
  EXPECT_THAT(ran.out, HasSubstr(R"({"end":true,"boxes":2,"messages":14})"));
  EXPECT_EQ(tool({"export", "-", "--mailbox", "player/77"}).code, 1);
}

TEST_F(MailTool, AnExportThatIsRefusedLeavesNoFile) {
  const std::string file = path("some.jsonl");
  const Ran ran = tool({"export", file, "--mailbox", "player/3", "--mailbox", "player/77"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("no mailbox player/77"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(tool({"export", file, "--mailbox", "player/3"}).code, 0) << "the corrected command";
  EXPECT_EQ(tool({"export", file, "--mailbox", "player/77"}).code, 1);
  EXPECT_TRUE(fs::exists(file)) << "one that was there before stays";
}

TEST_F(MailTool, PeekShowsWhatCannotBeRead) {
  filled_.open();
  filled_.fill("large/1", 0, 400);
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at(body_of("large/1", 200)));
  const Ran ran = tool({"peek", "large/1", "--limit", "1000"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, ContainsRegex("200  - +-  in a damaged block: "));
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 400 + 3) << "a heading, and every number";
}

TEST_F(MailTool, ImportRefusesAMailboxThatHasSomething) {
  const std::string file = path("some.jsonl");
  ASSERT_EQ(tool({"export", file, "--mailbox", "player/3"}).code, 0);
  const auto before = content();
  const Ran ran = tool({"import", file});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("player/3 has messages; nothing was imported"));
  EXPECT_EQ(content(), before);
  EXPECT_EQ(tool({"import", file, "--append"}).code, 0);
  const auto after = messages("player/3");
  EXPECT_EQ(after.size(), 14U);
  EXPECT_EQ(after.at(10), body_of("player/3", 3)) << "with new numbers";
  expect_clean();
}

TEST_F(MailTool, ImportRefusesAMailboxWhoseShardIsAnotherHosts) {
  const std::string file = path("some.jsonl");
  ASSERT_EQ(tool({"export", file, "--mailbox", "player/3"}).code, 0);
  const std::uint8_t shard = mail::test::place_of("player/3").shard;
  for (const auto keeping :
       {mail::Keeping::elsewhere, mail::Keeping::incoming, mail::Keeping::arrived}) {
    const std::string other = path("other");
    fs::remove_all(other);
    auto store = storage::test::open_or_fail({.folder = other, .headroom = 1});
    ASSERT_TRUE(storage::test::commit(
        *store,
        storage::test::put(mail::place_key(shard), encode(mail::PlaceRow{keeping, 7, "b"}))));
    const auto before = content_of(*store);
    store.reset();
    for (const bool append : {false, true}) {
      std::vector<std::string> arguments = {"import", file, "--directory", other};
      if (append) arguments.emplace_back("--append");
      const Ran ran = run(arguments);
      EXPECT_EQ(ran.code, 1);
      EXPECT_THAT(ran.err, HasSubstr("player/3 is of " + bus::shard_name(shard)));
      EXPECT_THAT(ran.err, HasSubstr("nothing was imported"));
    }
    store = storage::test::open_or_fail({.folder = other, .headroom = 1});
    EXPECT_EQ(content_of(*store), before) << "busd erases what is there of such a shard";
  }
}

TEST_F(MailTool, OneBadLineAndNothingIsImported) {
  const std::string file = path("some.jsonl");
  ASSERT_EQ(tool({"export", file, "--mailbox", "player/3"}).code, 0);
  const std::string good = read(file);
  const auto refused = [&](std::string text, const std::string& why) {
    fs::remove_all(path("other"));
    const Ran ran = run({"import", write("bad.jsonl", text), "--directory", path("other")});
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_THAT(ran.err, HasSubstr("nothing of the file was imported"));
    EXPECT_FALSE(fs::exists(path("other"))) << "no store for a file that is refused";
  };
  refused(good.substr(0, good.size() / 2), "it was cut");
  refused(good.substr(0, good.rfind("{\"end\"")), "it was cut");
  refused("", "line 1: the file ends");
  refused(good + "more\n", "data after the end");
  std::string text = good;
  text.replace(text.find("\"number\":5"), 10, "\"number\":6");
  refused(text, "line 5: number 6 where 5 must come");
  text = good;
  text.replace(text.find("\"body\":\""), 8, "\"body\":\"*");
  refused(text, "line 3: \"body\" is not base64");
  text = good;
  text.replace(text.find("player/3"), 8, "player 3");
  refused(text, "line 2: \"box\" is not a channel name");
  text = good;
  text.replace(text.find("export\":1"), 9, "export\":2");
  refused(text, "a file of version 2");
}

TEST_F(MailTool, OneIsNotSeveral) {
  filled_.open();
  filled_.fill("single/1", 0, 1);
  const std::string file = path("one.jsonl");
  EXPECT_EQ(tool({"export", file, "--mailbox", "single/1"}).out, "1 mailbox, 1 message exported\n");
  EXPECT_THAT(tool({"import", file}).err, HasSubstr("1 mailbox is in the way: single/1 has"));
  EXPECT_EQ(run({"import", file, "--directory", path("other")}).out,
            "1 mailbox, 1 message imported\n");
  EXPECT_THAT(tool({"peek", "single/1"}).out, StartsWith("single/1: 1 message, "));
}

TEST_F(MailTool, PeekPrintsATableWithTheDate) {
  const Ran ran = tool({"peek", "player/7", "--limit", "2"});
  EXPECT_THAT(ran.out, StartsWith("player/7: 7 messages, "));
  EXPECT_THAT(ran.out, ContainsRegex("NUMBER +STORED +BYTES +BODY"));
  EXPECT_THAT(ran.out, ContainsRegex("3  [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} .*player/7 #3"));
  EXPECT_THAT(ran.out, HasSubstr("more: --from 5\n"));
}

TEST_F(MailTool, DeadLettersAreShownAsWhatTheyWere) {
  const std::string& log = mail::dead_letters_log(7);
  bus::Bytes letter;
  mail::encode_dead_letter(
      {"player/9", 42, 1'795'300'001'000, "rejected: sold", bus::as_bytes("a sword")}, letter);
  const std::string file =
      write("letters.jsonl", R"({"starbus_mail_export":1})"
                             "\n"
                             R"({"box":")" +
                                 log +
                                 R"(","kind":"log","floor":0,"last":1})"
                                 "\n"
                                 R"({"number":1,"time_ms":1795300002000,"body":")" +
                                 mail::to_base64(bus::as_text(letter)) +
                                 R"("})"
                                 "\n"
                                 R"({"end":true,"boxes":1,"messages":1})"
                                 "\n");
  ASSERT_EQ(tool({"import", file}).code, 0);
  const Ran ran = tool({"peek", log});
  EXPECT_THAT(ran.out, ContainsRegex("MAILBOX +WAS +REASON +BODY"));
  EXPECT_THAT(ran.out, ContainsRegex("7 B +player/9 +42 +rejected: sold +a sword"));
  const json line = json::parse(tool({"peek", log, "--json"}).out);
  EXPECT_EQ(line["letter"]["mailbox"], "player/9");
  EXPECT_EQ(line["letter"]["body"], mail::to_base64("a sword"));
}

TEST_F(MailTool, TheLargestDeadLetterFitsAFile) {
  const std::string body(bus::kMaxPostBody, 'x');
  const std::string name(bus::kMaxName, 'n');
  bus::Bytes letter;
  mail::encode_dead_letter({name, 1, 1, name, bus::as_bytes(body)}, letter);
  MessageLine line;
  line.time_ms = line.number = 1;
  line.body = bus::as_text(letter);
  const std::string text = encode(line);
  EXPECT_LE(text.size(), kLongestLine);
  EXPECT_TRUE(decode_line(text)) << "or an export of it could not be imported";
  line.body += "x";
  EXPECT_EQ(decode_line(encode(line)).error(), bus::Errc::bad_bytes);
}

TEST_F(MailTool, RepairOfASoundStoreChangesNothing) {
  const auto before = content();
  const Ran ran = tool({"repair"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing was changed"));
  EXPECT_EQ(content(), before);
}

TEST_F(MailTool, RepairAfterAFlippedBitLosesNothing) {
  filled_.open();
  filled_.fill("large/1", 0, 400);
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at(body_of("large/1", 200)));
  EXPECT_EQ(tool({"check"}).code, 1);
  const Ran ran = tool({"repair"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("0 messages are lost\nthe store has no problems now"));
  const auto left = messages("large/1");
  ASSERT_EQ(left.size(), 400U);
  for (const auto& [number, body] : left) EXPECT_EQ(body, body_of("large/1", number));
  const Ran checked = tool({"check"});
  EXPECT_EQ(checked.code, 0);
  EXPECT_THAT(checked.out,
              ContainsRegex("repaired: 20[0-9-]+ [0-9:]+ 0+[0-9]+.ldb, byte [0-9]+: "));
  EXPECT_THAT(checked.out, HasSubstr("check --acknowledge"));
}

TEST_F(MailTool, DamageIsToldUntilItIsAcknowledged) {
  filled_.open();
  filled_.fill("large/1", 0, 400);
  filled_.fill("large/2", 0, 1);  // the last write would look as if a power cut had torn it
  ASSERT_TRUE(filled_.flip_at(body_of("large/1", 200), ".log", 3));
  const Ran first = tool({"check"});
  EXPECT_EQ(first.code, 1) << first.out;
  EXPECT_THAT(first.out, ContainsRegex("lost: 20.* 0+[0-9]+.log, bytes [0-9]+ to [0-9]+: "));
  EXPECT_EQ(tool({"check", "--acknowledge"}).code, 1) << "its readers have not been told";
  EXPECT_EQ(tool({"repair"}).code, 0);
  EXPECT_THAT(tool({"check"}).out, HasSubstr("lost: 20"));
  const json notes = json::parse(tool({"check", "--json"}).out)["damage"];
  ASSERT_FALSE(notes.empty());
  EXPECT_TRUE(notes.front()["settled"].get<bool>());
  EXPECT_EQ(tool({"check", "--acknowledge"}).code, 0);
  EXPECT_THAT(tool({"check"}).out, Not(HasSubstr("lost: 20")));
}

TEST_F(MailTool, WhatIsNotPrintableIsEscapedOnce) {
  filled_.open();
  filled_.put(std::string("m\x01\x02", 3), "?");
  const Ran ran = tool({"check"});
  EXPECT_THAT(ran.out, HasSubstr("bad_key: m\\x01\\x02"));
}

TEST_F(MailTool, ADamagedBlockIsCountedOnce) {
  filled_.open();
  for (int i = 0; i < 40; ++i) filled_.fill("many/" + std::to_string(i), 0, 1);
  filled_.move_into_a_table();
  // Rows of mailboxes of many shards are in it.
  ASSERT_TRUE(filled_.flip_at("\x08player/1"));
  const Ran ran = tool({"stats", "--json"});
  EXPECT_EQ(json::parse(ran.out)["unreadable"], 1) << ran.out;
}

TEST_F(MailTool, RepairAfterWrongBytesInAMessage) {
  filled_.open();
  filled_.fill("large/1", 0, 400);
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at(body_of("large/1", 200), ".ldb", 3));
  const Ran checked = tool({"check"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("large/1: lost_messages"));
  const std::string report = path("report.jsonl");
  const Ran ran = tool({"repair", "--report", report});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("large/1: lost"));
  EXPECT_THAT(ran.out, HasSubstr("the store has no problems now"));
  EXPECT_THAT(read(report), HasSubstr(R"("action":"lost","mailbox":"large/1")"));
  expect_clean();
  const auto left = messages("large/1");
  EXPECT_EQ(left.size(), 400U) << "no hole";
  EXPECT_EQ(left.at(200), "lost");
  int lost = 0;
  for (const auto& [number, body] : left) {
    lost += body == "lost" ? 1 : 0;
    EXPECT_TRUE(body == "lost" || body == body_of("large/1", number)) << number;
  }
  EXPECT_LT(lost, 150) << "a block, and not the mailbox";
}

TEST_F(MailTool, RepairAfterFlippedBitsInRowsOfMailboxes) {
  filled_.move_into_a_table();
  // Two wrong bytes in a block cannot be put right, but one in a row.
  ASSERT_TRUE(filled_.flip_at("\x08player/1"));
  ASSERT_TRUE(filled_.flip_at("\x08player/2"));
  const Ran ran = tool({"repair"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("player/1: rebuilt 3 to 9"));
  expect_clean();
  for (int i = 0; i < 20; ++i) {
    const std::string name = "player/" + std::to_string(i);
    const auto left = messages(name);
    EXPECT_EQ(left.size(), 7U) << name;
    for (const auto& [number, body] : left) EXPECT_EQ(body, body_of(name, number));
  }
}

TEST_F(MailTool, RepairAfterATableIsGone) {
  filled_.open();
  for (int i = 100; i < 110; ++i) filled_.fill("later/" + std::to_string(i), 0, 3);
  filled_.close();
  filled_.open();
  filled_.fill("later/200", 0, 3);
  filled_.close();
  fs::path largest;
  for (const auto& entry : fs::directory_iterator(filled_.path())) {
    if (entry.path().extension() != ".ldb") continue;
    if (largest.empty() || entry.file_size() > fs::file_size(largest)) largest = entry.path();
  }
  ASSERT_FALSE(largest.empty());
  fs::remove(largest);
  const Ran checked = tool({"check"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.err, HasSubstr("starbus-mail repair"));
  const Ran ran = tool({"repair"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("void_streams"));
  EXPECT_THAT(tool({"check"}).out, HasSubstr(": the file is gone"));
  expect_clean();
  EXPECT_EQ(messages("later/200").size(), 3U);
}

TEST_F(MailTool, ATornEndOfTheLogIsNoProblem) {
  filled_.open();
  filled_.fill("torn/1", 0, 3);
  filled_.close();
  for (const auto& entry : fs::directory_iterator(filled_.path())) {
    if (entry.path().extension() == ".log") fs::resize_file(entry.path(), entry.file_size() - 7);
  }
  EXPECT_EQ(tool({"check"}).code, 0);
}

class RestoreTool : public MailTool {
 protected:
  RestoreTool() {
    filled_.open();
    const auto facts = mail::copy_store(*filled_.snapshot(), path("backup"), {"a", 1, 0, 0, 0, 0},
                                        [](const mail::BackupFacts&) { return true; });
    EXPECT_TRUE(facts) << facts.error().to_string();
    filled_.close();
  }
  Ran restore(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"restore", path("backup"), "--directory", path("new")});
    return run(more);
  }
};

TEST_F(RestoreTool, RestoresWhatWasThere) {
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(fs::exists(path("new.partial")));
  EXPECT_FALSE(fs::exists(path("new") / mail::kBackupFile));
  EXPECT_TRUE(fs::exists(path("backup") / mail::kBackupFile));
  auto before = content();
  const auto store = storage::test::open_or_fail({.folder = path("new"), .headroom = 1});
  auto after = content_of(*store);
  for (auto* const all : {&before, &after}) {
    std::erase_if(*all, [](const auto& row) { return row.first.front() == 'S'; });
  }
  EXPECT_EQ(after, before);
  const auto shard = mail::test::place_of("player/1").shard;
  EXPECT_EQ(mail::decode_shard(**store->get(mail::shard_key(shard)))->lineage, bus::Lineage{})
      << "what was known of senders is void";
}

TEST_F(RestoreTool, LeavesOutShardsThatHaveMovedSince) {
  const auto shard = mail::test::place_of("player/1").shard;
  const std::string others = shard == 0 ? "1-255" : "0-" + std::to_string(shard - 1);
  EXPECT_THAT(restore({"--shards", "no"}).err, HasSubstr("no list of shards"));
  const Ran ran = restore({"--shards", others});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("-> if one")));
  const auto store = storage::test::open_or_fail({.folder = path("new"), .headroom = 1});
  const auto place = store->get(mail::place_key(shard));
  ASSERT_TRUE(place && *place);
  EXPECT_EQ(mail::decode_place(**place)->keeping, mail::Keeping::elsewhere);
}

/// Of shards that were not simply there when the backup was made.
class RestoreOfMoving : public RestoreTool {
 protected:
  void back_up_with(mail::Keeping keeping) {
    filled_.open();
    filled_.put(mail::place_key(shard), encode(mail::PlaceRow{keeping, 7, "b"}));
    fs::remove_all(path("backup"));
    const auto facts = mail::copy_store(*filled_.snapshot(), path("backup"), {"a", 1, 0, 0, 0, 0},
                                        [](const mail::BackupFacts&) { return true; });
    EXPECT_TRUE(facts) << facts.error().to_string();
    filled_.close();
  }
  void expect_nothing_of_it(const mail::PlaceRow& place) const {
    const auto store = storage::test::open_or_fail({.folder = path("new"), .headroom = 1});
    EXPECT_EQ(content_of(*store)[mail::place_key(shard)], encode(place));
    EXPECT_FALSE(mail::has_rows(*store, shard));
  }

  const std::uint8_t shard = mail::test::place_of("player/1").shard;
  const std::string others = shard == 0 ? "1-255" : "0-" + std::to_string(shard - 1);
};

TEST_F(RestoreOfMoving, OneThatHadArrivedAndIsLeftOutDoesNotComeBack) {
  for (const auto keeping : {mail::Keeping::arrived, mail::Keeping::incoming}) {
    back_up_with(keeping);
    const Ran ran = restore({"--shards", others});
    EXPECT_EQ(ran.code, 0) << ran.err;
    expect_nothing_of_it({mail::Keeping::elsewhere, 0, {}});
    fs::remove_all(path("new"));
  }
}

TEST_F(RestoreOfMoving, OneThatHadArrivedIsTold) {
  back_up_with(mail::Keeping::arrived);
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("on their way when the backup was made: " + std::to_string(shard)));
  const auto store = storage::test::open_or_fail({.folder = path("new"), .headroom = 1});
  EXPECT_EQ(content_of(*store)[mail::place_key(shard)],
            encode(mail::PlaceRow{mail::Keeping::arrived, 7, "b"}));
  EXPECT_TRUE(mail::has_rows(*store, shard));
}

TEST_F(RestoreOfMoving, OneThatWasGivenIsStillKnownToBe) {
  back_up_with(mail::Keeping::elsewhere);
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  expect_nothing_of_it({mail::Keeping::elsewhere, 7, "b"});  // whoever has taken it may yet ask
}

TEST_F(RestoreTool, AllToolsSayTheSameOfWhatIsLeftOut) {
  const auto shard = mail::test::place_of("player/1").shard;
  const std::string only = std::to_string(shard);
  int here = 0;
  for (int i = 0; i < 20; ++i) {
    here += mail::test::place_of("player/" + std::to_string(i)).shard == shard ? 1 : 0;
  }
  const std::string boxes = std::to_string(here) + (here == 1 ? " mailbox" : " mailboxes");
  const std::string both = boxes + ", " + std::to_string(7 * here) + " messages";
  const Ran ran = restore({"--shards", only});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith(both + "\nof the shards " + only + "\n"));
  const auto on_it = [this](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--directory", path("new")});
    return run(arguments);
  };
  EXPECT_THAT(on_it({"check"}).out, StartsWith(both));
  EXPECT_THAT(on_it({"stats"}).out, StartsWith(both));
  EXPECT_THAT(on_it({"ls"}).out, HasSubstr(boxes + "\n"));
  EXPECT_EQ(on_it({"export", path("left.jsonl")}).out, both + " exported\n");
  int others = 0;
  const auto store = storage::test::open_or_fail({.folder = path("new"), .headroom = 1});
  for (const auto& [key, value] : content_of(*store)) {
    const auto row = mail::read_mail_key(key);
    others += row && row->shard != shard ? 1 : 0;
  }
  EXPECT_EQ(others, 0) << "rows of shards that were left out";
}

TEST_F(RestoreTool, RefusesAFolderThatHasSomething) {
  fs::create_directory(path("new"));
  write("new/file", "x");
  const Ran ran = restore();
  EXPECT_THAT(ran.err, HasSubstr("new is there already and is not empty"));
  EXPECT_THAT(ran.err, Not(HasSubstr("bad_batch")));
}

TEST_F(RestoreTool, KeepsWhatItDidNotMake) {
  // The store that was there before, of a restore that was killed when both had changed places.
  fs::create_directory(path("new.partial"));
  write("new.partial/CURRENT", "x");
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto at = ran.err.find(path("new.replaced-"));
  ASSERT_NE(at, std::string::npos) << ran.err;
  EXPECT_EQ(read(ran.err.substr(at, ran.err.find('\n', at) - at) + "/CURRENT"), "x");
  EXPECT_FALSE(fs::exists(path("new.partial")));
  EXPECT_FALSE(fs::exists(path("new/RESTORING")));
}

TEST_F(RestoreTool, RemovesWhatAnInterruptedOneHasCopied) {
  fs::create_directory(path("new.partial"));
  write("new.partial/RESTORING", "");
  write("new.partial/000005.ldb", "x");
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("replaced")));
  EXPECT_FALSE(fs::exists(path("new.partial")));
}

TEST_F(RestoreTool, RefusesASecondAtTheSameTime) {
  const bus::daemon::FileDescriptor other(
      ::open(filled_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("another restore into"));
  EXPECT_FALSE(fs::exists(path("new.partial")));
}

TEST_F(RestoreTool, RefusesABackupThatIsNotWhole) {
  fs::remove(path("backup") / mail::kBackupFile);
  EXPECT_THAT(restore().err, HasSubstr("one that was interrupted"));
  write("backup/BACKUP", "starbus-mail-backup 1\nhost a\n");
  EXPECT_THAT(restore().err, HasSubstr("not written by starbus-mail backup"));
}

TEST_F(RestoreTool, RefusesADamagedBackupUnlessToldSo) {
  const auto file = path("backup") / mail::kBackupFile;
  auto facts = *mail::decode_backup_facts(read(file));
  ++facts.rows;
  write("backup/BACKUP", encode(facts));
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("take another backup"));
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_FALSE(fs::exists(path("new.partial")));
  EXPECT_EQ(restore({"--damaged"}).code, 0);
}

TEST_F(RestoreTool, ABackupThatIsInterruptedHasNoMark) {
  filled_.open();
  const auto facts = mail::copy_store(*filled_.snapshot(), path("half"), {},
                                      [](const mail::BackupFacts&) { return false; });
  EXPECT_EQ(facts.error(), storage::Errc::closed);
  EXPECT_FALSE(fs::exists(path("half") / mail::kBackupFile));
  const auto again = mail::copy_store(*filled_.snapshot(), path("half"), {},
                                      [](const mail::BackupFacts&) { return true; });
  EXPECT_THAT(again.error().detail, HasSubstr("is not empty"));
}

}  // namespace
}  // namespace starbus::mail_tool
