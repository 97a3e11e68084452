/// The line formats of logging.hpp.
#include <spdlog/formatter.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <ctime>
#include <iterator>
#include <nlohmann/json.hpp>

#include "daemon/logging.hpp"

namespace starbus::daemon {
namespace {

using Message = spdlog::details::log_msg;
using Buffer = spdlog::memory_buf_t;

std::string_view view(spdlog::string_view_t text) {
  return {text.data(), text.size()};
}

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

// 2026-01-31T12:00:00.123Z
std::string iso_time(spdlog::log_clock::time_point time) {
  using std::chrono::milliseconds;
  const auto since = std::chrono::floor<milliseconds>(time.time_since_epoch());
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(since).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", std::string_view(text, size), since.count() % 1000);
}

/// The size of the directional or invisible character of UTF-8 that `text` begins with, 0 if it
/// begins with none: U+061C, U+200B to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF. They
/// make a line look like another one.
std::size_t misleading_at(std::string_view text) {
  if (text.starts_with("\xd8\x9c")) return 2;
  if (text.starts_with("\xef\xbb\xbf")) return 3;
  if (text.size() < 3) return 0;
  const auto last = static_cast<unsigned char>(text[2]);
  const bool in_2000 = text.starts_with("\xe2\x80") &&
                       ((last >= 0x8b && last <= 0x8f) || (last >= 0xa8 && last <= 0xae));
  const bool in_2060 = text.starts_with("\xe2\x81") && last >= 0xa0 && last <= 0xa9;
  return in_2000 || in_2060 ? 3 : 0;
}

/// The character of UTF-8 that these bytes are.
unsigned code_point(std::string_view bytes) {
  unsigned code = static_cast<unsigned char>(bytes[0]) & (bytes.size() == 2 ? 0x1fU : 0x0fU);
  for (const char c : bytes.substr(1)) code = (code << 6) | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

// Control characters as escapes, so that text from a peer stays inside its line. Bytes above 0x7f
// pass: they are UTF-8 names. C1 control characters, U+0080 to U+009F, are caught as well.
void append_escaped(Buffer& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == '\n') {
      append(out, "\\n");
    } else if (byte == '\t') {
      append(out, "\\t");
    } else if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) {
      fmt::format_to(std::back_inserter(out), "\\u00{:02x}", next);
      ++i;
    } else if (const std::size_t size = misleading_at(text.substr(i)); size != 0) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code_point(text.substr(i, size)));
      i += size - 1;
    } else {
      out.push_back(text[i]);
    }
  }
}

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const Message& message, Buffer& out) override {
    // An ordered object, so that a person finds the columns in place.
    nlohmann::ordered_json line;
    line["time"] = iso_time(message.time);
    line["level"] = view(spdlog::level::to_string_view(message.level));
    line["logger"] = view(message.logger_name);
    line["message"] = view(message.payload);
    append(out, line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

// The priorities of syslog(3).
std::string_view journal_priority(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::critical:
      return "<2>";
    case spdlog::level::err:
      return "<3>";
    case spdlog::level::warn:
      return "<4>";
    case spdlog::level::info:
      return "<6>";
    default:
      return "<7>";
  }
}

class TextFormatter : public spdlog::formatter {
 public:
  explicit TextFormatter(TextStyle style) : style_(style) {}
  void format(const Message& message, Buffer& out) override {
    if (style_ == TextStyle::journal) {
      append(out, journal_priority(message.level));
    } else {
      append(out, iso_time(message.time));
      const auto level = view(spdlog::level::to_string_view(message.level));
      fmt::format_to(std::back_inserter(out), " {:<7} ", level);
    }
    append_escaped(out, view(message.logger_name));
    append(out, ": ");
    append_escaped(out, view(message.payload));
    out.push_back('\n');
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextFormatter>(style_);
  }

 private:
  TextStyle style_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_json_formatter() {
  return std::make_unique<JsonFormatter>();
}

std::unique_ptr<spdlog::formatter> make_text_formatter(TextStyle style) {
  return std::make_unique<TextFormatter>(style);
}

}  // namespace starbus::daemon
