#include "nodes/gate/wire/deflate.hpp"

#include <zlib.h>

#include <stdexcept>

namespace starbus::nodes::gate {
namespace {

constexpr int kLevel = 1;               // a tenth more bytes than level 6, for a third of the time
constexpr int kRawWindow = -15;         // without a head or a checksum: TLS has one
constexpr int kMemory = 8;              // zlib's default
constexpr std::size_t kLeastSaved = 8;  // in parts: an eighth of the body

}  // namespace

struct Deflater::Stream {
  z_stream z{};
};

Deflater::Deflater() : stream_(std::make_unique<Stream>()) {
  const int begun =
      deflateInit2(&stream_->z, kLevel, Z_DEFLATED, kRawWindow, kMemory, Z_DEFAULT_STRATEGY);
  if (begun != Z_OK) throw std::runtime_error("deflate: no memory for its window");
}

Deflater::~Deflater() {
  deflateEnd(&stream_->z);
}

bus::Bytes Deflater::deflated(bus::ByteView body) {
  bus::Bytes out(body.size() - body.size() / kLeastSaved);
  z_stream& z = stream_->z;
  deflateReset(&z);
  // zlib's form has no const; it only reads.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(body.data()));
  z.avail_in = static_cast<uInt>(body.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  if (deflate(&z, Z_FINISH) != Z_STREAM_END) return {};
  out.resize(out.size() - z.avail_out);
  return out;
}

}  // namespace starbus::nodes::gate
