/// Vectors in the plane. Plain values; sums in float, with nothing of libm but sqrt, which every
/// machine rounds alike.
#pragma once

#include <cmath>

#include "nav/types.hpp"

namespace starbus::nav::crowd {

struct Vec {
  float x = 0;
  float y = 0;
  friend bool operator==(const Vec&, const Vec&) = default;
};

constexpr Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y};
}
constexpr Vec operator-(Vec a, Vec b) {
  return {a.x - b.x, a.y - b.y};
}
constexpr Vec operator*(Vec a, float by) {
  return {a.x * by, a.y * by};
}
/// The product of the lengths and the cosine between them.
constexpr float dot(Vec a, Vec b) {
  return a.x * b.x + a.y * b.y;
}
/// Above 0 if b lies on the left of a.
constexpr float det(Vec a, Vec b) {
  return a.x * b.y - a.y * b.x;
}
constexpr float square(Vec a) {
  return dot(a, a);
}
inline float length(Vec a) {
  return std::sqrt(square(a));
}
/// A quarter turn to the left.
constexpr Vec left(Vec a) {
  return {-a.y, a.x};
}
/// At most so long.
inline Vec at_most(Vec a, float most) {
  const float squared = square(a);
  return squared > most * most ? a * (most / std::sqrt(squared)) : a;
}
constexpr Vec flat(Point at) {
  return {at.x, at.y};
}

}  // namespace starbus::nav::crowd
