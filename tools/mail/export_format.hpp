/// The file of `starbus-mail export`: one JSON object per line, for people and scripts.
///
///   {"starbus_mail_export":1}
///   {"box":"player/1","kind":"mailbox","floor":2,"last":4}
///   {"number":3,"time_ms":1760000000000,"body":"aGVsbG8="}
///   {"number":4,"lost":true}
///   {"end":true,"boxes":1,"messages":2}
///
/// A box has exactly the numbers floor+1 to last, in order. Without its last line a file is cut.
/// Reading trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "bus/core/error.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/dead_letters.hpp"

namespace starbus::mail_tool {

inline constexpr int kExportVersion = 1;
/// The largest body (16 MiB) in base64, and what stands around it.
inline constexpr std::size_t kLongestLine = 23 * 1024 * 1024;

/// Of a message: the largest that is posted, as a dead letter.
inline constexpr std::size_t kLargestBody = bus::kMaxPostBody + mail::kLetterHead;

struct HeaderLine {
  friend bool operator==(const HeaderLine&, const HeaderLine&) = default;
};
struct BoxLine {
  std::string name;
  bus::PostTarget kind = bus::PostTarget::mailbox;
  std::uint64_t floor = 0;
  std::uint64_t last = 0;
  friend bool operator==(const BoxLine&, const BoxLine&) = default;
};
struct MessageLine {
  std::uint64_t number = 0;
  std::uint64_t time_ms = 0;
  std::string trace;  // empty, or 24 bytes
  std::string body;
  bool lost = false;  // it could not be read, or was lost before
  friend bool operator==(const MessageLine&, const MessageLine&) = default;
};
struct EndLine {
  std::uint64_t boxes = 0;
  std::uint64_t messages = 0;
  friend bool operator==(const EndLine&, const EndLine&) = default;
};
using ExportLine = std::variant<HeaderLine, BoxLine, MessageLine, EndLine>;

/// Without the newline.
std::string encode(const ExportLine& line);
/// bad_bytes: no line of this format, and why; version_mismatch: of a newer one.
bus::Result<ExportLine> decode_line(std::string_view text);

/// Reads a file line by line, and demands that the lines follow each other as they must. Errors
/// name the line: bad_bytes, too_large, version_mismatch; bad_bytes too for a file that is cut. Not
/// owned: the stream.
class ExportReader {
 public:
  explicit ExportReader(std::istream& in) : in_(in) {}

  /// The next box or message; nullopt after the last, when the end was there and right.
  bus::Result<std::optional<ExportLine>> next();
  std::uint64_t line() const { return line_; }

 private:
  bus::Result<std::string> read_line();
  bus::Result<> take(const BoxLine& box);
  bus::Result<> take(const MessageLine& message);
  bus::Result<> take(const EndLine& end);
  bus::Result<> end_of_box() const;
  bus::Error at_line(bus::Error error) const;

  std::istream& in_;
  std::uint64_t line_ = 0;
  bool begun_ = false;
  bool ended_ = false;
  std::optional<BoxLine> box_;
  std::uint64_t expected_ = 0;
  EndLine count_;
};

}  // namespace starbus::mail_tool
