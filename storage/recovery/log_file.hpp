/// Reads damaged logs and manifests of LevelDB (storage/check/log_format.hpp): LevelDB drops the
/// rest of a block of 32 KiB when it meets a wrong byte, and cannot tell a write that a power cut
/// has torn from one that the disk has lost. This reader corrects one wrong byte by the checksum
/// beside it, reads what is after damage, and reports where the damage is. Pure; accepts any bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::storage {

/// One record of a log, or of a manifest.
struct LogRecord {
  std::size_t from = 0;  // offsets in the file
  std::size_t to = 0;
  std::string bytes;
  std::vector<std::size_t> corrected{};  // offsets of bytes that were put right
};

/// Bytes that are not a record, between two records or after the last.
struct LogHole {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string reason{};
  /// Possible beginnings of records, perhaps cut.
  std::vector<std::string> parts{};
};

/// The content of a damaged file, as far as it can be read.
struct LogReading {
  std::vector<LogRecord> records;  // in their order, as `holes`
  std::vector<LogHole> holes;
  /// The end of a file after its last whole record, if it is cut or not a record: an unfinished
  /// write, which is not damage.
  std::optional<LogHole> tail;
};

/// `is_sound` decides about records that were corrected by their checksums: only a correction can
/// be wrong, once in many millions of times.
LogReading read_log(std::string_view file, const std::function<bool(std::string_view)>& is_sound);

/// Writes a file of records.
class LogWriter {
 public:
  /// Appends a record, cut into fragments where a block ends.
  void add(std::string_view record);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace starbus::storage
