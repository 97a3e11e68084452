/// Errors keep their domain and their number, also those that this build does not know.
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/result.hpp"

namespace starbus::shop {

#define STARBUS_SHOP_ERRORS(X)                                       \
  X(sold_out, 1, later, "the item is not in stock", "offer another") \
  X(no_money, 2, never, "the purse has too little", "earn some")     \
  X(unpaid, 7, unknown, "the bank did not answer", "ask it first")
STARBUS_ERRORS(Errc, std::uint8_t, kShopErrors, 1001, "shop", STARBUS_SHOP_ERRORS)

}  // namespace starbus::shop

namespace starbus::bank {

#define STARBUS_BANK_ERRORS(X) X(closed, 1, later, "the bank is closed", "come back in the morning")
STARBUS_ERRORS(Errc, std::uint16_t, kBankErrors, 1002, "bank", STARBUS_BANK_ERRORS)

}  // namespace starbus::bank

namespace starbus {
namespace {

static_assert(sizeof(Code) == 4);
static_assert(sizeof(Error) == 40);
static_assert(Code(shop::Errc::unpaid) == Code(1001, 7));

TEST(Codes, OkIsOneInAllDomains) {
  EXPECT_EQ(Code(shop::Errc::ok), Code(bank::Errc::ok));
  EXPECT_EQ(Code(7, 0), Code());
  EXPECT_EQ(name_of(Code()), "ok");
  EXPECT_EQ(info_of(Code()), nullptr);
}

TEST(Codes, SameNumberOfAnotherDomainDiffers) {
  const Code code = shop::Errc::sold_out;
  EXPECT_NE(code, bank::Errc::closed);
  EXPECT_TRUE(code.is_of<shop::Errc>());
  EXPECT_FALSE(code.is_of<bank::Errc>());
  EXPECT_EQ(code.in<shop::Errc>(), shop::Errc::sold_out);
  EXPECT_EQ(code.in<bank::Errc>(), bank::Errc::ok);
  EXPECT_EQ(code.in(bank::Errc::closed), bank::Errc::closed);
}

TEST(Codes, TheTableHasTheirRows) {
  EXPECT_EQ(name_of(shop::Errc::unpaid), "unpaid");
  EXPECT_EQ(retry_of(shop::Errc::unpaid), Retry::unknown);
  EXPECT_EQ(retry_of(shop::Errc::sold_out), Retry::later);
  EXPECT_EQ(retry_of(shop::Errc::ok), Retry::never);
  EXPECT_EQ(info_of(shop::Errc::no_money)->cure, "earn some");
  EXPECT_EQ(name_of(Retry::rebind), "rebind");
}

TEST(Codes, OfANewerPeerAreKeptAsUnknown) {
  for (const Code code : {Code(1001, 3), Code(1001, 8), Code(999, 1), Code(65'535, 65'535)}) {
    EXPECT_EQ(name_of(code), "unknown");
    EXPECT_EQ(info_of(code), nullptr);
    EXPECT_EQ(retry_of(code), Retry::unknown);
  }
  EXPECT_EQ(Error(Code(999, 12), "x").to_string(), "unknown 999.12: x");
  EXPECT_EQ(Error(Code(999, 12)).code, Code(999, 12));
}

TEST(Errors, AreText) {
  EXPECT_EQ(Error(shop::Errc::sold_out).to_string(), "sold_out");
  EXPECT_EQ(Error(shop::Errc::sold_out, "bow").to_string(), "sold_out: bow");
  EXPECT_TRUE(Error(shop::Errc::sold_out, "bow") == shop::Errc::sold_out);
  EXPECT_TRUE(Error(shop::Errc::sold_out) != bank::Errc::closed);
}

TEST(Errors, AreEqualToTheirCodeAndToTheCodeOfTheirCause) {
  const Error error = Error(shop::Errc::sold_out, "bow").because_of(bank::Errc::closed);
  EXPECT_TRUE(error == shop::Errc::sold_out);
  EXPECT_TRUE(error == bank::Errc::closed);
  EXPECT_FALSE(error == shop::Errc::unpaid);
  EXPECT_FALSE(error == shop::Errc::ok);
  EXPECT_EQ(error.code, shop::Errc::sold_out);
  EXPECT_EQ(error.to_string(), "sold_out: bow");
  EXPECT_FALSE(Error(shop::Errc::sold_out) == shop::Errc::ok) << "no cause is not success";
}

TEST(ErrorDomains, AreFoundByTheirIds) {
  EXPECT_EQ(find_domain(1001), &shop::kShopErrors);
  EXPECT_EQ(find_domain(60'000), nullptr);
  const auto all = error_domains();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &ErrorDomain::id));
  EXPECT_EQ(std::ranges::count(all, &bank::kBankErrors), 1);
}

TEST(ErrorDomainsDeathTest, WithOneIdAbort) {
  static constexpr ErrorDomain kOther{1001, "other", {}};
  EXPECT_DEATH(DomainRegistration{kOther}, "shop and other have one id: 1001");
}

}  // namespace
}  // namespace starbus
