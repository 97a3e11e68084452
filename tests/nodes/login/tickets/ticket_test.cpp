// Tickets: their bytes, what is refused, and keys in files.
#include "nodes/login/tickets/ticket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/hex.hpp"
#include "entity/client/limits.hpp"
#include "nodes/login/tickets/used_tickets.hpp"
#include "tests/nodes/login/tickets/keys.hpp"

namespace starbus::nodes::login {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kNow = 1'800'000'000'000;

Ticket ticket_of_ada() {
  return {.kind = TicketKind::login,
          .account = "account/ada",
          .session = {0x1122334455667788, 0x99aabbccddeeff00},
          .gate = {"gate/east", {7, 8, 300}},
          .login = 42,
          .expires = kNow};
}
Ticket reentry_of_ada() {
  Ticket ticket = ticket_of_ada();
  ticket.kind = TicketKind::reentry;
  ticket.gate = {};
  return ticket;
}
SigningKey key_of_tests() {
  return SigningKey::from_pem(fixture::kPrivatePem).value();
}
VerifyingKeys only(const SigningKey& key) {
  VerifyingKeys keys;
  EXPECT_TRUE(keys.add(key.verifying()));
  return keys;
}
std::string hex(const bus::Bytes& bytes) {
  return hex_of(bus::as_text(bytes));
}

// Made by `openssl pkeyutl -sign -rawin` of another program's encoding.
TEST(Tickets, HaveGoldenBytes) {
  EXPECT_EQ(hex(sign(ticket_of_ada(), key_of_tests()).value()),
            "010156475aa70b6163636f756e742f616461887766554433221100ffeeddccbbaa9909676174652f656173"
            "740708ac022a80a0f1c2b1347b8eb32868d6abca0f331992d0e64c83e706335293c75c421c25c10658e0a4"
            "3d001dd2da6b2405b61ff98229fa85886658831ea05b771893c58cf09c9b0abd09");
  EXPECT_EQ(hex(sign(reentry_of_ada(), key_of_tests()).value()),
            "010256475aa70b6163636f756e742f616461887766554433221100ffeeddccbbaa992a80a0f1c2b134889f"
            "675bd101713f2c8cb67ec151902a2e56cdd01fc11c36710c4a41ffd6aa49b6a6f864c109f3866532510a27"
            "a4ea17764cf2b290a8552aeaf31e430bdc9501");
}

TEST(Tickets, ComeBackAsTheyWereSigned) {
  const SigningKey key = key_of_tests();
  for (const Ticket& ticket : {ticket_of_ada(), reentry_of_ada()}) {
    const auto bytes = sign(ticket, key).value();
    const auto read = verify(bytes, only(key), ticket.kind, kNow);
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, ticket);
  }
}

TEST(Tickets, AnyChangedBitIsRefused) {
  const SigningKey key = key_of_tests();
  const VerifyingKeys keys = only(key);
  auto bytes = sign(ticket_of_ada(), key).value();
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 3) {
    const auto flipped = std::byte{1} << (bit % 8);
    bytes[bit / 8] ^= flipped;
    EXPECT_FALSE(verify(bytes, keys, TicketKind::login, kNow)) << bit;
    bytes[bit / 8] ^= flipped;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(verify(bytes, keys, TicketKind::login, kNow).error(), Errc::malformed);
  EXPECT_EQ(verify({}, keys, TicketKind::login, kNow).error(), Errc::malformed);
  const bus::Bytes long_one(entity::sessions::kTicketBytes + 1);
  EXPECT_EQ(verify(long_one, keys, TicketKind::login, kNow).error(), Errc::malformed);
}

TEST(Tickets, AnotherKindIsRefused) {
  const SigningKey key = key_of_tests();
  const auto bytes = sign(reentry_of_ada(), key).value();
  EXPECT_EQ(verify(bytes, only(key), TicketKind::login, kNow).error(), Errc::wrong_kind);
  // Nor does a forged kind help.
  auto forged = bytes;
  forged[1] = std::byte{1};
  EXPECT_FALSE(verify(forged, only(key), TicketKind::login, kNow));
}

TEST(Tickets, ExpireWithRoomForClocks) {
  const SigningKey key = key_of_tests();
  const auto bytes = sign(ticket_of_ada(), key).value();
  const auto skew = static_cast<std::uint64_t>(kTicketSkew.count());
  EXPECT_TRUE(verify(bytes, only(key), TicketKind::login, kNow + skew));
  EXPECT_EQ(verify(bytes, only(key), TicketKind::login, kNow + skew + 1).error(), Errc::expired);
  EXPECT_LT(kTicketSkew, kTicketLife);
  EXPECT_GT(std::chrono::milliseconds(kReentryLife), kTicketLife);
}

TEST(Tickets, KeysRotate) {
  const SigningKey old_key = key_of_tests();
  const SigningKey new_key = SigningKey::generate().value();
  VerifyingKeys both = only(old_key);
  ASSERT_TRUE(both.add(new_key.verifying()));
  ASSERT_TRUE(both.add(new_key.verifying()));  // once more changes nothing
  EXPECT_EQ(both.size(), 2U);
  for (const SigningKey& key : {old_key, new_key}) {
    EXPECT_TRUE(verify(sign(ticket_of_ada(), key).value(), both, TicketKind::login, kNow));
  }
  const auto of_old = sign(ticket_of_ada(), old_key).value();
  EXPECT_EQ(verify(of_old, only(new_key), TicketKind::login, kNow).error(), Errc::unknown_key);
  // Somebody who names a known key, and signs with another.
  auto forged = sign(ticket_of_ada(), new_key).value();
  std::copy_n(of_old.begin() + 2, 4, forged.begin() + 2);
  EXPECT_EQ(verify(forged, only(old_key), TicketKind::login, kNow).error(), Errc::signature);
}

