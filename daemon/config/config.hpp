#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bus/core/error.hpp"

namespace starbus::daemon {

/// Reads one TOML file strictly: every key has a type and a range, and an unknown key is an error,
/// so a typing mistake never silently becomes a default.
///
/// A reader stands for one table of the file; copies and sub-tables share the document, which lives
/// as long as the last of them. Single thread. A getter never fails by itself: it notes the problem
/// with file, line and column and returns the fallback; finish() reports all problems together.
class ConfigReader {
 public:
  using Milliseconds = std::chrono::milliseconds;
  /// Bounds of a getter that names none.
  static constexpr std::uint64_t kNoMaximum = std::numeric_limits<std::int64_t>::max();
  static constexpr Milliseconds kLongest = std::chrono::hours(24 * 365);

  /// Errc::bad_config when the file is missing, unreadable or not TOML.
  static Result<ConfigReader> open(const std::filesystem::path& file);
  /// `file_name` is only used in messages.
  static Result<ConfigReader> parse(std::string_view text, std::string file_name);

  bool has(std::string_view key) const;
  /// The keys of this table, in alphabetical order: for tables whose keys the operator chooses.
  std::vector<std::string> keys() const;
  /// "" for the root, "admin" for [admin], "role[2]" for the second [[role]].
  const std::string& path() const { return path_; }

  /// The value under `key`; `fallback` if it is missing, or a problem was noted.
  std::string string(std::string_view key, std::string_view fallback);
  /// A problem if it is missing or empty.
  std::string required_string(std::string_view key);
  /// One of `choices`.
  std::string choice(std::string_view key, std::string_view fallback,
                     std::initializer_list<std::string_view> choices);
  bool boolean(std::string_view key, bool fallback);
  /// Both bounds are allowed values, and fit std::int64_t, as every integer of TOML does.
  template <std::integral T>
  T integer(std::string_view key, T fallback, T min, T max) {
    return static_cast<T>(integer_in(key, static_cast<std::int64_t>(fallback),
                                     static_cast<std::int64_t>(min),
                                     static_cast<std::int64_t>(max)));
  }
  /// A string with a unit: "250ms", "30s", "2m", "1h".
  Milliseconds duration(std::string_view key, Milliseconds fallback,
                        Milliseconds min = Milliseconds::zero(), Milliseconds max = kLongest);
  /// Bytes as an integer, or a string with a unit: "64KiB", "16MiB", "2GiB".
  std::uint64_t size(std::string_view key, std::uint64_t fallback, std::uint64_t min = 0,
                     std::uint64_t max = kNoMaximum);
  /// A fraction or an integer. Both bounds are allowed.
  double number(std::string_view key, double fallback, double min, double max);
  /// A list of values of any type but lists, tables and times.
  using Scalar = std::variant<bool, std::int64_t, double, std::string>;
  std::vector<Scalar> scalars(std::string_view key);
  /// Equal entries are a problem.
  std::vector<std::string> strings(std::string_view key, std::vector<std::string> fallback = {});
  /// [key]; if it is missing, a reader that returns the fallbacks.
  ConfigReader table(std::string_view key);
  /// [[key]], in the order of the file.
  std::vector<ConfigReader> tables(std::string_view key);

  /// Notes a problem that only the caller can find ("not an endpoint") at the place of `key`.
  void problem(std::string_view key, std::string text);

  /// Notes what is allowed and probably not meant, at the place of `key`.
  void warn(std::string_view key, std::string text);
  /// The texts of warn(), worded as the problems of finish().
  std::vector<std::string> warnings() const;

  /// "towns.toml:12:9: TEXT", at the place of `key`: for what shows only when the value is used, as
  /// a file that another host does not have.
  std::string located(std::string_view key, std::string text) const;

  /// Call once on any reader, after all keys were read: refuses the other keys of the file. The
  /// detail of Errc::bad_config holds one problem per line, in the order of the file:
  ///   busd.toml:12:1: unknown key 'liste'; did you mean 'listen'?
  Result<> finish();

 private:
  struct Document;
  struct Lookup;
  ConfigReader(std::shared_ptr<Document> document, std::size_t table, std::string path);
  Lookup look_up(std::string_view key, std::string_view wanted_type) const;
  std::int64_t integer_in(std::string_view key, std::int64_t fallback, std::int64_t min,
                          std::int64_t max);

  std::shared_ptr<Document> document_;
  std::size_t table_;  // index into the tables that were opened
  std::string path_;
};

}  // namespace starbus::daemon
