/// What a hostile gate says to a client: the client asks for nothing outside of its bytes, keeps to
/// its bounds, shows packets in the order of their numbers, and tells each request one fate.
#include <map>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/io/frame_stream.hpp"
#include "clients/cpp/session.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::game;
using starbus::bus::require;

/// Drives a session as the input says, and plays.
class Driver : public Events {
 public:
  explicit Driver(ByteView input)
      : input_(input), session_({{"a:1", "b:2"}, "fuzz", 1, 2}, *this) {}

  void run() {
    require(session_.login({"password", "anna", {}}, now_));
    while (!input_.empty()) step();
    std::size_t told = 0;
    for (const auto& [number, count] : told_) {
      require(count == 1);
      ++told;
    }
    require(told + session_.requests_open() == asked_);
    require(session_.state() != State::ended || session_.requests_open() == 0);
  }

  void on_full(const FullState& full) override {
    require(full.groups.size() <= kGroups && full.open.size() <= kRequestsOpen);
    ask();
  }
  void on_ended(EndReason reason, std::string_view text) override {
    require(text.size() <= kCloseTextBytes && !name_of(reason).empty());
  }

 private:
  std::size_t take() {
    if (input_.empty()) return 0;
    const auto value = std::to_integer<std::size_t>(input_.front());
    input_ = input_.subspan(1);
    return value;
  }
  void step() {
    if (const auto address = session_.connect(now_)) session_.connected(now_);
    switch (take() % 8) {
      case 1:
        now_ = std::min(std::max(now_, session_.deadline()), now_ + kRetryTold);
        session_.tick(now_);
        break;
      case 2:
        ask();
        break;
      case 3:
        session_.disconnected(now_);
        break;
      case 4:
        session_.bye(now_);
        break;
      case 5:
        require(session_.login({"password", "anna", {}}, now_));
        break;
      case 6:
        while (session_.next_frame()) continue;
        break;
      default:
        frame();
    }
  }
  void frame() {
    const std::size_t low = take();
    const std::size_t size = std::min(low + take() * 256, input_.size());
    const std::uint64_t before = session_.position().c;
    const std::uint64_t packets = session_.counts().packets;
    session_.received(input_.first(size), now_);
    input_ = input_.subspan(size);
    const bool counted = session_.counts().packets != packets;
    require(!counted || session_.state() == State::ended || session_.position().c == before + 1);
  }
  void ask() {
    const std::size_t number = asked_;
    const auto told = [this, number](const Outcome&) { ++told_[number]; };
    if (session_.ask(bytes_of("buy"), told) == Asked::ok) ++asked_;
    require(session_.requests_open() <= kRequestsOpen);
  }

  ByteView input_;
  Time now_{1};
  std::size_t asked_ = 0;
  std::map<std::size_t, int> told_;
  Session session_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView input = starbus::bus::fuzz_input(data, size);
  static_cast<void>(read_to_client(input));
  static_cast<void>(read_full(input));
  static_cast<void>(read_over(input));
  static_cast<void>(read_spoken(input));
  static_cast<void>(read_ended(input));
  static_cast<void>(read_answer(input));
  FrameStream stream;
  stream.append(input);
  while (stream.next()) continue;
  Driver(input).run();
  return 0;
}
