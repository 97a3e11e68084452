#include "tests/cluster/chaos/board.hpp"

#include <chrono>

namespace starbus::cluster_test {

static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

Board Board::create(const std::filesystem::path& path, std::uint32_t messages,
                    std::uint32_t span_ms) {
  const std::size_t rows = std::size_t{2} * kStreams * messages;
  Board board(SharedFile::create(path, sizeof(Header) + rows));
  board.plan().messages = messages;
  board.plan().span_ms = span_ms;
  return board;
}

Board Board::open(const std::filesystem::path& path) {
  return Board(SharedFile::open(path));
}

std::int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace starbus::cluster_test
