/// What a hostile server says of its names, of properties and of values: a view of written code
/// asks for nothing outside of its bytes, keeps to its bounds, and has a state exactly if all that
/// it was shown has its form.
#include "clients/cpp/stubs.hpp"
#include "clients/cpp/view.hpp"
#include "tests/clients/code/heroes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::game;
using starbus::bus::require;

class Driver : public heroes::HeroState::Watch, public heroes::HeroClient {
 public:
  explicit Driver(ByteView input) : input_(input) {}

  void run() {
    while (!input_.empty()) {
      const std::size_t what = take() % 5;
      const std::size_t low = take();
      const std::size_t size = std::min(low + take() * 256, input_.size());
      const ByteView bytes = input_.first(size);
      input_ = input_.subspan(size);
      step(what, bytes);
      const heroes::HeroState* const state = view_.state();
      require(state == nullptr || state->items.size() <= 4);
      require(state == nullptr || state->marks.size() <= kListElements);
    }
  }
  void state_changed(const heroes::HeroState& state) override { require(view_.state() == &state); }
  void said(const std::string&, const std::string&) override {}
  void shown(const heroes::Tree&, const std::variant<std::int32_t, std::string>&,
             const std::tuple<std::int32_t, std::string, bool>&, const std::vector<std::string>&,
             const std::array<std::int32_t, 3>&, const std::map<std::string, std::int64_t>&,
             const std::optional<heroes::Order>&, std::chrono::duration<std::int64_t, std::milli>,
             const heroes::Nothing&, double, const Bytes&) override {}

 private:
  std::size_t take() {
    if (input_.empty()) return 0;
    const auto value = std::to_integer<std::size_t>(input_.front());
    input_ = input_.subspan(1);
    return value;
  }
  void step(std::size_t what, ByteView bytes) {
    if (what == 0) {
      const Read<ServerNames> names = read_names(bytes);
      require(names || names->methods.empty());
      for (const Difference& each : differences(heroes::names(), *names)) {
        require(!each.name.empty() || each.kind == Difference::Kind::added);
      }
      static_cast<void>(view_.learn(*names));
    } else if (what == 1 || what == 2) {
      const Taken taken = what == 1 ? view_.snapshot(bytes) : view_.delta(bytes);
      require((view_.state() != nullptr) == (taken == Taken::ok));
    } else if (what == 3) {
      const Read<Call> call = read_call(bytes);
      if (call) static_cast<void>(hear(*call));
    } else {
      const Outcome outcome{1, Fate::replied, bytes};
      const auto answered = answered_of<heroes::Order, heroes::Refusal>(outcome);
      require(answered.value.has_value() == (answered.came == Came::replied));
    }
  }

  ByteView input_;
  View<heroes::HeroState> view_{*this};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Driver(starbus::bus::fuzz_input(data, size)).run();
  return 0;
}
