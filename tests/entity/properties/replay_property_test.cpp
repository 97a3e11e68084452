/// Random histories, replayed: whatever is done, however replicas fall behind, and however often
/// the entity is loaded anew while they go on with what they have, what they show is what the model
/// says that their audience sees.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <memory>
#include <utility>

#include "tests/entity/properties/world.hpp"

namespace starbus::entity::test {
namespace {

rc::Gen<Step> any_step(unsigned kinds) {
  return rc::gen::construct<Step>(rc::gen::inRange(0U, kinds), rc::gen::inRange(0, 8),
                                  rc::gen::inRange(0, 6), rc::gen::inRange(0, 6));
}

// A real hero, a replica of it for each audience, and behind the ghost a replica for other clients.
class Scene {
 public:
  Scene() {
    for (std::size_t i = 0; i < kAudiences; ++i) {
      replicas_[i].become_replica(static_cast<Audience>(i));
      seldom_[i].become_replica(static_cast<Audience>(i));
      real_->watch(static_cast<Audience>(i));
    }
    replicas_[0].watch(Audience::other_clients);
    far_.become_replica(Audience::other_clients);
    for (std::size_t i = 0; i < kAudiences; ++i) resync(static_cast<Audience>(i));
  }

  void perform(const Step& step) {
    if (step.what < kHeroSteps) {
      test::perform(*real_, step);
      model_.perform(step);
      RC_ASSERT(real_->to_json() == model_.all());
      return;
    }
    switch (step.what - kHeroSteps) {
      case 0:
        flush(false);
        break;
      case 1:
        real_->seal();
        break;
      case 2:
        flush(true);
        break;  // what is sent is lost
      case 3:
        look_away(static_cast<Audience>(step.a % 5));
        break;
      case 4:
        late(static_cast<Audience>(step.a % 5));
        break;
      case 5:
        migrate();
        break;
      case 6:
        load_anew(View::save);
        break;
      case 7:
        load_anew(View::migration);  // a move by name
        break;
      case 8:
        detour();
        break;
      case 9:
        come_seldom(static_cast<Audience>(step.a % 5));
        break;
      default:
        arrive();
        break;
    }
  }

  // An observer of each audience that is told nothing and asks now and then, however long after.
  void come_seldom(Audience audience) {
    const auto i = static_cast<std::size_t>(audience);
    real_->seal();
    Hero& seldom = seldom_[i];
    Bytes bytes;
    if (!real_->encode_delta(audience, seldom.version(audience), bytes)) {
      RC_ASSERT(seldom_lives_[i] != life_ || looked_away_[i]);  // no other reason is left
      bytes.clear();
      RC_ASSERT(real_->encode_snapshot(view_of(audience), bytes).has_value());
      RC_ASSERT(seldom.apply_snapshot(bytes).has_value());
    } else {
      RC_ASSERT(seldom.apply_delta(bytes).has_value());
      RC_ASSERT(seldom.apply_delta(bytes).has_value());  // twice is once
    }
    seldom_lives_[i] = life_;
    looked_away_[i] = false;
    RC_ASSERT(seldom.to_json().dump() == model_.seen_by(view_of(audience)).dump());
    RC_ASSERT(seldom.version(audience) == real_->version(audience));
  }

  void finish() {
    for (std::size_t i = 0; i < kAudiences; ++i) come_seldom(static_cast<Audience>(i));
    flush(false);
    arrive();
    for (std::size_t i = 0; i < kAudiences; ++i) {
      if (!current(i)) late(static_cast<Audience>(i));
    }
    for (std::size_t i = 0; i < kAudiences; ++i) {
      RC_ASSERT(replicas_[i].to_json().dump() == model_.seen_by(static_cast<View>(i)).dump());
      RC_ASSERT(current(i));
    }
    chain();
    RC_ASSERT(far_.to_json().dump() == model_.seen_by(View::other_clients).dump());
    Hero loaded;
    Bytes saved;
    RC_ASSERT(real_->encode_saved(View::save, saved).has_value());
    RC_ASSERT(loaded.load_saved(saved).has_value());
    RC_ASSERT(loaded.to_json().dump() == model_.seen_by(View::save).dump());
  }

