/// Requests and answers as bytes: what was agreed on stays so, and what is hostile is refused.
#include "nodes/db/remote/wire.hpp"
#include "base/hex.hpp"

#include <gmock/gmock.h>

#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

std::string hex(bus::ByteView bytes) {
  return hex_of(bus::as_text(bytes));
}

bus::Bytes request(const Arguments& arguments, std::uint64_t age_ms = 0) {
  bus::Bytes body = encode_head("main", age_ms);
  const bus::Bytes rest = encode_arguments(arguments).value();
  body.insert(body.end(), rest.begin(), rest.end());
  return body;
}

/// Read and written again.
std::string again(const bus::Bytes& body) {
  const auto read = decode_request(body);
  if (!read) return read.error().to_string();
  return hex(request(read->arguments));
}

const std::vector<std::pair<Arguments, std::string>>& golden_requests() {
  static const std::vector<std::pair<Arguments, std::string>> kRows = {
      {WriteRequest{
           .request_id = "r",
           .writes = {Insert{"c", "1", {{"n", 1}}}, Put{"c", "2", {{"t", "x"}}},
                      Update{"c", "3", {{Operator::inc, "n", -2}}, true}, Erase{"c", "4"}}},
       "d10100046d61696e"
       "00"
       "0172"
       "04"
       "000163013104a1616e01"
       "010163013205a161746178"
       "020163013301"
       "01016e0121"
       "01"
       "0301630134"},
      {Find{"c", "1", {"a.b"}},
       "d10100046d61696e"
       "01"
       "01630131"
       "0103612e62"},
      {Query{.range = {"c", "i", Bound{{1, nullptr}, false}, {}}, .limit = 7, .token = "t"},
       "d10100046d61696e"
       "02"
       "01630169"
       "01"
       "020101"
       "01f6"
       "00"
       "00"
       "07"
       "00"
       "010174"},
      {Count{{.collection = "c"}},
       "d10100046d61696e"
       "03"
       "016300"
       "00"
       "00"
       "00"},
      {DeclareIndex{"c", "i", {{"a", true}}},
       "d10100046d61696e"
       "04"
       "01630169"
       "01"
       "016101"},
      {DropIndex{"c", "i"},
       "d10100046d61696e"
       "05"
       "01630169"},
      {ListIndexes{"c"},
       "d10100046d61696e"
       "06"
       "0163"},
      {ListCollections{},
       "d10100046d61696e"
       "07"},
  };
  return kRows;
}

TEST(Wire, RequestsKeepTheirBytes) {
  for (const auto& [arguments, bytes] : golden_requests()) {
    EXPECT_EQ(hex(request(arguments)), bytes);
    EXPECT_EQ(again(request(arguments)), bytes);
  }
}

TEST(Wire, TheAgeOfAWriteTravelsBeforeIt) {
  const Arguments erase = WriteRequest{.request_id = "r", .writes = {Erase{"c", "4"}}};
  const auto read = decode_request(request(erase, 300)).value();
  EXPECT_EQ(std::get<WriteRequest>(read.arguments).age_ms, 300u);
  EXPECT_EQ(read.database, "main");
}

template <class T>
void expect_answer(const T& answer, const std::string& bytes) {
  const bus::Bytes body = encode_answer(answer);
  EXPECT_EQ(hex(body), bytes);
  const auto verdicted = decode_verdict(body);
  ASSERT_TRUE(verdicted && verdicted->verdict == Verdict::answered);
  const auto read = decode_answer<T>(verdicted->answer);
  ASSERT_TRUE(read);
  EXPECT_EQ(hex(encode_answer(*read)), bytes);
  for (std::size_t size = 0; size < verdicted->answer.size(); ++size) {
    EXPECT_FALSE(decode_answer<T>(verdicted->answer.first(size)));
  }
}

TEST(Wire, AnswersKeepTheirBytes) {
  expect_answer(Written{{Outcome::created, Outcome::erased}, true},
                "d800"
                "02"
                "0103"
                "01");
  expect_answer(std::optional(Json::object({{"n", 1}})),
                "d800"
                "01"
                "04a1616e01");
  expect_answer(std::optional<Json>(),
                "d800"
                "00");
  expect_answer(Page{{{"1", Json::object()}}, {Error(Errc::corrupt, "c/2")}, "t"},
                "d800"
                "01"
                "0131"
                "01a0"
                "01"
                "050c"
                "03632f32"
                "010174");
  expect_answer(Counted{300, {}},
                "d800"
                "ac02"
                "00");
  expect_answer(std::vector<IndexInfo>{{"i", {{"a", true}}, true}},
                "d800"
                "01"
                "0169"
                "01"
                "016101"
                "01");
  expect_answer(std::vector<CollectionInfo>{{"c", 5, 1}},
                "d800"
                "01"
                "0163"
                "05"
                "01");
  expect_answer(Nothing{}, "d800");
}

TEST(Wire, RefusalsCarryCodeAndText) {
  const bus::Bytes body = encode_refusal({Errc::too_large, "why"});
  EXPECT_EQ(hex(body),
            "d801"
            "0505"
            "03776879");
  const auto verdicted = decode_verdict(body).value();
  EXPECT_EQ(verdicted.error.to_string(), "too_large: why");
}

TEST(Wire, CodesOfANewerNodeAreKept) {
  const Code code(60'000, 9);
  EXPECT_EQ(decode_verdict(encode_refusal(Error(code, "x")))->error.to_string(),
            "unknown 60000.9: x");
  const std::string_view none("\xd8\x01\x05\x00\x01x", 6);
  const std::string_view no_domain("\xd8\x01\x80\x80\x04\x01\x01x", 8);
  EXPECT_FALSE(decode_verdict(bus::as_bytes(none)));
  EXPECT_FALSE(decode_verdict(bus::as_bytes(no_domain)));
}

TEST(Wire, WhatIsCutOrLongerIsNotRead) {
  for (const auto& [arguments, bytes] : golden_requests()) {
    bus::Bytes body = request(arguments);
    for (std::size_t size = 0; size < body.size(); ++size) {
      EXPECT_FALSE(decode_request(bus::ByteView(body).first(size)));
    }
    body.push_back({});
    EXPECT_FALSE(decode_request(body));
  }
  for (const char* const text : {"", "x", "\xd8", "\xd8\x02", "\xd8\x01", "\xd8\x01\xff\x01x"}) {
    EXPECT_FALSE(decode_verdict(bus::as_bytes(text)));
  }
}

TEST(Wire, ErrorsOfDocumentsAreTyped) {
  EXPECT_EQ(
      encode_arguments(WriteRequest{.writes = {Put{"c", "1", std::string(kMaxDocument, 'x')}}})
          .error(),
      Errc::too_large);
  // An integer beyond int64 as the document of an insert.
  bus::Bytes body = encode_head("main", 0);
  const std::string_view rest(
      "\0\0\1\0\1c\1"
      "1\x09\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
      18);
  body.insert(body.end(), bus::as_bytes(rest).begin(), bus::as_bytes(rest).end());
  EXPECT_EQ(decode_request(body).error(), Errc::bad_document);
}

}  // namespace
}  // namespace starbus::nodes::db
