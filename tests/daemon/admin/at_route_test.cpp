/// Requests that travel over the bus: the role that they come with, and answers that are no HTTP.
#include "daemon/admin/at_route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace starbus::daemon {
namespace {

using testing::HasSubstr;

class SharedRoutesTest : public testing::Test {
 protected:
  SharedRoutesTest() {
    routes_.add("/names", AdminRole::observe,
                [](const Request& request) { return Response::text(request.path); });
    routes_.add("/secrets", AdminRole::read, [](const Request&) { return Response::text("mail"); });
  }
  Response ask(const std::string& path, AdminRole role) {
    Response answer;
    answer.status = 0;
    routes_.answer(QueryQueue::From::bus, path, {role, "a caller at host b"},
                   [&](Response response) { answer = std::move(response); });
    EXPECT_EQ(answer.status, 0U) << "a router that asks is on the stack";
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(20));
    return answer;
  }

  boost::asio::io_context loop_;
  std::unique_ptr<AdminServer> server_ = AdminServer::listen(loop_, {}).value();
  QueryQueue queue_{loop_};
  SharedRoutes routes_{*server_, queue_};
};

TEST_F(SharedRoutesTest, TheRoleThatAQuestionCameWithDecides) {
  EXPECT_EQ(ask("/names?prefix=x", AdminRole::observe).body, "/names");
  EXPECT_EQ(ask("/names", AdminRole::none).status, 403U);
  const Response refused = ask("/secrets", AdminRole::observe);
  EXPECT_EQ(refused.status, 403U);
  EXPECT_THAT(refused.body, HasSubstr("a caller at host b"));
  EXPECT_EQ(ask("/secrets", AdminRole::read).body, "mail");
  EXPECT_EQ(ask("/nothing", AdminRole::operate).status, 404U);
}

// Another host chooses the status of its answer; it becomes a line of HTTP here.
TEST(AtRoute, AStatusThatHttpDoesNotHaveIs502) {
  bus::Answer answer;
  for (const unsigned status : {0U, 1U, 99U, 100U, 199U, 600U, 1000U, 65535U}) {
    answer.status = static_cast<std::uint16_t>(status);
    EXPECT_EQ(response_of(answer).status, 502U) << status;
  }
  for (const unsigned status : {200U, 404U, 503U, 599U}) {
    answer.status = static_cast<std::uint16_t>(status);
    EXPECT_EQ(response_of(answer).status, status);
  }
}

TEST(AtRoute, AnAnswerGoesToWhoAsked) {
  bus::Query query{"b", 7, "a", "/names"};
  const bus::Answer answer = answer_to(query, Response::text("names", 404));
  EXPECT_EQ(answer.to_host, "b");
  EXPECT_EQ(answer.number, 7U);
  EXPECT_EQ(answer.status, 404U);
  EXPECT_EQ(bus::as_text(answer.body), "names");
}

}  // namespace
}  // namespace starbus::daemon
