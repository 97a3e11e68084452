#include "clients/cpp/inflate.hpp"

#include <zlib.h>

#include <algorithm>

#include "clients/cpp/limits.hpp"

namespace starbus::game {
namespace {

constexpr std::byte kPacket{68};
constexpr std::byte kDeflatedPacket{196};
constexpr int kRawWindow = -15;
/// The output grows by so much: a frame of a few bytes gets no memory for a mebibyte.
constexpr std::size_t kStep = std::size_t{16} * 1024;

/// A stream of zlib, whatever happens.
struct Stream {
  Stream() : good(inflateInit2(&z, kRawWindow) == Z_OK) {}
  ~Stream() {
    if (good) inflateEnd(&z);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream z{};
  bool good;
};

/// Appends. False: malformed, or more than `most` bytes.
bool inflate_onto(Bytes& out, ByteView deflated, std::size_t most) {
  Stream stream;
  if (!stream.good) return false;
  z_stream& z = stream.z;
  // zlib's form has no const; it only reads.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(deflated.data()));
  z.avail_in = static_cast<uInt>(deflated.size());
  const std::size_t end = out.size() + most;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    const std::size_t size = out.size();
    // One byte beyond the bound shows that there is more.
    out.resize(std::min(size + kStep, end + 1));
    z.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    z.avail_out = static_cast<uInt>(out.size() - size);
    state = inflate(&z, Z_NO_FLUSH);
    out.resize(out.size() - z.avail_out);
    if ((state != Z_OK && state != Z_STREAM_END) || out.size() > end) return false;
  }
  return z.avail_in == 0;
}

}  // namespace

bool is_deflated(ByteView frame) {
  return !frame.empty() && frame.front() == kDeflatedPacket;
}

std::optional<Bytes> inflate_packet(ByteView frame) {
  if (!is_deflated(frame)) return std::nullopt;
  FieldReader in(frame.subspan(1));
  static_cast<void>(in.number());  // c
  static_cast<void>(in.byte());    // kind
  const ByteView deflated = in.rest(kFrameTaken);
  if (!in.ok()) return std::nullopt;
  const ByteView head = frame.first(frame.size() - deflated.size());
  Bytes plain(head.begin(), head.end());
  plain.front() = kPacket;
  if (!inflate_onto(plain, deflated, kPacketBytes)) return std::nullopt;
  return plain;
}

}  // namespace starbus::game
