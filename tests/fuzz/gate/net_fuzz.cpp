/// What comes to the sockets of a gate before and around frames: PROXY headers, lists of protocols
/// (ALPN), requests to upgrade, frames by length and of WebSockets. Frames are the same whole and
/// byte by byte.
#include <algorithm>
#include <utility>
#include <vector>

#include "nodes/gate/net/frame_reader.hpp"
#include "nodes/gate/net/limits.hpp"
#include "nodes/gate/net/proxy_header.hpp"
#include "nodes/gate/net/tls_context.hpp"
#include "nodes/gate/net/ws_upgrade.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus;
using namespace starbus::nodes::gate::net;
using bus::require;

constexpr std::size_t kLimit = 4'096;
using Steps = std::vector<std::pair<FrameStep::Kind, bus::Bytes>>;

Steps read(bool websocket, bus::ByteView bytes, std::size_t piece) {
  FrameReader reader(websocket);
  Steps steps;
  while (!bytes.empty()) {
    const bus::ByteView part = bytes.first(std::min(piece, bytes.size()));
    bytes = bytes.subspan(part.size());
    bus::Bytes buffer(part.begin(), part.end());
    std::span<std::byte> input(buffer);
    for (;;) {
      const FrameStep step = reader.next(input, kLimit);
      require(reader.held() <= 2 * kLimit + 14);
      if (step.kind == FrameStep::Kind::more) break;
      steps.emplace_back(step.kind, bus::Bytes(step.bytes.begin(), step.bytes.end()));
      if (step.kind >= FrameStep::Kind::malformed) return steps;
      require(step.bytes.size() <= kLimit);
    }
    require(input.empty());
  }
  return steps;
}

void read_proxy(bus::ByteView input) {
  const ProxyHeader whole = read_proxy_header(input);
  if (whole.state != ProxyHeader::State::whole) return;
  require(whole.size <= input.size() && whole.size <= kProxyBytes);
  // No part of it asks for more than all of it.
  for (std::size_t size = 0; size < whole.size; ++size) {
    const ProxyHeader part = read_proxy_header(input.first(size));
    require(part.state == ProxyHeader::State::more && part.size > size && part.size <= whole.size);
  }
  if (whole.client) require(parse_address(whole.client->to_string()) == whole.client);
}

void read_upgrade(bus::ByteView input) {
  const std::size_t size = size_of_request(input, 0);
  if (size == 0 || size > kUpgradeBytes) return;
  const auto request = bus::as_text(input.first(size));
  const UpgradeAnswer open = answer_upgrade(request, {"/", {"*"}});
  const UpgradeAnswer strict = answer_upgrade(request, {"/", {"https://play.example.org"}});
  require(open.response.starts_with("HTTP/1.1 ") && open.response.ends_with("\r\n\r\n"));
  require(strict.status != 101 || open.status == 101);
}

/// The first entry is the one that is wanted; the list is what follows it, and then all of it.
void read_protocols(bus::ByteView input) {
  const std::string_view all = bus::as_text(input);
  if (all.empty()) return;
  const std::size_t size = std::to_integer<unsigned char>(input.front());
  if (size == 0 || size >= all.size()) return;
  const std::string_view wanted = all.substr(1, size);
  const auto first = find_protocol(all, wanted);
  require(first && first->data() == wanted.data() && first->size() == size);
  const std::string_view list = all.substr(1 + size);
  // Entries that are whole, by a walk of its own.
  std::size_t at = 0;
  bool there = false;
  while (!there && at < list.size()) {
    const std::size_t length = static_cast<unsigned char>(list[at]);
    if (length == 0 || at + 1 + length > list.size()) break;
    there = list.substr(at + 1, length) == wanted;
    at += 1 + length;
  }
  const auto found = find_protocol(list, wanted);
  require(found.has_value() == there);
  if (!found) return;
  require(found->data() > list.data() && found->data() + size <= list.data() + list.size());
  require(*found == wanted && static_cast<unsigned char>(found->data()[-1]) == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  read_proxy(input);
  read_upgrade(input);
  read_protocols(input);
  for (const bool websocket : {false, true}) {
    require(read(websocket, input, input.size() + 1) == read(websocket, input, 1));
  }
  return 0;
}
