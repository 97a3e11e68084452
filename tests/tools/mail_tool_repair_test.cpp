// starbus-mail repair, and how damage is shown.
#include "tests/tools/mail_tool_fixture.hpp"

namespace starbus::mail_tool {
namespace {

using namespace test;

TEST_F(MailTool, Repair_SoundStore_ChangesNothing) {
  const auto before = content();
  const Ran ran = tool({"repair"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("nothing was changed"));
  EXPECT_EQ(content(), before);
}

TEST_F(MailTool, Repair_FlippedBit_LosesNothing) {
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

TEST_F(MailTool, Check_ShowsDamageUntilAcknowledged) {
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

TEST_F(MailTool, Names_Unprintable_AreEscapedOnce) {
  filled_.open();
  filled_.put(std::string("m\x01\x02", 3), "?");
  const Ran ran = tool({"check"});
  EXPECT_THAT(ran.out, HasSubstr("bad_key: m\\x01\\x02"));
}

TEST_F(MailTool, DamagedBlock_IsCountedOnce) {
  filled_.open();
  for (int i = 0; i < 40; ++i) filled_.fill("many/" + std::to_string(i), 0, 1);
  filled_.move_into_a_table();
  // Rows of mailboxes of many shards are in it.
  ASSERT_TRUE(filled_.flip_at("\x08player/1"));
  const Ran ran = tool({"stats", "--json"});
  EXPECT_EQ(json::parse(ran.out)["unreadable"], 1) << ran.out;
}

TEST_F(MailTool, Repair_WrongBytesInMessage) {
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

TEST_F(MailTool, Repair_FlippedBitsInBoxRows) {
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

TEST_F(MailTool, Repair_LostTable) {
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

TEST_F(MailTool, TornLog_IsNotAProblem) {
  filled_.open();
  filled_.fill("torn/1", 0, 3);
  filled_.close();
  for (const auto& entry : fs::directory_iterator(filled_.path())) {
    if (entry.path().extension() == ".log") fs::resize_file(entry.path(), entry.file_size() - 7);
  }
  EXPECT_EQ(tool({"check"}).code, 0);
}

}  // namespace
}  // namespace starbus::mail_tool
