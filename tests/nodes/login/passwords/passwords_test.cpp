// Passwords: hashes, the bound on their memory, and accounts in a database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nodes/db/store_database.hpp"
#include "nodes/login/passwords/account_name.hpp"
#include "nodes/login/passwords/accounts.hpp"
#include "storage/testing/fault_env.hpp"
#include "tests/nodes/test_loop.hpp"
#include "tests/storage/support.hpp"

namespace starbus::nodes::login {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = Verdict::Kind;

constexpr HashCost kCheap{.memory_kib = 64, .passes = 1, .lanes = 1};

Password password(const std::string& text) {
  return std::make_shared<const Secret>(text);
}

TEST(PasswordHash, TellsItsPasswordFromOthers) {
  const auto hash = hash_password("correct horse", kCheap);
  ASSERT_TRUE(hash) << hash.error().to_string();
  EXPECT_THAT(*hash, StartsWith("$argon2id$v=19$m=64,t=1,p=1$"));
  EXPECT_TRUE(is_password(*hash, "correct horse").value());
  EXPECT_FALSE(is_password(*hash, "correct hors").value());
  EXPECT_FALSE(is_password(*hash, std::string_view("correct horse\0", 14)).value());
  EXPECT_NE(hash_password("correct horse", kCheap).value(), *hash);  // its salt
  EXPECT_EQ(cost_of(*hash).value(), kCheap);
}

// From the argon2 program: echo -n "password" | argon2 somesalt -id -t 2 -k 256 -p 1 -l 32 -e
TEST(PasswordHash, IsTheOneOfTheReferenceImplementation) {
  const std::string hash =
      "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  EXPECT_TRUE(is_password(hash, "password").value());
  EXPECT_FALSE(is_password(hash, "Password").value());
}

TEST(PasswordHash, StoredCostsAreBounded) {
  const std::string tail = "$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  for (const char* cost :
       {"m=1048577,t=1,p=1", "m=64,t=65,p=1", "m=256,t=1,p=17", "m=7,t=1,p=1", "m=64,t=0,p=1",
        "m=64,t=1,p=0", "m=99999999999,t=1,p=1", "m=64,t=1", "m=,t=1,p=1", "t=1,m=64,p=1"}) {
    EXPECT_EQ(is_password("$argon2id$v=19$" + std::string(cost) + tail, "x").error(),
              Errc::bad_hash)
        << cost;
  }
  EXPECT_EQ(cost_of("$argon2i$v=19$m=64,t=1,p=1" + tail).error(), Errc::bad_hash);
  EXPECT_EQ(cost_of("$argon2id$v=19$m=64,t=1,p=1$" + std::string(kHashText, 'A')).error(),
            Errc::bad_hash);
  EXPECT_EQ(hash_password("x", {kHashMemory + 1, 1, 1}).error(), Errc::bad_hash);
  EXPECT_EQ(hash_password("x", {64, kHashPasses + 1, 1}).error(), Errc::bad_hash);
  EXPECT_EQ(hash_password("x", {256, 1, kHashLanes + 1}).error(), Errc::bad_hash);
}

