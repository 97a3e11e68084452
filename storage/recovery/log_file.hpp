/// LevelDB's logs and manifests, read by ourselves: LevelDB leaves out the rest of a block of 32
/// KiB when it meets a wrong byte, and cannot tell a write that a power cut has torn from one that
/// the disk has lost. Here a wrong byte is put right by the checksum beside it, what lies behind
/// damage is read, and where the damage is, is said. Pure; for any bytes.
///
/// A file is blocks of 32 KiB of fragments: checksum (4 bytes, little-endian, masked, of the kind
/// and the bytes), length (2), kind (1: whole, 2: first, 3: middle, 4: last), bytes. A fragment
/// does not cross the end of a block; the last bytes of one that are less than a head are zeros.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace starbus::storage {

struct LogRecord {
  std::size_t from = 0;  // offsets in the file
  std::size_t to = 0;
  std::string bytes;
  std::vector<std::size_t> corrected{};  // offsets of bytes that were put right
};

/// What is no record, between two of them or behind the last.
struct LogHole {
  std::size_t from = 0;
  std::size_t to = 0;
  std::string reason{};
  /// What may be the beginnings of records, as far as they are there.
  std::vector<std::string> parts{};
};

struct LogReading {
  std::vector<LogRecord> records;  // in their order, as `holes`
  std::vector<LogHole> holes;
  /// The end of a file that is cut, or that ends with something that is no record. It is what a
  /// write that was under way leaves, and no damage, if no whole record is behind it.
  std::optional<LogHole> tail;
};

/// `is_sound` is asked about records that were put right by their checksums: these alone could
/// err, once in many millions of times.
LogReading read_log(std::string_view file, const std::function<bool(std::string_view)>& is_sound);

/// A file of these records.
class LogWriter {
 public:
  void add(std::string_view record);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace starbus::storage
