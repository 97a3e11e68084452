/// The context that every command of starbus-mail gets from its process, and common functions. Read
/// cli.hpp first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "bus/core/error.hpp"
#include "mail/repair/check.hpp"
#include "storage/store.hpp"
#include "tools/terminal/table.hpp"

namespace starbus::mail_tool {

using bus::Errc;
using bus::Error;
using bus::Result;

inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1;  // something is wrong with the store, or the command failed
inline constexpr int kExitUsage = 2;

/// Lives for one run.
struct Context {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool progress = false;              // on `err`
  std::function<bool()> interrupted;  // by the user
  bustop::Look look{};
};

/// For people: what storage says, with what to do about it.
Error error_of(const storage::Error& error);
/// Prints it; the exit code.
int fail(const Context& context, const Error& error);

/// The shards of a command line, as "0-15,40"; otherwise bad_name.
Result<std::vector<std::uint8_t>> shards_in(const std::string& text);

/// A store that is there; refuses to make one. name_taken: busd has it open.
Result<std::unique_ptr<storage::Store>> open_existing(const std::filesystem::path& directory);
/// A folder that has the files of a store.
Result<> check_is_store(const std::filesystem::path& directory);
/// A store and what it was at this moment.
struct Opened {
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<storage::Snapshot> snapshot;
};
Result<Opened> open_to_read(const std::filesystem::path& directory);

/// A line on `err` that is written over, at most a few times a second.
class ProgressLine {
 public:
  explicit ProgressLine(const Context& context) : context_(context) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  /// For check_store and repair_mail; ends them when the user has.
  mail::OnProgress of_shards(const std::string& verb);

 private:
  const Context& context_;
  std::uint64_t shown_ms_ = 0;
  std::size_t width_ = 0;
};

}  // namespace starbus::mail_tool
