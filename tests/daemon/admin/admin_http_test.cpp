#include "daemon/admin/admin_http.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "daemon/admin/admin_stream.hpp"

namespace starbus::daemon {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(AdminHttp, TargetsAreSplitAndDecoded) {
  const auto target = parse_target("/na%6des/x?name=player%2F42&q=a+b%2b&flag&empty=&&name=2#frag");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/names/x");
  EXPECT_THAT(target->query, ElementsAre(Pair("name", "player/42"), Pair("q", "a b+"),
                                         Pair("flag", ""), Pair("empty", ""), Pair("name", "2")));
  EXPECT_EQ(parse_target("/a+b")->path, "/a+b");
  EXPECT_EQ(parse_target("/?x=%00%ff")->query[0].second, std::string("\0\xff", 2));
}

TEST(AdminHttp, BrokenTargetsAreRefused) {
  for (const char* bad : {"", "*", "x", "http://h/x", "/%", "/%4", "/%zz", "/?a=%g1", "/?%=1"}) {
    EXPECT_FALSE(parse_target(bad)) << bad;
  }
}

TEST(AdminHttp, EncodingIsTheInverse) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(parse_target("/?x=" + percent_encode(all))->query[0].second, all);
  EXPECT_EQ(percent_encode("player/42 a"), "player%2F42%20a");
}

TEST(AdminHttp, ParametersOfARequest) {
  const Request request{"GET", "/", {{"name", "a"}, {"name", "b"}}, ""};
  EXPECT_EQ(request.parameter("name"), "a");
  EXPECT_EQ(request.parameter("other"), std::nullopt);
  EXPECT_EQ(request.parameter_or("other", "x"), "x");
}

TEST(AdminHttp, NumbersOfARequestAreWholeOrRefused) {
  const Request request{"GET",
                        "/",
                        {{"n", "18446744073709551615"},
                         {"most", "18446744073709551616"},
                         {"tail", "1x"},
                         {"sign", "-1"},
                         {"hex", "0x1"},
                         {"empty", ""}},
                        ""};
  EXPECT_EQ(request.number_or("n", 7), ~std::uint64_t{0});
  EXPECT_EQ(request.number_or("other", 7), 7U);
  for (const char* bad : {"most", "tail", "sign", "hex", "empty"}) {
    EXPECT_EQ(request.number_or(bad, 7), std::nullopt) << bad;
  }
  EXPECT_EQ(Response::no_number("limit").status, 400U);
}

TEST(AdminHttp, JsonResponsesSurviveHostileNames) {
  const Response response = Response::json({{"name", "\xff\"\n"}});
  EXPECT_EQ(nlohmann::json::parse(response.body)["name"], "\xef\xbf\xbd\"\n");
  EXPECT_EQ(Response::error(404, "no").status, 404U);
  EXPECT_EQ(Response::error(404, "no").body, "{\"detail\":\"no\",\"error\":\"not_found\"}\n");
  EXPECT_EQ(Response::error(422, "no").body, "{\"detail\":\"no\",\"error\":\"refused\"}\n");
}

class StreamTest : public testing::Test {
 protected:
  std::shared_ptr<Stream::State> state_ = std::make_shared<Stream::State>();
  std::shared_ptr<Stream> stream_ = std::make_shared<Stream>(state_);
};

TEST_F(StreamTest, SkipsWhatDoesNotFitAndSaysSo) {
  const std::string line(1000, 'x');
  std::size_t written = 0;
  while (stream_->write(line)) ++written;
  EXPECT_FALSE(stream_->write(line));
  EXPECT_LE(stream_->buffered(), Stream::kMaxBuffered);
  EXPECT_GT(written, 250U);
  EXPECT_EQ(stream_->skipped(), 2U);
  state_->buffer.clear();  // the client has read
  EXPECT_TRUE(stream_->write("next"));
  EXPECT_EQ(state_->buffer, "{\"skipped\":2}\nnext\n");
  EXPECT_FALSE(stream_->write(std::string(Stream::kMaxBuffered, 'x')));
  EXPECT_EQ(stream_->skipped(), 3U);
}

TEST_F(StreamTest, LettingGoEndsIt) {
  stream_->write("last");
  stream_.reset();
  EXPECT_TRUE(state_->ended);
  EXPECT_EQ(state_->buffer, "last\n");
}

TEST_F(StreamTest, TellsOnceThatTheClientLeft) {
  int calls = 0;
  stream_->on_close([&] { ++calls; });
  state_->client_left();
  state_->client_left();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(stream_->is_open());
  EXPECT_FALSE(stream_->write("x"));
}

TEST_F(StreamTest, ItsHandlerMayHoldIt) {
  const std::weak_ptr<Stream> watch = stream_;
  stream_->on_close([held = stream_] {});
  Stream& stream = *stream_;
  stream_.reset();
  state_.reset();  // now only the handler holds both
  stream.close();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace starbus::daemon
