#include "nodes/gate/net/proxy_header.hpp"

#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "nodes/gate/net/limits.hpp"

namespace starbus::nodes::gate::net {
namespace {

using State = ProxyHeader::State;

constexpr std::string_view kSignatureHex = "0d0a0d0a000d0a515549540a";

bus::Bytes header(std::string_view rest) {
  const auto text = bytes_of_hex(std::string(kSignatureHex).append(rest));
  const bus::ByteView view = bus::as_bytes(*text);
  return {view.begin(), view.end()};
}

struct Golden {
  const char* bytes;
  const char* client;  // empty: nobody is named
};
// The vectors: version and command, family, length, addresses, ports, extensions.
const Golden kGolden[] = {
    {"2111000cc0000207c633640112671bb9", "192.0.2.7:4711"},
    {"2111000fc0000207c633640112671bb9040000", "192.0.2.7:4711"},
    {"2121002420010db800000000000000000000000120010db80000000000000000000000020050"
     "1bb9",
     "[2001:db8::1]:80"},
    {"20000000", ""},
    {"2011000cc0000207c633640112671bb9", ""},
    {"21000000", ""},
};

TEST(ProxyHeaderTest, GoldenBytes) {
  for (const Golden& golden : kGolden) {
    bus::Bytes bytes = header(golden.bytes);
    const std::size_t size = bytes.size();
    bytes.push_back(std::byte{'x'});  // the client's
    const ProxyHeader read = read_proxy_header(bytes);
    EXPECT_EQ(read.state, State::whole) << golden.bytes;
    EXPECT_EQ(read.size, size);
    EXPECT_EQ(read.client ? read.client->to_string() : "", golden.client);
  }
}

TEST(ProxyHeaderTest, EachPartAsksForNoMoreThanTheHeader) {
  const bus::Bytes bytes = header(kGolden[0].bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const ProxyHeader read = read_proxy_header(bus::ByteView(bytes).first(size));
    EXPECT_EQ(read.state, State::more) << size;
    EXPECT_EQ(read.size, size < kProxyHead ? kProxyHead : bytes.size());
  }
}

TEST(ProxyHeaderTest, WhatIsNoneIsMalformed) {
  for (const std::string_view rest : {"1111000cc0000207c633640112671bb9",  // version 1
                                      "2211000cc0000207c633640112671bb9",  // another command
                                      "2112000cc0000207c633640112671bb9",  // datagrams
                                      "2111000bc0000207c633640112671b",  // too short for its family
                                      "2121000cc0000207c633640112671bb9"}) {  // likewise
    EXPECT_EQ(read_proxy_header(header(rest)).state, State::malformed) << rest;
  }
  EXPECT_EQ(read_proxy_header(bus::as_bytes("PROXY TCP4")).state, State::malformed);
  EXPECT_EQ(read_proxy_header(bus::as_bytes("\r\n\rX")).state, State::malformed);
}

TEST(ProxyHeaderTest, AHeaderIsBounded) {
  EXPECT_EQ(read_proxy_header(header("211103f0")).state, State::more);
  EXPECT_EQ(read_proxy_header(header("211103f0")).size, kProxyBytes);
  EXPECT_EQ(read_proxy_header(header("211103f1")).state, State::malformed);
}

}  // namespace
}  // namespace starbus::nodes::gate::net
