/// The text forms of configuration values, free of any file: durations, sizes, suggestions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starbus::daemon {

/// "250ms", "30s", "2m", "1h", "30d": digits and one unit. No value otherwise, or on overflow.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// In the largest unit that is exact: "2m", "1500ms".
std::string format_duration(std::chrono::milliseconds duration);

/// "4096", "64KiB", "16MiB", "2GiB": at most 2^63 - 1. No value otherwise.
std::optional<std::uint64_t> parse_size(std::string_view text);
/// In the largest unit that is exact: "16MiB", "1000".
std::string format_size(std::uint64_t bytes);

/// The candidate that `word` is most likely a misspelling of; none when all are too different.
/// One edit is an insertion, a removal, a change, or a swap of neighbours.
std::optional<std::string> closest_word(std::string_view word,
                                        std::span<const std::string> candidates);

}  // namespace starbus::daemon
