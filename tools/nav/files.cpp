#include "tools/nav/files.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "nav/limits.hpp"
#include "tools/nav/limits.hpp"

namespace starbus::nav_tool {

using nav::Errc;
using nav::Error;
using nav::Result;

Result<std::string> read_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) return Error(Errc::corrupt, file + ": cannot be read: " + std::strerror(errno));
  const auto size = in.tellg();
  if (size < 0) return Error(Errc::corrupt, file + ": cannot be read: not a file");
  if (static_cast<std::uint64_t>(size) > kMaxTextBytes) {
    return Error(Errc::too_large, file + ": kMaxTextBytes");
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  if (!in.read(bytes.data(), size)) return Error(Errc::corrupt, file + ": cannot be read");
  return bytes;
}

Result<void> write_file(const std::string& file, std::string_view bytes) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) return Error(Errc::corrupt, file + ": cannot be written: " + std::strerror(errno));
  return {};
}

Error in_file(const std::string& file, const Error& error) {
  Error named = error;
  named.detail = error.detail.empty() ? file : file + ": " + error.detail;
  return named;
}

std::optional<Spot> spot_of(std::string_view text) {
  std::array<float, 3> numbers{};
  std::size_t count = 0;
  for (; count < 3; ++count) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto [end, failure] = std::from_chars(text.data(), text.data() + comma, numbers[count]);
    if (failure != std::errc() || end != text.data() + comma || !std::isfinite(numbers[count])) {
      return std::nullopt;
    }
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (count == 0 || count == 3) return std::nullopt;
  return Spot{{numbers[0], numbers[1], numbers[2]}, count == 2};
}

std::optional<std::pair<std::string, nav::Area>> material_of(std::string_view text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  nav::Area area = 0;
  const char* const last = text.data() + text.size();
  const auto [end, failure] = std::from_chars(text.data() + sign + 1, last, area);
  if (failure != std::errc() || end != last || area > nav::kMaxArea) return std::nullopt;
  return std::pair{std::string(text.substr(0, sign)), area};
}

std::string text_of(const nav::Point& point) {
  std::ostringstream out;
  out << point.x << ", " << point.y << ", " << point.z;
  return out.str();
}

}  // namespace starbus::nav_tool
