/// Cuts bytes that a source or a session wrote into their records, for assertions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bus/core/wire/data.hpp"
#include "bus/core/wire/record_admin.hpp"
#include "bus/core/wire/record_mail.hpp"
#include "bus/core/wire/record_moves.hpp"
#include "bus/core/wire/record_readers.hpp"
#include "bus/core/wire/record_shards.hpp"

namespace starbus::bus {

struct WireRecord {
  Kind kind;
  Bytes payload;
};

inline std::vector<WireRecord> cut_records(ByteView bytes) {
  std::vector<WireRecord> records;
  while (!bytes.empty()) {
    const std::size_t size = load<std::uint32_t>(bytes.data());
    const ByteView payload = bytes.subspan(kRecordHeader, size - 1);
    records.push_back({static_cast<Kind>(load<std::uint8_t>(bytes.data() + 4)),
                       Bytes(payload.begin(), payload.end())});
    bytes = bytes.subspan(sizeof(std::uint32_t) + size);
  }
  return records;
}

/// Fails the test if the record is of another kind or malformed.
template <class Record>
Record read_record(const WireRecord& record) {
  EXPECT_EQ(name_of(record.kind), name_of(Record::kKind));
  auto decoded = decode<Record>(record.payload);
  EXPECT_TRUE(decoded) << "malformed " << name_of(record.kind);
  return decoded ? *decoded : Record{};
}

struct WireMessage {
  std::uint64_t prev = 0;
  std::uint64_t seq = 0;
  std::string body;  // "<tombstone>" for one
  friend bool operator==(const WireMessage&, const WireMessage&) = default;
};

inline void PrintTo(const WireMessage& message, std::ostream* out) {
  *out << message.prev << "<-" << message.seq << " '" << message.body.substr(0, 20) << "'";
}

inline std::vector<WireMessage> messages_of(const Run& run) {
  std::vector<WireMessage> messages;
  RunReader reader(run);
  while (const auto item = reader.next()) {
    messages.push_back({item->prev, item->seq,
                        item->tombstone ? "<tombstone>" : std::string(as_text(item->body))});
  }
  return messages;
}

inline std::string text_of(std::size_t size, char fill = 'x') {
  return std::string(size, fill);
}

}  // namespace starbus::bus
