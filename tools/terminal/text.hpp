/// Text for people: safe, measured in columns of a terminal, with human units. Pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace starbus::bustop {

/// The text with everything that could steer a terminal or mislead a reader made visible: control
/// characters and bytes that are not UTF-8 as \x1b, line separators and bidirectional controls as
/// \u{202e}, and a backslash as two, so that the result is unambiguous.
std::string printable(std::string_view text);

/// Columns that printable text takes: wide characters count 2, combining ones 0.
std::size_t columns(std::string_view text);
/// At most `width` columns; what was cut is shown by a final "…".
std::string fit(std::string_view text, std::size_t width);
/// Exactly `width` columns or more.
std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

std::string human_bytes(double bytes);           // 900 B, 1.2 MB
std::string human_byte_rate(double per_second);  // 1.2 MB/s
std::string human_count(double number);          // 940, 12.3 k, 1.2 M
std::string human_microseconds(double us);       // 340 us, 1.2 ms, 3.4 s; "-" for 0: not measured
std::string human_seconds(double seconds);       // 12 s, 3 m 4 s, 5 h 6 m, 3 d 4 h
std::string human_milliseconds(double ms);       // 340 ms, then as human_seconds
/// 1 mailbox, 2 mailboxes, 3 messages.
std::string count_of(std::uint64_t number, std::string_view what);
/// Local time of a Unix time in milliseconds: 2026-11-22 17:03:05
std::string date_time(double unix_ms);
/// Local time of day of a Unix time in milliseconds: 17:03:05.123
std::string clock_time(double unix_ms);

}  // namespace starbus::bustop
