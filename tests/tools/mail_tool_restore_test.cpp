// starbus-mail restore: what it brings back, refuses and removes.
#include "tests/tools/mail_tool_fixture.hpp"

namespace starbus::mail_tool {
namespace {

using namespace test;

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

TEST_F(RestoreTool, Restore_BringsContentsBack) {
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

TEST_F(RestoreTool, Restore_LeavesOutMovedShards) {
  const auto shard = mail::test::place_of("player/1").shard;
  const std::string others = shard == 0 ? "1-255" : "0-" + std::to_string(shard - 1);
  EXPECT_THAT(restore({"--shards", "no"}).err, HasSubstr("is not a list of shards"));
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

TEST_F(RestoreOfMoving, ArrivedShard_LeftOut_StaysAway) {
  for (const auto keeping : {mail::Keeping::arrived, mail::Keeping::incoming}) {
    back_up_with(keeping);
    const Ran ran = restore({"--shards", others});
    EXPECT_EQ(ran.code, 0) << ran.err;
    expect_nothing_of_it({mail::Keeping::elsewhere, 0, {}});
    fs::remove_all(path("new"));
  }
}

TEST_F(RestoreOfMoving, ArrivedShard_IsReported) {
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

TEST_F(RestoreOfMoving, GivenShard_StaysGiven) {
  back_up_with(mail::Keeping::elsewhere);
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  expect_nothing_of_it({mail::Keeping::elsewhere, 7, "b"});  // whoever has taken it may yet ask
}

TEST_F(RestoreTool, Tools_AgreeOnLeftOutShards) {
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

TEST_F(RestoreTool, Restore_FolderInUse_IsRefused) {
  fs::create_directory(path("new"));
  write("new/file", "x");
  const Ran ran = restore();
  EXPECT_THAT(ran.err, HasSubstr("new is there already and is not empty"));
  EXPECT_THAT(ran.err, Not(HasSubstr("bad_batch")));
}

TEST_F(RestoreTool, Restore_KeepsForeignFiles) {
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

TEST_F(RestoreTool, Restore_RemovesInterruptedCopy) {
  fs::create_directory(path("new.partial"));
  write("new.partial/RESTORING", "");
  write("new.partial/000005.ldb", "x");
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, Not(HasSubstr("replaced")));
  EXPECT_FALSE(fs::exists(path("new.partial")));
}

// Who may write the backup puts a link there to a file that only the restoring user may read, or
// gives a file a mode under which everybody may.
TEST_F(RestoreTool, Restore_FollowsNoLinks) {
  write("secret", "of another user");
  fs::create_symlink(path("secret"), path("backup") / "000099.ldb");
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("000099.ldb: is a link"));
  EXPECT_FALSE(fs::exists(path("new")));
  EXPECT_FALSE(fs::exists(path("new.partial")));
}

TEST_F(RestoreTool, Restore_OpensFilesToNobodyElse) {
  for (const auto& file : fs::directory_iterator(path("backup"))) {
    fs::permissions(file, static_cast<fs::perms>(0666));
  }
  ASSERT_EQ(restore().code, 0);
  const auto others = fs::perms::group_all | fs::perms::others_all;
  EXPECT_EQ(fs::status(path("new")).permissions() & others, fs::perms::none);
  for (const auto& file : fs::directory_iterator(path("new"))) {
    if (file.path().extension() != ".ldb") continue;
    EXPECT_EQ(file.status().permissions() & fs::perms::others_write, fs::perms::none) << file;
    EXPECT_EQ(file.status().permissions() & fs::perms::group_write, fs::perms::none) << file;
  }
}

TEST_F(RestoreTool, Restore_SecondAtOnce_IsRefused) {
  const FileDescriptor other(::open(filled_.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(other.get(), LOCK_EX), 0);
  const Ran ran = restore();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("another restore into"));
  EXPECT_FALSE(fs::exists(path("new.partial")));
}

TEST_F(RestoreTool, Restore_IncompleteBackup_IsRefused) {
  fs::remove(path("backup") / mail::kBackupFile);
  EXPECT_THAT(restore().err, HasSubstr("not a backup, or an interrupted one"));
  write("backup/BACKUP", "starbus-mail-backup 1\nhost a\n");
  EXPECT_THAT(restore().err, HasSubstr("not written by starbus-mail backup"));
}

TEST_F(RestoreTool, Restore_DamagedBackup_NeedsOption) {
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

TEST_F(RestoreTool, Backup_Interrupted_HasNoMark) {
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
