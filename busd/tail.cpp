#include "busd/tail.hpp"

#include <cassert>
#include <chrono>
#include <utility>

#include "base/hex.hpp"
#include "daemon/report/document.hpp"

namespace starbus::busd {
namespace {

constexpr std::size_t kShown = 200;  // bytes of a body

/// Bodies hold any bytes: each that cannot be printed becomes a dot.
std::string printable(bus::ByteView body) {
  std::string text(bus::as_text(body.first(std::min(body.size(), kShown))));
  for (char& c : text) {
    if (c < 0x20 || c > 0x7e) c = '.';
  }
  return text;
}

std::string name_of_origin(bus::HostRouter& router, const bus::Process& origin) {
  if (const bus::LocalProcess* process = router.table().by_id(origin)) return process->name;
  return hex_of(origin.host) + "." + hex_of(origin.slot);
}

}  // namespace

void Tails::add(const bus::ChannelId& channel, std::shared_ptr<daemon::Stream> stream) {
  thread_.check();
  assert(stream != nullptr);
  stream->on_close([this, channel, raw = stream.get()] { remove(channel, raw); });
  auto& streams = streams_[channel];
  if (streams.empty()) {
    router_.set_tap(channel, [this, channel](const bus::Run& run) { show(channel, run); });
  }
  streams.push_back(std::move(stream));
}

void Tails::show(const bus::ChannelId& channel, const bus::Run& run) {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto first = bus::RunReader(run).next();
  const report::TailLine line{
      .time_ms = static_cast<double>(since_epoch / std::chrono::milliseconds(1)),
      .lane = std::string(name_of(run.lane)),
      .origin = name_of_origin(router_, run.origin),
      .seq = run.seq,
      .count = run.count,
      .bytes = run.items.size(),
      .text = first ? printable(first->body) : ""};
  const std::string text = report::to_json(line).dump();
  for (const auto& stream : streams_[channel]) stream->write(text);
}

void Tails::remove(const bus::ChannelId& channel, const daemon::Stream* stream) {
  auto& streams = streams_[channel];
  std::erase_if(streams, [&](const auto& entry) { return entry.get() == stream; });
  if (!streams.empty()) return;
  streams_.erase(channel);
  router_.set_tap(channel, {});
}

}  // namespace starbus::busd