 private:
  bool current(std::size_t i) const {
    const auto audience = static_cast<Audience>(i);
    return replicas_[i].version(audience) == real_->version(audience);
  }
  // What was told to one audience, and in which life.
  struct Told {
    Audience audience;
    Bytes bytes;
    int life;
  };
  void deliver(const Told& told) {
    const auto i = static_cast<std::size_t>(told.audience);
    Hero& replica = replicas_[i];
    const std::string before = replica.to_json().dump();
    if (told.bytes.front() == std::byte{0xa2}) {
      RC_ASSERT(replica.apply_snapshot(told.bytes).has_value());
      lives_[i] = told.life;
      return;
    }
    const auto taken = replica.apply_delta(told.bytes);
    if (taken) {
      RC_ASSERT(told.life == lives_[i]);  // or it is another's
      return;
    }
    RC_ASSERT(taken.error().code == DataErrc::gap);
    RC_ASSERT(replica.to_json().dump() == before);
    late(told.audience);
  }
  std::vector<Told> told() {
    std::vector<Told> all;
    const auto sent = real_->flush([&](Audience audience, ByteView bytes) {
      all.push_back({audience, Bytes(bytes.begin(), bytes.end()), life_});
    });
    RC_ASSERT(sent.has_value());
    for (std::size_t i = 1; i < all.size(); ++i) {
      RC_ASSERT(all[i - 1].audience < all[i].audience);  // ghosts first
    }
    return all;
  }
  void flush(bool lost) {
    const std::vector<Told> all = told();
    if (lost) return;
    for (const Told& each : all) deliver(each);
    if (!all.empty() && all.front().audience == Audience::ghost) chain();
  }
  // What is told now takes a long way, and arrives later.
  void detour() {
    for (Told& each : told()) detour_.push_back(std::move(each));
  }
  void arrive() {
    for (const Told& each : std::exchange(detour_, {})) deliver(each);
  }
  // The ghost passes on to those who watch it there.
  void chain() {
    Hero& near = replicas_[0];
    Bytes bytes;
    if (!far_known_ ||
        !near.encode_delta(Audience::other_clients, far_.version(Audience::other_clients), bytes)) {
      bytes.clear();
      RC_ASSERT(near.encode_snapshot(View::other_clients, bytes).has_value());
      RC_ASSERT(far_.apply_snapshot(bytes).has_value());
      far_known_ = true;
      return;
    }
    const auto taken = far_.apply_delta(bytes);
    RC_ASSERT(taken.has_value());
  }
  // By its version, or if that is not kept, by a snapshot.
  void late(Audience audience) {
    real_->seal();
    Hero& replica = replicas_[static_cast<std::size_t>(audience)];
    Bytes bytes;
    const auto delta = real_->encode_delta(audience, replica.version(audience), bytes);
    RC_ASSERT(!delta.has_value() || lives_[static_cast<std::size_t>(audience)] == life_);
    if (!delta) {
      RC_ASSERT(delta.error().code == DataErrc::history_lost);
      return resync(audience);
    }
    RC_ASSERT(replica.apply_delta(bytes).has_value());
    RC_ASSERT(replica.apply_delta(bytes).has_value());  // twice is once
    RC_ASSERT(replica.to_json().dump() == model_.seen_by(view_of(audience)).dump());
  }
  void resync(Audience audience) {
    Bytes bytes;
    RC_ASSERT(real_->encode_snapshot(view_of(audience), bytes).has_value());
    RC_ASSERT(replicas_[static_cast<std::size_t>(audience)].apply_snapshot(bytes).has_value());
    lives_[static_cast<std::size_t>(audience)] = life_;
    RC_ASSERT(replicas_[static_cast<std::size_t>(audience)].to_json().dump() ==
              model_.seen_by(view_of(audience)).dump());
  }
  void look_away(Audience audience) {
    if (real_->watched(audience)) {
      real_->unwatch(audience);
      real_->gold += 1;
      model_.perform({0, 1, 0, 0});
    }
    real_->watch(audience);
    looked_away_[static_cast<std::size_t>(audience)] = true;
  }
  // To another process: observers go on where they were.
  void migrate() {
    Bytes bytes;
    RC_ASSERT(real_->encode_snapshot(View::migration, bytes).has_value());
    auto target = std::make_unique<Hero>();
    RC_ASSERT(target->apply_snapshot(bytes).has_value());
    RC_ASSERT(target->to_json() == model_.all());
    real_ = std::move(target);
  }

