/// The queue of local messages, and the buffers that messages are encoded into.
#include "entity/rpc/endpoint/local_queue.hpp"

#include <gtest/gtest.h>

#include "entity/rpc/endpoint/buffer_pool.hpp"

namespace starbus::entity::rpc {
namespace {

const MethodInfo kMethod{};
int living = 0;

class Numbered final : public LocalMessage {
 public:
  Numbered(SlotRef to, int n) : LocalMessage(kMethod, to, Behalf::none), number(n) { ++living; }
  ~Numbered() override { --living; }
  std::uint64_t run(detail::EndpointCore&, CallableBase&, Caller&) override { return 0; }
  void fail(detail::EndpointCore&, const Error&) override {}
  int number;
};

std::vector<int> drained(LocalQueue& queue) {
  std::vector<int> numbers;
  while (!queue.empty()) numbers.push_back(static_cast<Numbered&>(*queue.pop()).number);
  return numbers;
}

constexpr SlotRef kFirst{1, 0}, kSecond{2, 0};

TEST(LocalQueue, KeepsTheOrderAndOwnsItsMessages) {
  {
    LocalQueue queue;
    for (int i = 0; i < 3; ++i) queue.push(std::make_unique<Numbered>(kFirst, i));
    EXPECT_EQ(static_cast<Numbered&>(*queue.pop()).number, 0);
    queue.push(std::make_unique<Numbered>(kFirst, 3));
    EXPECT_EQ(living, 3);
  }
  EXPECT_EQ(living, 0) << "the queue's end is theirs";
}

TEST(LocalQueue, AppendMovesAllToTheEnd) {
  LocalQueue a, b;
  a.push(std::make_unique<Numbered>(kFirst, 1));
  b.push(std::make_unique<Numbered>(kFirst, 2));
  b.push(std::make_unique<Numbered>(kFirst, 3));
  a.append(b);
  EXPECT_TRUE(b.empty());
  b.push(std::make_unique<Numbered>(kFirst, 4));
  a.append(b);
  EXPECT_EQ(drained(a), (std::vector<int>{1, 2, 3, 4}));
}

TEST(LocalQueue, ExtractKeepsTheOrderOfBoth) {
  LocalQueue queue, out;
  for (int i = 0; i < 6; ++i) {
    queue.push(std::make_unique<Numbered>(i % 2 == 0 ? kFirst : kSecond, i));
  }
  queue.push(std::make_unique<Numbered>(SlotRef{1, 1}, 6));  // a later object at the same place
  queue.extract(kFirst, out);
  EXPECT_EQ(drained(out), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(drained(queue), (std::vector<int>{1, 3, 5, 6}));
}

TEST(LocalQueue, ExtractLooksNoFurtherThanTheLastThatIsWanted) {
  LocalQueue queue, out;
  for (int i = 0; i < 6; ++i) {
    queue.push(std::make_unique<Numbered>(i % 2 == 0 ? kFirst : kSecond, i));
  }
  queue.extract(kFirst, out, 2);
  EXPECT_EQ(drained(out), (std::vector<int>{0, 2}));
  queue.extract(kSecond, out, 9);
  EXPECT_EQ(drained(out), (std::vector<int>{1, 3, 5}));
  queue.push(std::make_unique<Numbered>(kSecond, 7));  // after the last was taken out
  EXPECT_EQ(drained(queue), (std::vector<int>{4, 7}));
}

TEST(BufferPool, LendsOneBufferToEachBorrower) {
  BufferPool pool;
  auto outer = pool.lend();
  (*outer).assign(100, std::byte{1});
  {
    auto inner = pool.lend();
    EXPECT_TRUE((*inner).empty());
    (*inner).assign(10, std::byte{2});
  }
  EXPECT_EQ((*outer).size(), 100U);
}

TEST(BufferPool, GivesTheMemoryToTheNextBorrower) {
  BufferPool pool;
  const std::byte* place = nullptr;
  {
    auto buffer = pool.lend();
    (*buffer).assign(1000, std::byte{1});
    place = (*buffer).data();
  }
  auto buffer = pool.lend();
  EXPECT_TRUE((*buffer).empty());
  EXPECT_GE((*buffer).capacity(), 1000U);
  EXPECT_EQ((*buffer).data(), place);
}

}  // namespace
}  // namespace starbus::entity::rpc
