/// Streams of the admin server, and HttpClient::stream that reads them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/daemon/admin/admin_fixture.hpp"
#include "tests/daemon/support.hpp"

namespace starbus::daemon {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kGetTail = "GET /tail HTTP/1.1\r\nHost: localhost\r\n\r\n";

class AdminStreamTest : public test::AdminFixture {
 protected:
  void SetUp() override {
    start([this](AdminServer& server) { add_routes(server); }, config());
  }
  void TearDown() override {
    test::AdminFixture::TearDown();
    streams_.clear();  // a stream may outlive its server
  }
  virtual AdminConfig config() const { return {}; }

  void add_routes(AdminServer& server) {
    server.stream(
        "/tail", AdminRole::read,
        [this](const Request& request, std::shared_ptr<Stream> stream) -> std::optional<Response> {
          if (request.parameter("bad")) return Response::error(400, "bad name");
          if (request.parameter("throw")) throw std::runtime_error("oops");
          streams_.push_back(std::move(stream));
          opened_.set_value();
          return std::nullopt;
        });
    server.stream("/three", AdminRole::read,
                  [](const Request&, const std::shared_ptr<Stream>& stream) {
                    for (const char* line : {"1", "2", "3"}) stream->write(line);
                    return std::optional<Response>();  // lets go, so the stream ends
                  });
  }

  void wait_for_stream() {
    opened_.get_future().get();
    opened_ = {};
  }

  std::vector<std::shared_ptr<Stream>> streams_;  // thread of the loop
  std::promise<void> opened_;
};

TEST_F(AdminStreamTest, LinesArriveAsTheyAreWritten) {
  test::RawClient raw(server_->socket());
  raw.send(kGetTail);
  EXPECT_THAT(raw.receive_until("\r\n\r\n"), HasSubstr("Transfer-Encoding: chunked\r\n"));
  wait_for_stream();
  on_loop([&] { streams_[0]->write("{\"n\":1}"); });
  EXPECT_EQ(raw.receive_until("\n\r\n"), "8\r\n{\"n\":1}\n\r\n");
  on_loop([&] {
    streams_[0]->write("{\"n\":2}");
    streams_[0]->close();
    EXPECT_FALSE(streams_[0]->write("{\"n\":3}"));
  });
  EXPECT_EQ(raw.receive_all(), "8\r\n{\"n\":2}\n\r\n0\r\n\r\n");
}

TEST_F(AdminStreamTest, AStreamThatNobodyKeepsEnds) {
  std::vector<std::string> lines;
  const auto read = client().stream("/three", [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_THAT(lines, ElementsAre("1", "2", "3"));
}

TEST_F(AdminStreamTest, RoutesCanRefuseOrFail) {
  const auto ignore = [](std::string_view) { return true; };
  EXPECT_EQ(client().stream("/tail?bad=1", ignore).error().detail, "400 Bad Request: bad name");
  EXPECT_THAT(client().stream("/tail?throw=1", ignore).error().detail, HasSubstr("oops"));
  EXPECT_THAT(client().stream("/none", ignore).error().detail, HasSubstr("no such path"));
  EXPECT_THAT(exchange("HEAD /tail HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(exchange("GET /tail HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 505 "));
  EXPECT_TRUE(on_loop([this] { return streams_.empty(); }));
}

TEST_F(AdminStreamTest, TheRouteIsToldThatTheClientLeft) {
  auto raw = std::make_unique<test::RawClient>(server_->socket());
  raw->send(kGetTail);
  wait_for_stream();
  std::promise<void> left;
  on_loop([&] { streams_[0]->on_close([&] { left.set_value(); }); });
  raw.reset();
  left.get_future().get();
  EXPECT_FALSE(on_loop([this] { return streams_[0]->write("x"); }));
}

TEST_F(AdminStreamTest, AHandlerThatThrowsHarmsNobody) {
  const test::LogCapture log;
  auto raw = std::make_unique<test::RawClient>(server_->socket());
  raw->send(kGetTail);
  wait_for_stream();
  std::promise<void> left;
  on_loop([&] {
    streams_[0]->on_close([&] {
      left.set_value();
      throw std::runtime_error("oops");
    });
  });
  raw.reset();
  left.get_future().get();
  EXPECT_TRUE(client().stream("/three", [](std::string_view) { return true; }));
}

TEST_F(AdminStreamTest, ASlowReaderLosesLinesAndIsToldHowMany) {
  test::RawClient raw(server_->socket());
  raw.send(kGetTail);
  wait_for_stream();
  const std::string line(1000, 'x');
  std::uint64_t written = 0;
  std::uint64_t skipped = 0;
  for (int round = 0; round < 1000 && skipped == 0; ++round) {
    on_loop([&] {
      for (int i = 0; i < 100; ++i) written += streams_[0]->write(line) ? 1U : 0U;
      EXPECT_LE(streams_[0]->buffered(), Stream::kMaxBuffered);
      skipped = streams_[0]->skipped();
    });
  }
  ASSERT_GT(skipped, 0U);
  on_loop([&] { streams_[0]->close(); });
  const std::string all = raw.receive_all();
  std::uint64_t arrived = 0;
  for (const auto& text : test::lines_of(all)) arrived += text == line ? 1U : 0U;
  EXPECT_EQ(arrived, written);
  EXPECT_THAT(all, HasSubstr("{\"skipped\":" + std::to_string(skipped) + "}\n"));
  EXPECT_THAT(all, EndsWith("0\r\n\r\n"));
}

TEST_F(AdminStreamTest, ClosingTheServerTellsTheClientAndNotTheRoute) {
  test::RawClient raw(server_->socket());
  raw.send(kGetTail);
  wait_for_stream();
  on_loop([&] {
    streams_[0]->on_close([] { ADD_FAILURE(); });
    server_->close();
  });
  raw.receive_all();
  on_loop([&] { EXPECT_FALSE(streams_[0]->write("x")); });
}

TEST_F(AdminStreamTest, TheClientStopsWhenItHasEnough) {
  std::promise<void> left;
  const auto reading = std::async(std::launch::async, [&] {
    return client().stream("/tail", [](std::string_view line) { return line != "stop"; });
  });
  wait_for_stream();
  on_loop([&] {
    streams_[0]->on_close([&] { left.set_value(); });
    streams_[0]->write("go on");
    streams_[0]->write("stop");
  });
  left.get_future().get();
}

class FewStreamsTest : public AdminStreamTest {
  AdminConfig config() const override {
    AdminConfig few;
    few.max_streams = 1;
    return few;
  }
};

TEST_F(FewStreamsTest, StreamsAreCountedApart) {
  auto raw = std::make_unique<test::RawClient>(server_->socket());
  raw->send(kGetTail);
  wait_for_stream();
  EXPECT_THAT(exchange(kGetTail), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(exchange("GET /none HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 404 "));
  raw.reset();
  while (on_loop([this] { return server_->connections(); }) > 0) std::this_thread::yield();
  EXPECT_TRUE(client().stream("/three", [](std::string_view) { return true; }));
}

}  // namespace
}  // namespace starbus::daemon
