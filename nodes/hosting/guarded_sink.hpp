#pragma once

#include "base/unit_guard.hpp"
#include "nodes/hosting/audience_sink.hpp"

namespace starbus::nodes::entities {

/// Hands everything on to the program's sink, each call as a unit: what one throws ends that call,
/// and neither the tick of the other entities nor the end of one. Belongs to the loop's thread.
class GuardedSink final : public AudienceSink {
 public:
  /// `sink` outlives this. Null: there is none, and nothing may be called.
  explicit GuardedSink(AudienceSink* sink) : sink_(sink) {}

  void news(const entity::Entity& entity, entity::Audience audience, bus::ByteView bytes) override {
    guarded(UnitKind::listener, "AudienceSink::news",
            [&] { sink_->news(entity, audience, bytes); });
  }
  bool goes_on(const entity::Entity& entity, entity::Audience audience,
               const entity::Version& version) override {
    bool known = false;
    guarded(UnitKind::listener, "AudienceSink::goes_on",
            [&] { known = sink_->goes_on(entity, audience, version); });
    return known;
  }
  void gone(const entity::Entity& entity, entity::EndReason reason) override {
    guarded(UnitKind::listener, "AudienceSink::gone", [&] { sink_->gone(entity, reason); });
  }
  void pass_ended() override {
    guarded(UnitKind::listener, "AudienceSink::pass_ended", [&] { sink_->pass_ended(); });
  }

 private:
  AudienceSink* sink_;
};

}  // namespace starbus::nodes::entities
