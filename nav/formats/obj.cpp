#include "nav/formats/obj.hpp"

#include <unordered_map>

#include "nav/formats/lines.hpp"
#include "nav/mesh/space.hpp"

namespace starbus::nav::formats {
namespace {

class Reader {
 public:
  Reader(std::string_view text, Up up) : lines_(text), up_(up) {}

  Result<mesh::Terrain> read() {
    while (auto line = lines_.next()) {
      std::string_view rest = *line;
      const std::string_view word = next_word(rest);
      Result<void> done;
      if (word == "v") {
        done = point(rest);
      } else if (word == "f") {
        done = face(rest);
      } else if (word == "usemtl") {
        done = material(rest);
      }
      if (!done) return done.error();
    }
    return std::move(terrain_);
  }

 private:
  Result<void> point(std::string_view rest) {
    float at[3];
    for (float& one : at) {
      const auto number = number_of<float>(next_word(rest));
      if (!number) return lines_.corrupt("three numbers expected");
      one = *number;
    }
    const Point point = up_ == Up::y ? Point{at[0], -at[2], at[1]} : Point{at[0], at[1], at[2]};
    if (!mesh::on_map(point)) return Errc::bad_position;
    terrain_.points.push_back(point);
    return {};
  }

  // "3", "3/1", "3//2", "-1/5/2": the number before the first slash names a point.
  Result<std::uint32_t> corner(std::string_view word) {
    const auto number = number_of<std::int64_t>(word.substr(0, word.find('/')));
    const auto count = static_cast<std::int64_t>(terrain_.points.size());
    if (!number) return lines_.corrupt("not a corner");
    const std::int64_t at = *number < 0 ? count + *number : *number - 1;
    if (*number == 0 || at < 0 || at >= count) return lines_.corrupt("no such point");
    return static_cast<std::uint32_t>(at);
  }

  Result<void> face(std::string_view rest) {
    std::uint32_t corners[mesh::kMaxFaceCorners];
    std::size_t count = 0;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      if (count == mesh::kMaxFaceCorners) return lines_.corrupt("over kMaxFaceCorners corners");
      const auto one = corner(word);
      if (!one) return one.error();
      corners[count++] = *one;
    }
    if (count < 3) return lines_.corrupt("three corners expected");
    if (terrain_.triangles.size() + count - 2 > mesh::kMaxTriangles) {
      return Error(Errc::too_many, "kMaxTriangles");
    }
    for (std::size_t i = 2; i < count; ++i) {
      terrain_.triangles.push_back({{corners[0], corners[i - 1], corners[i]}, material_});
    }
    return {};
  }

  Result<void> material(std::string_view rest) {
    const std::string name(next_word(rest));
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) {
      material_ = known->second;
      return {};
    }
    if (terrain_.materials.size() == mesh::kMaxMaterials) {
      return Error(Errc::too_many, "kMaxMaterials");
    }
    material_ = static_cast<std::uint32_t>(terrain_.materials.size());
    numbers_.emplace(name, material_);
    terrain_.materials.push_back(name);
    return {};
  }

  Lines lines_;
  Up up_;
  mesh::Terrain terrain_;
  std::unordered_map<std::string, std::uint32_t> numbers_ = {{"", 0}};  ///< of materials
  std::uint32_t material_ = 0;
};

}  // namespace

Result<mesh::Terrain> read_obj(std::string_view text, Up up) {
  if (text.size() > mesh::kMaxObjBytes) return Error(Errc::too_large, "kMaxObjBytes");
  return Reader(text, up).read();
}

}  // namespace starbus::nav::formats
