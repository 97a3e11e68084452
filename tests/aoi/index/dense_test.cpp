/// Crowds, where rows of bits are long and cells know their extents: random ones beside brute force
/// and beside the model, with all that sensors can do.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "tests/aoi/script.hpp"

namespace starbus::aoi::test {
namespace {

class Dense {
 public:
  Dense(std::uint32_t seed, float size, bool managed) : chance_(seed) {
    taste_.size = size;
    taste_.managed = managed;
    WorldOptions of;
    of.bounds = {{0, 0, 0}, {size, size, 0}};
    of.reach = 20;
    of.quarantine = 2;
    of.backend = Backend::brute_force;
    add(of);
    of.backend = Backend::grid;
    add(of);
    of.simd = Simd::none;
    add(of);
    of.simd = Simd::best;
    for (const Backend backend : {Backend::hashed_grid, Backend::cross_list}) {
      of.backend = backend;
      add(of);
    }
    players_.front()->mirror_to(&model_);
  }

  void fill(int count) {
    for (int i = 0; i < count; ++i) {
      play(Do::add);
      play_on(Do::add_sensor, static_cast<std::uint32_t>(i));
    }
  }
  /// One tick: most walk, and some of everything else happens.
  void tick() {
    for (int i = 0; i < 60; ++i) play(Do::step);
    for (int i = 0; i < 3; ++i) {
      for (const Do what : {Do::teleport, Do::remove, Do::add, Do::add_sensor, Do::flags,
                            Do::radius, Do::options, Do::weight}) {
        play(what);
      }
    }
    if (taste_.managed) {
      for (const Do what : {Do::force, Do::unforce, Do::beacon, Do::beacon}) play(what);
    }
    play(Do::update);
    const auto& expected = players_.front()->last_events();
    events_ += expected.size();
    for (auto& player : players_) demand(player->last_events() == expected, "backends differ");
    std::vector<Event> plain = expected;
    for (Event& event : plain) event.index = 0;  // the model gives none
    demand(plain == model_.update(), "the world is not what the page says");
  }
  void check() {
    for (auto& player : players_) player->check();
  }
  std::size_t events() const { return events_; }

 private:
  void add(const WorldOptions& of) { players_.push_back(std::make_unique<Player>(of, taste_)); }
  void play(Do what) { play_on(what, static_cast<std::uint32_t>(chance_() % 1'000'000)); }
  void play_on(Do what, std::uint32_t a) {
    const Step step{what, a, static_cast<std::uint32_t>(chance_() % 1'000'000),
                    static_cast<std::uint32_t>(chance_() % 1'000'000)};
    for (auto& player : players_) player->play(step);
  }

  std::mt19937 chance_;
  Taste taste_;
  std::vector<std::unique_ptr<Player>> players_;
  Model model_;
  std::size_t events_ = 0;
};

// 120 in one cell or a few: far beyond the few-blocks path, and cells with extents.
TEST(DenseOracle, CrowdsAreWhatBruteForceAndTheModelSay) {
  std::uint32_t seed = 1;
  for (const float size : {6.0F, 45.0F}) {
    SCOPED_TRACE(::testing::Message() << "size " << size);
    Dense crowd(seed++, size, true);
    crowd.fill(120);
    ASSERT_NO_THROW(for (int i = 0; i < 3; ++i) crowd.tick());
    ASSERT_NO_THROW(crowd.check());
    EXPECT_GT(crowd.events(), 2'000u);
  }
}

}  // namespace
}  // namespace starbus::aoi::test
