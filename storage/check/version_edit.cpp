#include "storage/check/version_edit.hpp"

#include "storage/check/table_keys.hpp"
#include "storage/check/varint.hpp"

namespace starbus::storage {
namespace {

constexpr std::uint64_t kLevels = 7;

class EditReader {
 public:
  explicit EditReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<VersionEdit> run() {
    while (!bytes_.empty()) {
      std::uint64_t tag = 0;
      if (!take_varint(bytes_, tag) || tag > 0xff || !take_field(static_cast<EditTag>(tag))) {
        return std::nullopt;
      }
    }
    return std::move(edit_);
  }

 private:
  bool take_field(EditTag tag) {
    switch (tag) {
      case EditTag::comparator:
        return take_slice(bytes_, edit_.comparator.emplace());
      case EditTag::log_number:
        return take_varint(bytes_, edit_.log_number.emplace());
      case EditTag::previous_log:
        return take_varint(bytes_, edit_.previous_log.emplace());
      case EditTag::next_file:
        return take_varint(bytes_, edit_.next_file.emplace());
      case EditTag::last_sequence:
        return take_varint(bytes_, edit_.last_sequence.emplace());
      case EditTag::compact_pointer: {  // only where the next compaction begins
        std::uint32_t level = 0;
        std::string_view key;
        return take_level(level) && take_slice(bytes_, key);
      }
      case EditTag::deleted_table: {
        auto& [level, number] = edit_.deleted.emplace_back();
        return take_level(level) && take_varint(bytes_, number);
      }
      case EditTag::new_table:
        return take_table(edit_.added.emplace_back());
    }
    return false;
  }

  bool take_level(std::uint32_t& level) {
    std::uint64_t number = 0;
    if (!take_varint(bytes_, number) || number >= kLevels) return false;
    level = static_cast<std::uint32_t>(number);
    return true;
  }
  bool take_table(VersionEdit::Table& table) {
    return take_level(table.level) && take_varint(bytes_, table.number) &&
           take_varint(bytes_, table.bytes) && take_slice(bytes_, table.first) &&
           take_slice(bytes_, table.last) && read_table_key(table.first) &&
           read_table_key(table.last);
  }

  std::string_view bytes_;
  VersionEdit edit_;
};

}  // namespace

std::optional<VersionEdit> read_edit(std::string_view bytes) {
  return EditReader(bytes).run();
}

}  // namespace starbus::storage
