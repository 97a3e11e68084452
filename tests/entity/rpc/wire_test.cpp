// The bytes of docs/guide/rpc.md, and what a decoder does with others.
#include "entity/rpc/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/hex.hpp"
#include "tests/entity/rpc/world.hpp"

namespace starbus::entity::rpc {
namespace {

using namespace world;

std::string hex(ByteView bytes) {
  return hex_of(bus::as_text(bytes));
}
std::string little(std::uint32_t value) {
  Bytes bytes(4);
  std::memcpy(bytes.data(), &value, 4);
  return hex(bytes);
}

TEST(RpcWire, ACallIsItsHeaderAndItsArguments) {
  (void)Dictionary::of_process();
  Bytes bytes;
  ASSERT_TRUE((encode_call<&Chat::join>(bytes, Behalf::none, 0, "hall")));
  const std::string method =
      little(hash32("chat.join")) + little(hash32("(str)->i32!{{u16,u16},{n,bytes}}"));
  EXPECT_EQ(hex(bytes), "a100" + method + "04" + "68616c6c");
  bytes.clear();
  ASSERT_TRUE((encode_call<&Chat::join>(bytes, Behalf::any_client, 300, "hall")));
  EXPECT_EQ(hex(bytes), "a102" + method + "ac02" + "04" + "68616c6c");
}

TEST(RpcWire, AQuestionSaysWhereItsAnswerGoes) {
  (void)Dictionary::of_process();
  Bytes bytes;
  CallHeader header;
  header.answer_to = "entity/7";
  header.question = {300, 5};
  ASSERT_TRUE((encode_call<&Chat::join>(bytes, header, "hall")));
  const std::string method =
      little(hash32("chat.join")) + little(hash32("(str)->i32!{{u16,u16},{n,bytes}}"));
  EXPECT_EQ(hex(bytes),
            "a300" + method + "08" + "656e746974792f37" + "ac02" + "05" + "04" + "68616c6c");
  Decoder in(bytes);
  CallHeader read;
  ASSERT_EQ(get_header(in, read), Errc::ok);
  EXPECT_EQ(read.answer_to, "entity/7");
  EXPECT_EQ(read.question.epoch, 300U);
  EXPECT_EQ(read.question.number, 5U);
  EXPECT_EQ(in.left(), 5U);
  bytes[11] = std::byte{'\n'};  // no name of a channel
  Decoder bad(bytes);
  EXPECT_EQ(get_header(bad, read), Errc::bad_bytes);
  bytes.clear();
  Encoder out(bytes);
  put_answer_head(out, {300, 5});
  EXPECT_EQ(hex(bytes), "a9ac0205");
  Decoder answer(bytes);
  AnswerId question;
  EXPECT_TRUE(get_answer_head(answer, question));
  EXPECT_EQ(question.epoch, 300U);
}

TEST(RpcWire, AnAnswerIsAValueARefusalOrAnError) {
  Bytes bytes;
  Encoder out(bytes);
  put_reply_head(out, ReplyKind::value);
  EXPECT_EQ(hex(bytes), "a800");
  bytes.clear();
  Encoder error(bytes);
  put_error(error, {Errc::not_permitted, "no"});
  EXPECT_EQ(hex(bytes),
            "a802"
            "04"
            "03"
            "02"
            "6e6f");
}

TEST(RpcWire, AnErrorComesBackAsItWas) {
  rc::check([](const std::string& detail) {
    const Code codes[] = {Errc::not_permitted, bus::Errc::no_owner, Code(65'535, 65'535)};
    for (const Code code : codes) {
      Bytes bytes;
      Encoder out(bytes);
      const Error error(code, detail.substr(0, kMaxDetail));
      put_error(out, error);
      Decoder in(bytes);
      ReplyKind kind{};
      Error back;
      RC_ASSERT(get_reply_head(in, kind, back));
      RC_ASSERT(kind == ReplyKind::error);
      RC_ASSERT(back.code == error.code);
      RC_ASSERT(back.detail == error.detail);
    }
  });
}

TEST(RpcWire, AnErrorWithoutACodeIsRefused) {
  for (const Code code : {Code(), Code(4, 0)}) {
    Bytes bytes;
    Encoder out(bytes);
    put_error(out, Error(code));
    Decoder in(bytes);
    ReplyKind kind{};
    Error back;
    EXPECT_FALSE(get_reply_head(in, kind, back));
  }
  const auto refused = [](std::uint64_t domain, std::uint64_t number) {
    Bytes bytes;
    Encoder out(bytes);
    put_reply_head(out, ReplyKind::error);
    out.varint(domain);
    out.varint(number);
    out.text("x");
    Decoder in(bytes);
    ReplyKind kind{};
    Error back;
    return !get_reply_head(in, kind, back);
  };
  EXPECT_FALSE(refused(65'535, 65'535));
  EXPECT_TRUE(refused(65'536, 1));
  EXPECT_TRUE(refused(1, 65'536));
}

TEST(RpcWire, NumbersThatDoNotFitAreRefusedWhereTheyAreWritten) {
  Bytes bytes;
  EXPECT_FALSE((encode_call<&Chat::sit>(bytes, Behalf::none, 0, 256)));
  EXPECT_FALSE((encode_call<&Chat::sit>(bytes, Behalf::none, 0, -1)));
  EXPECT_TRUE(bytes.empty());
  EXPECT_TRUE((encode_call<&Chat::sit>(bytes, Behalf::none, 0, 255)));
}

TEST(RpcWire, HeadersOfOtherFormsAreBadBytes) {
  (void)Dictionary::of_process();
  Bytes good;
  ASSERT_TRUE((encode_call<&Chat::sit>(good, Behalf::own_client, 5, 1)));
  const auto read = [](Bytes bytes) {
    Decoder in(bytes);
    CallHeader header;
    return get_header(in, header);
  };
  EXPECT_EQ(read(good), Errc::ok);
  for (std::size_t size = 0; size < 11; ++size) {
    EXPECT_EQ(read(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
              Errc::bad_bytes);
  }
  Bytes form = good, behalf = good;
  form[0] = std::byte{0xa0};
  behalf[1] = std::byte{3};  // "gate" cannot be claimed
  EXPECT_EQ(read(form), Errc::bad_bytes);
  EXPECT_EQ(read(behalf), Errc::bad_bytes);
}

}  // namespace
}  // namespace starbus::entity::rpc