TEST(AccountNames, AreChecked) {
  EXPECT_EQ(normalised_name(" Ada.Lovelace-1_x ").value(), "ada.lovelace-1_x");
  EXPECT_TRUE(normalised_name("a" + std::string(kNameMost - 1, '1')));
  EXPECT_TRUE(normalised_name("abc"));
  for (const std::string& typed :
       {std::string(), std::string(kNameLeast - 1, 'a'), std::string(kNameMost + 1, 'a'),
        std::string("1ada"), std::string("a da"), std::string("ad\u0430"), std::string("ada/x"),
        std::string("ada\0x", 5), std::string(100'000, 'a')}) {
    EXPECT_EQ(normalised_name(typed).error(), Errc::bad_name) << typed.substr(0, 40);
  }
}

class HashingTest : public ::testing::Test {
 protected:
  nodes::test::Loop loop_;
  TaskChannels tasks_{loop_, {.workers = 2}};
};

TEST_F(HashingTest, MemoryIsBounded) {
  Hashing hashing(tasks_, 200);
  int done = 0;
  std::uint64_t most = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(hashing.hash(password("x"), kCheap, [&](const Result<std::string>& hash) {
      EXPECT_TRUE(hash);
      most = std::max(most, hashing.memory_in_use());
      ++done;
    }));
    most = std::max(most, hashing.memory_in_use());
  }
  EXPECT_EQ(hashing.waiting(), 7U);
  ASSERT_TRUE(loop_.run_until([&] { return done == 10; }));
  EXPECT_EQ(most, 3 * kCheap.memory_kib);
  EXPECT_LT(most, kHashingMemory);
  // One that needs more than all of it runs alone.
  const auto note = [&](const Result<std::string>& hash) {
    EXPECT_TRUE(hash);
    ++done;
  };
  ASSERT_TRUE(hashing.hash(password("x"), {1'000, 1, 1}, note));
  ASSERT_TRUE(hashing.hash(password("x"), kCheap, note));
  EXPECT_EQ(hashing.memory_in_use(), 1'000U);
  EXPECT_EQ(hashing.waiting(), 1U);
  ASSERT_TRUE(loop_.run_until([&] { return done == 12; }));
  EXPECT_EQ(hashing.memory_in_use(), 0U);
}

TEST_F(HashingTest, ThoseWhoWaitAreBounded) {
  Hashing hashing(tasks_, 1);
  std::size_t done = 0;
  const auto note = [&](const Result<std::string>&) { ++done; };
  for (std::size_t i = 0; i < kHashesWaiting + 1; ++i) {
    ASSERT_TRUE(hashing.hash(password("x"), {8, 1, 1}, note));
  }
  EXPECT_EQ(hashing.hash(password("x"), {8, 1, 1}, note).error(), Errc::too_many);
  ASSERT_TRUE(loop_.run_until([&] { return done == kHashesWaiting + 1; }));
}

TEST_F(HashingTest, WorkersThatTakeNothingAreAnAnswer) {
  Hashing hashing(tasks_);
  EXPECT_TRUE(tasks_.shutdown(std::chrono::milliseconds(1'000)).empty());
  EXPECT_EQ(hashing.hash(password("x"), kCheap, [](const auto&) { FAIL(); }).error(),
            Errc::too_many);
}

/// A database on a disk in memory, with accounts over it.
class AccountsFixture : public ::testing::Test {
 protected:
  AccountsFixture() {
    store_ = storage::test::open_or_fail(
        {.folder = folder_.path() / "s", .env = &env_, .headroom = 1 << 20, .write_buffer = 65536});
    database_ = db::StoreDatabase::open(*store_, loop_).value();
    restart(kCheap);
  }
  ~AccountsFixture() override {
    tasks_.shutdown(std::chrono::milliseconds(5'000));
    store_->close();
  }
  void restart(const HashCost& cost) {
    accounts_ = std::make_unique<Accounts>(
        *database_, hashing_, loop_,
        AccountOptions{.cost = cost, .wall_ms = [this] { return now_; }});
  }
  template <class Call>
  Error end_of(Call call) {
    std::optional<Result<>> end;
    call([&end](const Result<>& result) { end = result; });
    EXPECT_FALSE(end);  // never within the call
    EXPECT_TRUE(loop_.run_until([&] { return end.has_value(); }));
    return end->error();
  }
  Error create(const std::string& name, const std::string& text) {
    return end_of([&](auto done) { accounts_->create(name, password(text), done); });
  }
  Verdict verify(const std::string& name, const std::string& text, bool creates = false) {
    std::optional<Verdict> verdict;
    PasswordVerifier verifier(*accounts_, creates);
    const bus::ByteView bytes = bus::as_bytes(text);
    verifier.verify({name, {bytes.begin(), bytes.end()}},
                    [&verdict](Verdict told) { verdict = std::move(told); });
    EXPECT_FALSE(verdict);
    EXPECT_TRUE(loop_.run_until([&] { return verdict.has_value(); }));
    return *verdict;
  }
  std::string stored_hash(const std::string& name) {
    std::optional<std::string> hash;
    EXPECT_TRUE(
        database_->find({"logins", name, {}}, [&](db::Result<std::optional<db::Json>> found) {
          hash = found.value().value().at("hash").get<std::string>();
        }));
    EXPECT_TRUE(loop_.run_until([&] { return hash.has_value(); }));
    return *hash;
  }

  nodes::test::Loop loop_;
  storage::test::TempFolder folder_;
  storage::testing::FaultEnv env_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<db::StoreDatabase> database_;
  TaskChannels tasks_{loop_, {.workers = 2}};
  Hashing hashing_{tasks_};
  std::unique_ptr<Accounts> accounts_;
  std::uint64_t now_ = 1'800'000'000'000;
};
using AccountsTest = AccountsFixture;

TEST_F(AccountsTest, LetInWhoHasThePassword) {
  EXPECT_EQ(create("Ada", "correct horse").code, Code());
  EXPECT_EQ(create("ada ", "another one").code, Code(Errc::exists));
  const Verdict verdict = verify("ADA", "correct horse");
  EXPECT_EQ(verdict.kind, Kind::right);
  EXPECT_EQ(verdict.account, "ada");
  EXPECT_EQ(verify("ada", "correct hors").kind, Kind::wrong);
  EXPECT_EQ(verify("nobody", "correct horse").kind, Kind::wrong);
  EXPECT_EQ(verify("", "nobody's").kind, Kind::wrong);
  EXPECT_EQ(verify("no/name", std::string(8'000, 'x')).kind, Kind::wrong);
}

TEST_F(AccountsTest, NamesAndPasswordsAreChecked) {
  EXPECT_EQ(create("a", "correct horse").code, Code(Errc::bad_name));
  EXPECT_EQ(create("ada", std::string(kPasswordLeast - 1, 'x')).code, Code(Errc::bad_password));
  EXPECT_EQ(create("ada", std::string(kPasswordMost + 1, 'x')).code, Code(Errc::bad_password));
  EXPECT_EQ(create("ada", std::string(kPasswordMost, 'x')).code, Code());
  EXPECT_EQ(verify("ada", std::string(kPasswordMost, 'x')).kind, Kind::right);
  EXPECT_EQ(verify("ada", std::string(kPasswordMost + 1, 'x')).kind, Kind::wrong);
}

TEST_F(AccountsTest, PasswordsAreChangedByWhoKnowsThemAndByOperators) {
  ASSERT_EQ(create("ada", "correct horse").code, Code());
  const auto change = [&](const std::string& old, const std::string& next) {
    return end_of(
        [&](auto done) { accounts_->change("ada", password(old), password(next), done); });
  };
  EXPECT_EQ(change("wrong one", "battery staple").code, Code(Errc::wrong_password));
  EXPECT_EQ(change("correct horse", "short").code, Code(Errc::bad_password));
  EXPECT_EQ(change("correct horse", "battery staple").code, Code());
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::wrong);
  EXPECT_EQ(verify("ada", "battery staple").kind, Kind::right);
  const auto set = [&](const std::string& name) {
    return end_of([&](auto done) { accounts_->set_password(name, password("third one"), done); });
  };
  EXPECT_EQ(set("ada").code, Code());
  EXPECT_EQ(set("bob").code, Code(Errc::no_account));
  EXPECT_EQ(verify("ada", "third one").kind, Kind::right);
}

TEST_F(AccountsTest, BansAreToldToThePlayerAlone) {
  ASSERT_EQ(create("ada", "correct horse").code, Code());
  const auto ban = [&](const std::string& name, const Ban& held) {
    return end_of([&](auto done) { accounts_->ban(name, held, done); });
  };
  EXPECT_EQ(ban("bob", {0, "bots"}).code, Code(Errc::no_account));
  EXPECT_EQ(ban("ada", {0, std::string(kBanText + 1, 'x')}).code, Code(Errc::too_large));
  EXPECT_EQ(ban("ada", {now_ + 1'000, "cheating"}).code, Code());
  EXPECT_EQ(verify("ada", "wrong one").kind, Kind::wrong);
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::banned);
  EXPECT_THAT(verify("ada", "correct horse").text, HasSubstr("cheating"));
  now_ += 1'000;
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
  EXPECT_EQ(ban("ada", {0, {}}).code, Code());
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::banned);
  EXPECT_EQ(end_of([&](auto done) { accounts_->lift("ada", done); }).code, Code());
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
}

TEST_F(AccountsTest, HashesGrowStrongerAtTheNextLogin) {
  ASSERT_EQ(create("ada", "correct horse").code, Code());
  const std::string before = stored_hash("ada");
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
  EXPECT_EQ(stored_hash("ada"), before);
  const HashCost dearer{.memory_kib = 128, .passes = 2, .lanes = 1};
  restart(dearer);
  EXPECT_EQ(verify("ada", "wrong one").kind, Kind::wrong);
  EXPECT_EQ(stored_hash("ada"), before);
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
  while (stored_hash("ada") == before) loop_.run(1);
  EXPECT_EQ(cost_of(stored_hash("ada")).value(), dearer);
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
}

TEST_F(AccountsTest, AMethodThatCreatesLetsInWhoIsNew) {
  EXPECT_EQ(verify("ada", "correct horse", true).kind, Kind::right);
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::right);
  EXPECT_EQ(verify("ada", "another one", true).kind, Kind::wrong);  // is there
  EXPECT_EQ(verify("bob", "short", true).kind, Kind::wrong);
}

TEST_F(AccountsTest, ADatabaseThatFailsIsAVerdict) {
  ASSERT_EQ(create("ada", "correct horse").code, Code());
  store_->close();
  EXPECT_EQ(create("bob", "correct horse").code, Code(Errc::store));
  EXPECT_EQ(verify("ada", "correct horse").kind, Kind::later);
}

}  // namespace
}  // namespace starbus::nodes::login
