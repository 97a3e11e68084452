#include "nodes/space/nav/nav_obstacle.hpp"

#include <string>

#include "nav/limits.hpp"

namespace starbus::nodes::crowds {
namespace {

void put(entity::Encoder& out, const Point& point) {
  out.number(point.x);
  out.number(point.y);
  out.number(point.z);
}

Point take_point(entity::Decoder& in) {
  Point point;
  point.x = in.number<float>();
  point.y = in.number<float>();
  point.z = in.number<float>();
  return point;
}

}  // namespace

Result<> NavObstacle::set(const NavBlock& block) {
  const auto& [low, high, area] = block;
  if (!nav::finite(low) || !nav::finite(high) || low.x > high.x || low.y > high.y ||
      low.z > high.z || area > nav::kMaxArea) {
    return Error(Errc::bad_request,
                 "an obstacle's low corner is not above its high one, both are numbers, and its "
                 "area is at most " +
                     std::to_string(nav::kMaxArea));
  }
  block_ = block;
  return {};
}

void NavObstacle::set_present(bool present) {
  if (present != this->present()) state().away = !present;
}

entity::EntityResult<> NavObstacle::on_before_move(entity::Encoder& out) {
  put(out, block_.low);
  put(out, block_.high);
  out.byte(block_.area);
  return {};
}

entity::EntityResult<> NavObstacle::on_after_move(entity::Decoder* arrived) {
  if (arrived == nullptr) return {};
  NavBlock block;
  block.low = take_point(*arrived);
  block.high = take_point(*arrived);
  block.area = arrived->byte();
  if (!arrived->ok() || !set(block)) return entity::EntityErrc::bad_state;
  return {};
}

}  // namespace starbus::nodes::crowds
