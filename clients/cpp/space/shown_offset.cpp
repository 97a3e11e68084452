#include "clients/cpp/space/shown_offset.hpp"

#include <cmath>

namespace starbus::game {
namespace {

Place scaled(const Place& offset, float part) {
  return {offset.x * part, offset.y * part, offset.z * part};
}

}  // namespace

void ShownOffset::corrected(const Place& from, const Place& to) {
  if (distance(from, to) > static_cast<double>(options_.snap)) {
    offset_ = {};
    return;
  }
  offset_.x += from.x - to.x;
  offset_.y += from.y - to.y;
  offset_.z += from.z - to.z;
  const auto most = static_cast<double>(options_.most);
  if (length() > most) offset_ = scaled(offset_, static_cast<float>(most / length()));
}

void ShownOffset::pass(float ms) {
  offset_ = scaled(offset_, std::exp2(-ms / options_.half_life));
}

Place ShownOffset::shown(const Place& place) const {
  return {place.x + offset_.x, place.y + offset_.y, place.z + offset_.z};
}

}  // namespace starbus::game