TEST(Tickets, KeysAreBounded) {
  VerifyingKeys keys;
  for (std::size_t i = 0; i < kTicketKeys; ++i) {
    ASSERT_TRUE(keys.add(SigningKey::generate().value().verifying()));
  }
  EXPECT_EQ(keys.add(SigningKey::generate().value().verifying()).error(), Errc::too_many);
}

TEST(Tickets, NamesThatDoNotFitAreRefused) {
  Ticket ticket = ticket_of_ada();
  ticket.account = "account/" + std::string(240, 'a');
  ticket.gate.channel = "gate/" + std::string(240, 'g');
  EXPECT_EQ(sign(ticket, key_of_tests()).error(), Errc::too_large);
  // The longest name of an account beside a gate of any name does.
  ticket.account = "account/" + std::string(64, 'a');
  ticket.gate.process = {~0U, ~0U, ~0ULL};
  ticket.login = ~0ULL;
  EXPECT_TRUE(sign(ticket, key_of_tests()));
}

TEST(UsedTicketsTest, EachIsTakenOnce) {
  UsedTickets used;
  EXPECT_TRUE(used.use(ticket_of_ada(), kNow));
  EXPECT_EQ(used.use(ticket_of_ada(), kNow).error(), Errc::used);
  Ticket next = ticket_of_ada();
  next.login = 43;
  EXPECT_TRUE(used.use(next, kNow));
  // Kept for as long as verify() takes it, and then forgotten.
  const auto skew = static_cast<std::uint64_t>(kTicketSkew.count());
  EXPECT_EQ(used.use(ticket_of_ada(), kNow + skew).error(), Errc::used);
  Ticket late = ticket_of_ada();
  late.session = {1, 1};
  late.expires += 60'000;
  EXPECT_TRUE(used.use(late, kNow + skew + 1));
  EXPECT_EQ(used.size(), 1U);
}

TEST(UsedTicketsTest, AreBounded) {
  UsedTickets used;
  Ticket ticket = ticket_of_ada();
  for (std::size_t i = 0; i < kUsedTickets; ++i) {
    ++ticket.login;
    ASSERT_TRUE(used.use(ticket, kNow));
  }
  ++ticket.login;
  EXPECT_EQ(used.use(ticket, kNow).error(), Errc::too_many);
  EXPECT_TRUE(used.use(ticket, kNow + 6'000));  // the others are over
  EXPECT_EQ(used.size(), 1U);
}

class TicketKeyFiles : public ::testing::Test {
 protected:
  TicketKeyFiles() {
    std::string pattern = ::testing::TempDir() + "tickets.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~TicketKeyFiles() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path(name)) << text;
    std::filesystem::permissions(
        path(name), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(TicketKeyFiles, KeepAPair) {
  const SigningKey key = SigningKey::generate().value();
  ASSERT_TRUE(key.write(path("a.key"), path("a.pub")));
  struct stat status {};
  ASSERT_EQ(::stat(path("a.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  const auto read = SigningKey::read(path("a.key"));
  ASSERT_TRUE(read) << read.error().to_string();
  const auto keys = VerifyingKeys::read({path("a.pub")});
  ASSERT_TRUE(keys) << keys.error().to_string();
  EXPECT_TRUE(verify(sign(ticket_of_ada(), *read).value(), *keys, TicketKind::login, kNow));
  EXPECT_THAT(key.write(path("a.key"), path("a.pub")).error().detail, HasSubstr("exists already"));
  EXPECT_TRUE(SigningKey::generate().value().write(path("a.key"), path("a.pub"), true));
  EXPECT_NE(VerifyingKey::read(path("a.pub")).value().id(), key.verifying().id());
}

TEST_F(TicketKeyFiles, AreRefusedWithAReason) {
  EXPECT_THAT(SigningKey::read(path("none")).error().detail, HasSubstr("No such file"));
  write("text", "hello");
  EXPECT_THAT(SigningKey::read(path("text")).error().detail, HasSubstr("no private key"));
  EXPECT_THAT(VerifyingKey::read(path("text")).error().detail, HasSubstr("no public key"));
  write("long", std::string(kKeyFileBytes + 1, '\n'));
  EXPECT_THAT(VerifyingKey::read(path("long")).error().detail, HasSubstr("too large"));
  EXPECT_THAT(VerifyingKey::read(path("")).error().detail, HasSubstr("not a regular file"));
  write("open", fixture::kPrivatePem);
  EXPECT_TRUE(SigningKey::read(path("open")));
  std::filesystem::permissions(path("open"), std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(SigningKey::read(path("open")).error().detail, HasSubstr("chmod 600"));
  EXPECT_EQ(SigningKey::read(path("open")).error(), Errc::bad_key);
}

}  // namespace
}  // namespace starbus::nodes::login
