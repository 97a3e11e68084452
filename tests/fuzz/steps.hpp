/// Input of the targets that keep a state: a list of steps {u8 actor, u8 kind, u16 length,
/// payload}. An actor is one of the parties that the target talks to, or something that happens to
/// it.
#pragma once

#include <algorithm>
#include <optional>

#include "bus/core/wire/bundle.hpp"
#include "bus/core/wire/record.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace starbus::bus {

inline constexpr std::size_t kMostSteps = 256;  // so that no input is slow
inline constexpr std::size_t kStepHeader = 4;

struct Step {
  std::uint8_t actor = 0;
  Kind kind = Kind::hello;
  ByteView payload;
};

class Steps {
 public:
  explicit Steps(ByteView input) : rest_(input) {}

  std::optional<Step> next() {
    if (rest_.size() < kStepHeader || ++taken_ > kMostSteps) return std::nullopt;
    const std::size_t length =
        std::min<std::size_t>(load<std::uint16_t>(rest_.data() + 2), rest_.size() - kStepHeader);
    const Step step{load<std::uint8_t>(rest_.data()),
                    static_cast<Kind>(load<std::uint8_t>(rest_.data() + 1)),
                    rest_.subspan(kStepHeader, length)};
    rest_ = rest_.subspan(kStepHeader + length);
    return step;
  }

 private:
  ByteView rest_;
  std::size_t taken_ = 0;
};

/// The far end of one session: one record per bundle, never refused for anything but the record.
class FarEnd {
 public:
  explicit FarEnd(std::uint64_t session = 0) : session_(session) {}

  Bytes bundle(Kind kind, ByteView payload) {
    Bytes bundle(kBundleHeaderSize);
    Writer writer(bundle);
    writer.put(static_cast<std::uint32_t>(payload.size() + 1));
    writer.put(static_cast<std::uint8_t>(kind));
    writer.bytes(payload);
    seal_bundle(bundle, session_, ++number_, 0);
    return bundle;
  }
  template <class Record>
  Bytes bundle(const Record& record) {
    Bytes bytes;
    encode(record, bytes);
    return bundle(Record::kKind, ByteView(bytes).subspan(kRecordHeader));
  }

 private:
  std::uint64_t session_;
  std::uint64_t number_ = 0;
};

}  // namespace starbus::bus
