// The bytes between gates and logins.
#include "nodes/gate/wire/login_words.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "nodes/gate/wire/limits.hpp"

namespace starbus::nodes::gate {
namespace {

using entity::DataErrc;

template <class Word>
std::string hex_of_word(const Word& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return hex_of(bus::as_text(bytes));
}
template <class Word>
bus::Bytes bytes_of_word(const Word& word) {
  bus::Bytes bytes;
  encode(word, bytes);
  return bytes;
}
LoginAsk ask_of_ada() {
  return {.session = {1, 2},
          .gate = {"gate/a", {}},
          .method = "password",
          .account = "ada",
          .proof = {std::byte{0xff}, std::byte{0}},
          .address = "::1"};
}

TEST(LoginWords, HaveGoldenBytes) {
  const std::string session = "01000000000000000200000000000000";
  EXPECT_EQ(hex_of_word(ask_of_ada()),
            session + "06676174652f61" + "0870617373776f7264" + "03616461" + "02ff00" + "033a3a31");
  EXPECT_EQ(hex_of_word(LoginTold{{1, 2}, LoginWaiting{300, 7}}), "01" + session + "ac0207");
  EXPECT_EQ(hex_of_word(LoginTold{{1, 2}, LoginAdmitted{"account/a", 5, {std::byte{1}}, {}}}),
            "02" + session + "096163636f756e742f61" + "05" + "0101" + "00");
  EXPECT_EQ(hex_of_word(LoginTold{{1, 2}, LoginRefused{CloseReason::banned, 300, "no"}}),
            "03" + session + "07" + "ac02" + "026e6f");
}

TEST(LoginWords, ComeBackAsTheyWere) {
  EXPECT_EQ(decode_login_ask(bytes_of_word(ask_of_ada())).value(), ask_of_ada());
  const bus::Bytes ticket(512, std::byte{7});
  for (const LoginTold& told :
       {LoginTold{{1, 2}, LoginWaiting{~0ULL, ~0U}},
        LoginTold{{1, 2}, LoginAdmitted{"account/a", ~0ULL, ticket, ticket}},
        LoginTold{{1, 2},
                  LoginRefused{CloseReason::fault, ~0U, std::string(kCloseTextBytes, 'x')}}}) {
    EXPECT_EQ(decode_login_told(bytes_of_word(told)).value(), told);
  }
}

TEST(LoginWords, AreBounded) {
  const auto error_with = [](auto change) {
    LoginAsk ask = ask_of_ada();
    change(ask);
    return decode_login_ask(bytes_of_word(ask)).error();
  };
  EXPECT_EQ(error_with([](LoginAsk& a) { a.method.assign(kMethodBytes + 1, 'x'); }),
            DataErrc::too_large);
  EXPECT_EQ(error_with([](LoginAsk& a) { a.account.assign(kAccountBytes + 1, 'x'); }),
            DataErrc::too_large);
  EXPECT_EQ(error_with([](LoginAsk& a) { a.proof.resize(kProofBytes + 1); }), DataErrc::too_large);
  EXPECT_EQ(error_with([](LoginAsk& a) { a.address.assign(kClientAddressBytes + 1, '1'); }),
            DataErrc::too_large);
  EXPECT_EQ(error_with([](LoginAsk& a) { a.session = {}; }), DataErrc::malformed);
  const LoginTold told{{1, 2},
                       LoginRefused{CloseReason::full, 1, std::string(kCloseTextBytes + 1, 'x')}};
  EXPECT_EQ(decode_login_told(bytes_of_word(told)).error(), DataErrc::too_large);
  // Whatever is cut off, or is too much.
  auto bytes = bytes_of_word(ask_of_ada());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_login_ask(bus::ByteView(bytes).first(size))) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(decode_login_ask(bytes).error(), DataErrc::trailing);
}

}  // namespace
}  // namespace starbus::nodes::gate
