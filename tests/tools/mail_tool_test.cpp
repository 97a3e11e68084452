// starbus-mail on folders: what it prints, what it refuses, what is on the disk afterwards.
#include "tests/tools/mail_tool_fixture.hpp"

namespace starbus::mail_tool {
namespace {

using namespace test;

TEST_F(MailTool, CommandLine_IsChecked) {
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

TEST_F(MailTool, FolderWithoutStore_IsRefused) {
  const Ran ran = run({"check", "--directory", path("nothing")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("no such folder"));
  fs::create_directory(path("empty"));
  EXPECT_THAT(run({"ls", "--directory", path("empty")}).err, HasSubstr("no store in this folder"));
  EXPECT_TRUE(fs::is_empty(path("empty")));
}

TEST_F(MailTool, Adopt_RefusesPartialShard) {
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
  EXPECT_THAT(ran.out, HasSubstr("no rows are here of 3-5: these shards begin empty"));
  for (std::uint8_t shard = 3; shard <= 5; ++shard) {
    EXPECT_EQ(content()[mail::place_key(shard)], encode(mail::PlaceRow{}));
  }
  mark(6, mail::Keeping::incoming);
  const Ran part = tool({"adopt", "5-6"});
  EXPECT_EQ(part.code, 1);
  EXPECT_THAT(part.err, HasSubstr("store/6 was on its way from b and is here only in part"));
  EXPECT_EQ(tool({"adopt", "256"}).code, 2);
}

TEST_F(MailTool, Check_SkipsShardsOfOtherHosts) {
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

TEST_F(MailTool, OpenStore_IsRefused) {
  filled_.open();
  const std::string folder = filled_.path();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"check"}, {"repair"}, {"ls"}, {"stats"}}) {
    auto arguments = command;
    arguments.insert(arguments.end(), {"--directory", folder});
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("is open: busd runs on it"));
    EXPECT_THAT(ran.err, HasSubstr("--busd unix://PATH"));
  }
}

TEST_F(MailTool, LsPeekStats_ShowContents) {
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

TEST_F(MailTool, ExportImport_KeepEverything) {
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

TEST_F(MailTool, Export_OfSomeMailboxes) {
  const Ran ran = tool({"export", "-", "--mailbox", "player/3", "--mailbox", "player/4"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr(R"({"starbus_mail_export":1})"));
  EXPECT_THAT(ran.out, HasSubstr(R"({"box":"player/3","kind":"mailbox","floor":2,"last":9})"));
  EXPECT_THAT(ran.out, HasSubstr(R"({"end":true,"boxes":2,"messages":14})"));
  EXPECT_EQ(tool({"export", "-", "--mailbox", "player/77"}).code, 1);
}

TEST_F(MailTool, Export_Refused_LeavesNoFile) {
  const std::string file = path("some.jsonl");
  const Ran ran = tool({"export", file, "--mailbox", "player/3", "--mailbox", "player/77"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("no mailbox player/77"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(tool({"export", file, "--mailbox", "player/3"}).code, 0) << "the corrected command";
  EXPECT_EQ(tool({"export", file, "--mailbox", "player/77"}).code, 1);
  EXPECT_TRUE(fs::exists(file)) << "one that was there before stays";
}

TEST_F(MailTool, Peek_ShowsUnreadableMessages) {
  filled_.open();
  filled_.fill("large/1", 0, 400);
  filled_.move_into_a_table();
  ASSERT_TRUE(filled_.flip_at(body_of("large/1", 200)));
  const Ran ran = tool({"peek", "large/1", "--limit", "1000"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, ContainsRegex("200  - +-  in a damaged block: "));
  EXPECT_EQ(std::ranges::count(ran.out, '\n'), 400 + 3) << "a heading, and every number";
}

TEST_F(MailTool, Import_ExistingMailbox_IsRefused) {
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

TEST_F(MailTool, Import_ShardOfOtherHost_IsRefused) {
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

TEST_F(MailTool, Import_BadLine_ImportsNothing) {
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

TEST_F(MailTool, Texts_UseSingularForOne) {
  filled_.open();
  filled_.fill("single/1", 0, 1);
  const std::string file = path("one.jsonl");
  EXPECT_EQ(tool({"export", file, "--mailbox", "single/1"}).out, "1 mailbox, 1 message exported\n");
  EXPECT_THAT(tool({"import", file}).err, HasSubstr("1 mailbox is in the way: single/1 has"));
  EXPECT_EQ(run({"import", file, "--directory", path("other")}).out,
            "1 mailbox, 1 message imported\n");
  EXPECT_THAT(tool({"peek", "single/1"}).out, StartsWith("single/1: 1 message, "));
}

TEST_F(MailTool, Peek_PrintsTableWithDate) {
  const Ran ran = tool({"peek", "player/7", "--limit", "2"});
  EXPECT_THAT(ran.out, StartsWith("player/7: 7 messages, "));
  EXPECT_THAT(ran.out, ContainsRegex("NUMBER +STORED +BYTES +BODY"));
  EXPECT_THAT(ran.out, ContainsRegex("3  [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} .*player/7 #3"));
  EXPECT_THAT(ran.out, HasSubstr("more: --from 5\n"));
}

TEST_F(MailTool, Peek_ShowsDeadLettersAsMessages) {
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
                                 to_base64(bus::as_text(letter)) +
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
  EXPECT_EQ(line["letter"]["body"], to_base64("a sword"));
}

TEST_F(MailTool, Export_LargestDeadLetter_Fits) {
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

}  // namespace
}  // namespace starbus::mail_tool
