/// Files that operators give to starbus-mail: an export, line by line and as a whole, the mark of a
/// backup, base64, keys, the files of a damaged store. The first byte says which.
#include <sstream>

#include "base/base64.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/box_search.hpp"
#include "mail/row_keys.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tools/mail/export_format.hpp"

namespace {

using starbus::bus::require;

void read_whole(std::string_view text) {
  using namespace starbus::mail_tool;
  std::istringstream in{std::string(text)};
  ExportReader reader(in);
  std::uint64_t expected = 0;
  std::uint64_t end = 0;
  for (;;) {
    const auto line = reader.next();
    if (!line) {
      require(line.error().detail.starts_with("line "));
      return;
    }
    if (!*line) break;
    if (const auto* box = std::get_if<BoxLine>(&**line)) {
      require(expected == end);  // the one before had all its messages
      expected = box->floor;
      end = box->last;
    } else {
      require(std::get<MessageLine>(**line).number == ++expected && expected <= end);
    }
  }
  require(expected == end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus;
  if (size == 0) return 0;
  const std::string_view text = bus::as_text(bus::fuzz_input(data + 1, size - 1));
  switch (data[0] % 6) {
    case 0:
      if (const auto line = mail_tool::decode_line(text)) {
        const auto again = mail_tool::decode_line(mail_tool::encode(*line));
        require(again && *again == *line);
      }
      break;
    case 1:
      read_whole(text);
      break;
    case 2:
      if (const auto facts = mail::decode_backup_facts(text)) require(encode(*facts) == text);
      break;
    case 3:
      if (const auto bytes = from_base64(text)) require(to_base64(*bytes) == text);
      require(from_base64(to_base64(text)) == text);
      break;
    case 4: {
      mail::BoxSearch search([](const bus::ChannelId&) { return true; });
      search.read(text);
      for (const auto& [id, box] : search.found()) {
        require(bus::channel_id(box.row.name) == id);
        require(box.row.floor <= box.row.last);
      }
      break;
    }
    default:
      require(!mail::describe_key(text).empty());
      if (const auto key = mail::read_mail_key(text); key && key->kind == mail::kMessageRows) {
        require(mail::message_key(key->shard, key->id, key->number) == text);
      }
      break;
  }
  return 0;
}
