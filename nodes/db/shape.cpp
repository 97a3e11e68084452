#include <bit>
#include <cstdint>
#include <vector>

#include "nodes/db/document.hpp"
#include "nodes/db/limits.hpp"

namespace starbus::nodes::db {
namespace {

enum Major : unsigned { kUnsigned, kNegative, kBytes, kTextString, kArray, kMap, kTag, kSimple };

/// Walks CBOR items from head to head.
class Walk {
 public:
  explicit Walk(std::string_view rest) : rest_(rest) {}

  Result<> run() {
    open_.push_back(1);
    while (!open_.empty()) {
      if (open_.back() == 0) {
        open_.pop_back();
        continue;
      }
      --open_.back();
      if (const auto item = step(); !item) return item;
    }
    if (!rest_.empty()) return Error(Errc::bad_document, "bytes after the end");
    return {};
  }

 private:
  Result<> step() {
    if (rest_.empty()) return Error(Errc::bad_document, "truncated");
    const auto head = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    const unsigned major = head >> 5;
    const unsigned info = head & 31U;
    if (++items_ > 2 * kMaxElements) return Error(Errc::too_large, "too many values");
    if (info > 27) return Error(Errc::bad_document, "indefinite length or unknown CBOR head");
    std::uint64_t argument = info;
    if (info >= 24) {
      const std::size_t size = std::size_t{1} << (info - 24);
      if (rest_.size() < size) return Error(Errc::bad_document, "truncated");
      argument = 0;
      for (const char byte : rest_.substr(0, size)) {
        argument = argument << 8 | static_cast<unsigned char>(byte);
      }
      rest_.remove_prefix(size);
    }
    return item(major, info, argument);
  }

  Result<> item(unsigned major, unsigned info, std::uint64_t argument) {
    switch (major) {
      case kUnsigned:
      case kNegative:
        if (argument >> 63 != 0) return Error(Errc::bad_document, "integer outside int64");
        return {};
      case kBytes:
      case kTextString:
        if (argument > rest_.size()) return Error(Errc::bad_document, "length beyond the end");
        rest_.remove_prefix(argument);
        return {};
      case kArray:
      case kMap:
        return enter(major == kMap, argument);
      case kSimple:
        // false, true, null; half, single and double.
        if ((info >= 20 && info <= 22) || info >= 25) return {};
        return Error(Errc::bad_document, "CBOR simple value without a JSON equivalent");
      default:
        return Error(Errc::bad_document, "CBOR tag");
    }
  }

  Result<> enter(bool pairs, std::uint64_t count) {
    // Each takes a byte at least.
    if (count > rest_.size() / (pairs ? 2 : 1)) {
      return Error(Errc::bad_document, "length beyond the end");
    }
    if (open_.size() > kMaxDepth) return Error(Errc::too_large, "too deep");
    open_.push_back(pairs ? 2 * count : count);
    return {};
  }

  std::string_view rest_;
  std::vector<std::uint64_t> open_;  // items that are still to come, of each level
  std::uint64_t items_ = 0;
};

}  // namespace

Result<> check_shape(std::string_view cbor) {
  if (cbor.size() > kMaxDocument) {
    return Error(Errc::too_large, "a document of " + std::to_string(cbor.size()) + " bytes");
  }
  return Walk(cbor).run();
}

}  // namespace starbus::nodes::db
