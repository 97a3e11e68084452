#include "clients/cpp/io/frame_stream.hpp"

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::size_t kHead = 4;
/// What a client keeps for the next frames: thousands of clients wait most of the time.
constexpr std::size_t kKept = 16 * 1024;

}  // namespace

void FrameStream::append(ByteView bytes) {
  if (broken_) return;
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  if (bytes_.empty() && bytes_.capacity() > kKept) Bytes().swap(bytes_);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<ByteView> FrameStream::next() {
  const ByteView rest = ByteView(bytes_).subspan(at_);
  if (broken_ || rest.size() < kHead) return std::nullopt;
  std::size_t size = 0;
  for (std::size_t i = kHead; i-- > 0;) size = size << 8 | std::to_integer<std::size_t>(rest[i]);
  if (size > kFrameTaken) {
    broken_ = true;
    return std::nullopt;
  }
  if (rest.size() - kHead < size) return std::nullopt;
  at_ += kHead + size;
  return rest.subspan(kHead, size);
}

void put_frame(ByteView frame, Bytes& out) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<std::byte>(frame.size() >> shift & 0xff));
  }
  out.insert(out.end(), frame.begin(), frame.end());
}

}  // namespace starbus::game
