/// Files as text, and what is wrong with them. The errors of the nav library: `corrupt` also for
/// files that cannot be read or written, with the system's reason. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "nav/error.hpp"
#include "nav/types.hpp"

namespace starbus::nav_tool {

/// The whole file. corrupt, too_large.
nav::Result<std::string> read_file(const std::string& file);
/// Replaces the file. corrupt.
nav::Result<void> write_file(const std::string& file, std::string_view bytes);
/// The same error with the file's name in front of its detail.
nav::Error in_file(const std::string& file, const nav::Error& error);
/// A point as it was written: perhaps without its height.
struct Spot {
  nav::Point point;
  bool high = false;  ///< with its height
  friend bool operator==(const Spot&, const Spot&) = default;
};
/// "3,4.5" or "3,4.5,1"; nullopt if it is anything else.
std::optional<Spot> spot_of(std::string_view text);
/// "water=3": a name and an area; nullopt if it is anything else.
std::optional<std::pair<std::string, nav::Area>> material_of(std::string_view text);
/// "3, 4.5, 1".
std::string text_of(const nav::Point& point);

}  // namespace starbus::nav_tool
