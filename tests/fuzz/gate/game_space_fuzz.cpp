/// What a hostile server says of a space: a view over written code asks for nothing outside of its
/// bytes, keeps to its bounds, tells of each that is seen once when it comes and once when it goes,
/// and has nothing after what does not have its form.
#include <cmath>
#include <set>

#include "clients/cpp/space/space_view.hpp"
#include "tests/clients/code/heroes.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::game;
using starbus::bus::require;

class Driver : public SpaceEvents {
 public:
  explicit Driver(ByteView input) : input_(input) {}

  void run() {
    while (!input_.empty()) {
      const std::size_t what = take() % 5;
      const std::size_t low = take();
      const std::size_t size = std::min(low + take() * 256, input_.size());
      const ByteView bytes = input_.first(size);
      input_ = input_.subspan(size);
      now_ += Time(50);
      step(what, bytes);
      require(seen_.size() == view_.size());
      view_.each([this](const Seen& seen) { check(seen); });
    }
  }
  void on_scene(const Scene* scene) override {
    require(scene == view_.scene());
    seen_.clear();
  }
  void on_entered(const Seen& seen) override { require(seen_.insert(&seen).second); }
  void on_changed(const Seen& seen, const Changed& changed) override {
    require(changed.any() && seen_.contains(&seen));
  }
  void on_left(const Seen& seen) override { require(seen_.erase(&seen) == 1); }

 private:
  std::size_t take() {
    if (input_.empty()) return 0;
    const auto value = std::to_integer<std::size_t>(input_.front());
    input_ = input_.subspan(1);
    return value;
  }
  void step(std::size_t what, ByteView bytes) {
    if (what == 0) {
      view_.restart(!bytes.empty());
    } else if (what == 1) {
      const Read<ServerNames> names = read_names(bytes);
      ended(view_.learn(*names));
    } else if (what == 2) {
      const auto moves = read_moves(bytes, {7, -7, 0});
      require(moves || moves->moves.empty());
    } else {
      ended(view_.take(bytes, now_));
    }
  }
  void ended(Taken taken) {
    require(taken != Taken::waits && taken != Taken::other_schema);
    require(taken == Taken::ok || (view_.scene() == nullptr && view_.size() == 0));
  }
  void check(const Seen& seen) {
    require(seen_.contains(&seen) && seen.index() != 0 && view_.at(seen.index()) == &seen);
    const auto* const hero = seen.as<heroes::HeroSeen>();
    require(hero == nullptr || hero->items.size() <= 4);
    const auto shown = seen.at(view_.shown_time(now_));
    require(shown.has_value() == (seen.move() != nullptr));
    require(!shown || (std::isfinite(shown->position.x) && std::isfinite(shown->heading)));
  }

  ByteView input_;
  Time now_{1000};
  std::set<const Seen*> seen_;
  SpaceView view_{heroes::seen(), *this};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Driver(starbus::bus::fuzz_input(data, size)).run();
  return 0;
}