  // Its life ends, and it is read from what was saved: observers know nothing of that.
  void load_anew(View view) {
    Bytes saved;
    RC_ASSERT(real_->encode_saved(view, saved).has_value());
    auto again = std::make_unique<Hero>();
    RC_ASSERT(again->load_saved(saved).has_value());
    for (std::size_t i = 0; i < kAudiences; ++i) again->watch(static_cast<Audience>(i));
    model_.load(view);
    RC_ASSERT(again->to_json() == model_.all());
    real_ = std::move(again);
    ++life_;
  }

  std::unique_ptr<Hero> real_ = std::make_unique<Hero>();
  Model model_;
  std::array<Hero, kAudiences> replicas_;
  Hero far_;
  bool far_known_ = false;
  int life_ = 0;                       // of the real one
  std::array<int, kAudiences> lives_;  // that the replicas have the state of
  std::array<Hero, kAudiences> seldom_;
  std::array<int, kAudiences> seldom_lives_{-1, -1, -1, -1, -1};
  std::array<bool, kAudiences> looked_away_{};
  std::vector<Told> detour_;
};

TEST(ReplayProperty, EveryReplicaEqualsTheViewOfItsAudience) {
  EXPECT_TRUE(rc::check("random steps, flushes, losses, moves, lives", [] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step(kHeroSteps + 11));
    Scene scene;
    for (const Step& step : steps) scene.perform(step);
    scene.finish();
  }));
}

TEST(ReplayProperty, CompactionKeepsReplayExact) {
  EXPECT_TRUE(rc::check("many steps in one tick", [] {
    const auto steps =
        *rc::gen::resize(400, rc::gen::container<std::vector<Step>>(any_step(kHeroSteps)));
    Scene scene;
    for (const Step& step : steps) scene.perform(step);
    scene.finish();
  }));
}

TEST(ReplayProperty, ABatchWithADamagedByteIsTakenWholeOrNotAtAll) {
  EXPECT_TRUE(rc::check("one byte changed, or cut short", [] {
    const auto steps = *rc::gen::container<std::vector<Step>>(any_step(kHeroSteps));
    Hero real;
    Hero replica;
    real.watch(Audience::own_client);
    replica.become_replica(Audience::own_client);
    Bytes snapshot;
    RC_ASSERT(real.encode_snapshot(View::own_client, snapshot).has_value());
    RC_ASSERT(replica.apply_snapshot(snapshot).has_value());
    const Version since = real.version(Audience::own_client);
    for (const Step& step : steps) perform(real, step);
    real.seal();
    Bytes bytes;
    RC_ASSERT(real.encode_delta(Audience::own_client, since, bytes).has_value());
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    if (*rc::gen::arbitrary<bool>()) {
      bytes[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
    } else {
      bytes.resize(at);
    }
    const std::string before = replica.to_json().dump();
    const Version version = replica.version(Audience::own_client);
    if (replica.apply_delta(bytes)) return;
    RC_ASSERT(replica.to_json().dump() == before);
    RC_ASSERT(replica.version(Audience::own_client) == version);
  }));
}

}  // namespace
}  // namespace starbus::entity::test
