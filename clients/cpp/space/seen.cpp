#include "clients/cpp/space/seen.hpp"

namespace starbus::game {
namespace {

constexpr auto kSeenSnapshot = std::byte{0xa2};

void destroy_nothing(void*) {}

}  // namespace

Seen::Seen(const Enter& enter, const SeenClass* its, const SnapshotOptions& shown)
    : index_(enter.index),
      id_(enter.id),
      class_name_(enter.class_name),
      its_(its),
      state_(nullptr, its == nullptr ? &destroy_nothing : its->row.destroy),
      places_(shown) {
  if (its != nullptr) core_.emplace(its->layouts, Audience::other_clients);
  if (enter.move) places_.add(*enter.move);
}

Taken Seen::told(ByteView bytes, bool may_wait) {
  if (!core_) return Taken::ok;
  if (!bytes.empty() && bytes.front() == kSeenSnapshot) return snapshot(bytes, may_wait);
  if (unread_) return Taken::ok;
  const Taken taken = core_->delta(bytes, state_.get());
  has_state_ = has_state_ && taken == Taken::ok;
  return taken;
}

Taken Seen::snapshot(ByteView bytes, bool may_wait) {
  State fresh(its_->row.make(), its_->row.destroy);
  const Taken taken = core_->snapshot(bytes, fresh.get(), may_wait);
  has_state_ = taken == Taken::ok;
  unread_ = taken == Taken::other_schema;
  state_ = std::move(fresh);
  return unread_ ? Taken::ok : taken;
}

Taken Seen::release() {
  const auto held = core_ ? core_->release() : std::nullopt;
  Taken taken = Taken::ok;
  if (!held) return taken;
  for (std::size_t at = 0; at < held->size() && taken == Taken::ok; ++at) {
    taken = told((*held)[at], false);
  }
  return taken;
}

}  // namespace starbus::game
