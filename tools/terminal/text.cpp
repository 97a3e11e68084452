#include "tools/terminal/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <iterator>

namespace starbus::bustop {
namespace {

struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  // 0: not UTF-8
};

/// Strict: no overlong forms, no surrogates, nothing above U+10FFFF.
CodePoint decode(std::string_view text) {
  const auto byte = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  char32_t value = first & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[size] || value > 0x10ffff || surrogate) return {};
  return {value, size};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool in(const Range (&ranges)[N], char32_t value) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [value](Range r) { return value >= r.first && value <= r.last; });
}

// Directional controls, separators and invisible characters: a name must not reorder its line.
constexpr Range kMisleading[] = {{0x61c, 0x61c},    {0x200b, 0x200f}, {0x2028, 0x202e},
                                 {0x2060, 0x206f},  {0xfeff, 0xfeff}, {0xfff9, 0xfffb},
                                 {0xe0000, 0xe0fff}};
constexpr Range kCombining[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},
                                {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff},
                                {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
constexpr Range kWide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                           {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                           {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                           {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

std::size_t width_of(char32_t value) {
  if (in(kCombining, value)) return 0;
  return in(kWide, value) ? 2 : 1;
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 64> buffer{};
  const int size = std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return std::string(buffer.data(),
                     std::min(static_cast<std::size_t>(std::max(size, 0)), buffer.size() - 1));
}

/// One decimal below 100, none above: 1.2, 99.9, 340.
std::string short_number(double value) {
  return value < 99.95 ? format("%.1f", value) : format("%.0f", value);
}

std::string scaled(double value, const std::array<const char*, 5>& units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return (unit == 0 ? format("%.0f", value) : short_number(value)) + units[unit];
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode(text);
    const std::size_t size = std::max<std::size_t>(point.size, 1);
    if (point.size == 0 || point.value < 0x20 || (point.value >= 0x7f && point.value < 0xa0)) {
      const unsigned shown = point.size == 0 ? static_cast<unsigned char>(text[0])
                                             : static_cast<unsigned>(point.value);
      result += format("\\x%02x", shown);
    } else if (in(kMisleading, point.value)) {
      result += format("\\u{%x}", static_cast<unsigned>(point.value));
    } else if (point.value == U'\\') {
      result += "\\\\";
    } else {
      result += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return result;
}

std::size_t columns(std::string_view text) {
  std::size_t total = 0;
  while (!text.empty()) {
    const CodePoint point = decode(text);
    total += point.size == 0 ? 1 : width_of(point.value);
    text.remove_prefix(std::max<std::size_t>(point.size, 1));
  }
  return total;
}

std::string fit(std::string_view text, std::size_t width) {
  if (columns(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const CodePoint point = decode(text.substr(end));
    const std::size_t wide = point.size == 0 ? 1 : width_of(point.value);
    if (used + wide > width - 1) break;
    used += wide;
    end += std::max<std::size_t>(point.size, 1);
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string human_bytes(double bytes) {
  return scaled(bytes, {" B", " kB", " MB", " GB", " TB"});
}

std::string human_byte_rate(double per_second) {
  return human_bytes(per_second) + "/s";
}

std::string human_count(double number) {
  return scaled(number, {"", " k", " M", " G", " T"});
}

std::string human_microseconds(double us) {
  if (us <= 0) return "-";
  if (us < 999.5) return format("%.0f us", us);
  if (us < 999'500) return short_number(us / 1000) + " ms";
  return human_seconds(us / 1e6);
}

std::string human_milliseconds(double ms) {
  return ms < 999.5 ? format("%.0f ms", std::max(ms, 0.0)) : human_seconds(ms / 1000);
}

std::string human_seconds(double seconds) {
  if (seconds < 10) return format("%.1f s", std::max(seconds, 0.0));
  if (seconds > 1e11) return "ever";
  const auto whole = static_cast<std::int64_t>(seconds);
  const auto two = [](std::int64_t a, const char* first, std::int64_t b, const char* second) {
    return std::to_string(a) + first + std::to_string(b) + second;
  };
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return two(whole / 60, " m ", whole % 60, " s");
  if (whole < 86400) return two(whole / 3600, " h ", whole % 3600 / 60, " m");
  return two(whole / 86400, " d ", whole % 86400 / 3600, " h");
}

std::string count_of(std::uint64_t number, std::string_view what) {
  const char* const ending = number == 1 ? "" : what.ends_with('x') ? "es" : "s";
  return std::to_string(number) + " " + std::string(what) + ending;
}

std::string date_time(double unix_ms) {
  if (!(unix_ms >= 0 && unix_ms < 1e15)) return "-";
  const std::time_t seconds = static_cast<std::int64_t>(unix_ms) / 1000;
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return "-";
  return format("%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string clock_time(double unix_ms) {
  if (!(unix_ms >= 0 && unix_ms < 1e15)) return "-";
  const auto ms = static_cast<std::int64_t>(unix_ms);
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  if (::localtime_r(&seconds, &parts) == nullptr) return "-";
  return format("%02d:%02d:%02d.%03d", parts.tm_hour, parts.tm_min, parts.tm_sec,
                static_cast<int>(ms % 1000));
}

}  // namespace starbus::bustop
