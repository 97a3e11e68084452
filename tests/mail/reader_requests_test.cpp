#include "mail/reader_requests.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starbus::mail {
namespace {

const Process kFlood{1, 1, 1};
const Process kOther{2, 1, 1};

Opening opening(const Process& process, std::uint64_t token) {
  Opening one;
  one.id = {process, token};
  return one;
}
Acknowledgement ack(std::uint64_t token, std::uint64_t upto, std::string reject = {}) {
  return {{kFlood, token}, {token, upto, std::move(reject)}};
}
/// Host and token of each, in the order in which they are taken.
std::string taken(ReaderRequests& requests, std::size_t most = 100) {
  std::string words;
  while (most-- > 0) {
    const auto request = requests.take();
    if (!request) break;
    std::visit(
        [&](const auto& one) {
          words += (words.empty() ? "" : " ") + std::to_string(one.id.process.host) + ":" +
                   std::to_string(one.id.token);
        },
        *request);
  }
  return words;
}

TEST(ReaderRequestsTest, ProcessesTakeTurnsAndEachKeepsItsOrder) {
  ReaderRequests requests;
  for (std::uint64_t token = 1; token <= 4; ++token) {
    EXPECT_TRUE(requests.add(opening(kFlood, token)));
  }
  EXPECT_TRUE(requests.add(opening(kOther, 1)));
  EXPECT_TRUE(requests.add(opening(kOther, 2)));
  EXPECT_EQ(taken(requests), "1:1 2:1 1:2 2:2 1:3 1:4");
  EXPECT_TRUE(requests.empty());
}

TEST(ReaderRequestsTest, OneProcessFillsItsOwnShareAndNobodyElses) {
  ReaderRequests requests;
  for (std::uint64_t token = 0; token < kReaderRequestsOfProcess; ++token) {
    ASSERT_TRUE(requests.add(opening(kFlood, token)));
  }
  EXPECT_FALSE(requests.add(opening(kFlood, 0)));
  EXPECT_TRUE(requests.add(opening(kOther, 7)));
  EXPECT_EQ(taken(requests, 2), "1:0 2:7");
  EXPECT_TRUE(requests.add(opening(kFlood, 0))) << "there is room again";
}

TEST(ReaderRequestsTest, AllOfThemAreBounded) {
  ReaderRequests requests;
  for (std::size_t i = 0; i < kReaderRequests; ++i) {
    const Process process{1, static_cast<std::uint32_t>(i / kReaderRequestsOfProcess), 1};
    ASSERT_TRUE(requests.add(opening(process, i)));
  }
  EXPECT_FALSE(requests.add(opening(kOther, 1)));
  EXPECT_EQ(requests.count(), kReaderRequests);
}

TEST(ReaderRequestsTest, WhatIsPutBackComesFirst) {
  ReaderRequests requests;
  for (std::uint64_t token = 1; token <= 3; ++token) {
    ASSERT_TRUE(requests.add(opening(kFlood, token)));
  }
  auto first = requests.take();
  auto second = requests.take();
  requests.put_back(std::move(*second));
  requests.put_back(std::move(*first));
  EXPECT_EQ(taken(requests), "1:1 1:2 1:3");
}

TEST(ReaderRequestsTest, AcknowledgementsOfOneSessionAreOne) {
  ReaderRequests requests;
  EXPECT_TRUE(requests.add(ack(1, 5)));
  EXPECT_TRUE(requests.add(ack(1, 9)));
  EXPECT_TRUE(requests.add(ack(1, 7)));
  EXPECT_EQ(requests.count(), 1u);
  EXPECT_TRUE(requests.add(ack(1, 10, "poison")));
  EXPECT_TRUE(requests.add(ack(1, 11)));
  EXPECT_TRUE(requests.add(ack(2, 11)));
  EXPECT_EQ(requests.count(), 4u) << "a rejected message is one of its own";
  const auto first = requests.take();
  ASSERT_TRUE(first);
  EXPECT_EQ(std::get<Acknowledgement>(*first).ack.upto, 9u);
}

TEST(ReaderRequestsTest, WhatAReaderAskedForThatHasClosedIsForgotten) {
  ReaderRequests requests;
  EXPECT_TRUE(requests.add(opening(kFlood, 1)));
  EXPECT_TRUE(requests.add(ack(1, 5)));
  EXPECT_TRUE(requests.add(opening(kFlood, 2)));
  EXPECT_TRUE(requests.add(opening(kOther, 1)));
  requests.forget({kFlood, 1});
  requests.forget({kFlood, 9});
  EXPECT_EQ(requests.count(), 2u);
  requests.forget({kOther, 1});
  EXPECT_EQ(taken(requests), "1:2");
  EXPECT_TRUE(requests.empty());
}

TEST(ReaderRequestsTest, WhatAProcessAskedForThatHasEndedIsForgotten) {
  const Process next{1, 1, 2};
  ReaderRequests requests;
  EXPECT_TRUE(requests.add(opening(kFlood, 1)));
  EXPECT_TRUE(requests.add(opening(kOther, 1)));
  EXPECT_TRUE(requests.add(opening(next, 1)));
  requests.process_gone(kFlood, true);
  EXPECT_EQ(requests.count(), 3u) << "it lives";
  requests.process_gone(next, true);
  EXPECT_EQ(taken(requests, 1), "2:1") << "and so its earlier life does not";
  EXPECT_TRUE(requests.add(opening(kOther, 2)));
  requests.process_gone(kOther, false);
  EXPECT_EQ(taken(requests), "1:1");
}

}  // namespace
}  // namespace starbus::mail
