#include "tools/mail/export_format.hpp"

#include <istream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/base64.hpp"
#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "mail/rows.hpp"

namespace starbus::mail_tool {
namespace {

using bus::Errc;
using bus::Error;
using bus::Result;
using Json = nlohmann::ordered_json;

constexpr const char* kHeaderKey = "starbus_mail_export";
constexpr std::size_t kTraceBytes = 24;

Error bad(const std::string& why) {
  return {Errc::bad_bytes, why};
}

struct ToJson {
  Json operator()(const HeaderLine&) const { return {{kHeaderKey, kExportVersion}}; }
  Json operator()(const BoxLine& box) const {
    return {{"box", box.name},
            {"kind", box.kind == bus::PostTarget::log ? "log" : "mailbox"},
            {"floor", box.floor},
            {"last", box.last}};
  }
  Json operator()(const MessageLine& message) const {
    if (message.lost) return {{"number", message.number}, {"lost", true}};
    Json json = {{"number", message.number}, {"time_ms", message.time_ms}};
    if (!message.trace.empty()) json["trace"] = to_base64(message.trace);
    json["body"] = to_base64(message.body);
    return json;
  }
  Json operator()(const EndLine& end) const {
    return {{"end", true}, {"boxes", end.boxes}, {"messages", end.messages}};
  }
};

/// The fields of one line. After the first that is wrong it stays failed.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  bool has(const char* key) const { return json_.contains(key); }
  std::uint64_t number(const char* key) {
    const Json* const value = find(key);
    if (value != nullptr && value->is_number_unsigned()) return value->get<std::uint64_t>();
    fail(key, "is not a number");
    return 0;
  }
  std::string text(const char* key) {
    const Json* const value = find(key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    fail(key, "is not a text");
    return {};
  }
  std::string bytes(const char* key) {
    auto decoded = from_base64(text(key));
    if (!decoded) fail(key, "is not base64");
    return decoded.value_or("");
  }
  bool flag(const char* key) {
    const Json* const value = find(key);
    if (value != nullptr && value->is_boolean()) return value->get<bool>();
    fail(key, "is neither true nor false");
    return false;
  }
  void fail(const char* key, const std::string& why) {
    if (trouble_.empty()) trouble_ = std::string("\"") + key + "\" " + why;
  }
  const std::string& trouble() const { return trouble_; }

 private:
  const Json* find(const char* key) {
    const auto found = json_.find(key);
    if (found != json_.end()) return &*found;
    fail(key, "is missing");
    return nullptr;
  }

  const Json& json_;
  std::string trouble_;
};

BoxLine read_box(Fields& fields) {
  BoxLine box;
  box.name = fields.text("box");
  if (!bus::check_channel_name(box.name)) fields.fail("box", "is not a channel name");
  const std::string kind = fields.text("kind");
  if (kind != "mailbox" && kind != "log") fields.fail("kind", "is neither mailbox nor log");
  box.kind = kind == "log" ? bus::PostTarget::log : bus::PostTarget::mailbox;
  box.floor = fields.number("floor");
  box.last = fields.number("last");
  if (box.floor > box.last) fields.fail("floor", "is above \"last\"");
  if (box.last > mail::kMostNumber) fields.fail("last", "is not the number of a message");
  return box;
}

MessageLine read_message(Fields& fields) {
  MessageLine message;
  message.number = fields.number("number");
  message.lost = fields.has("lost") && fields.flag("lost");
  if (message.lost) return message;
  message.time_ms = fields.number("time_ms");
  if (fields.has("trace")) message.trace = fields.bytes("trace");
  if (!message.trace.empty() && message.trace.size() != kTraceBytes) {
    fields.fail("trace", "does not have 24 bytes");
  }
  message.body = fields.bytes("body");
  if (message.body.size() > kLargestBody) {
    fields.fail("body", "is larger than " + std::to_string(kLargestBody) + " bytes");
  }
  return message;
}

}  // namespace

std::string encode(const ExportLine& line) {
  // Names are UTF-8; what else a row may hold after an accident is replaced.
  return std::visit(ToJson{}, line).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ExportLine> decode_line(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return bad("not a JSON object");
  Fields fields(json);
  ExportLine line;
  if (fields.has(kHeaderKey)) {
    const std::uint64_t version = fields.number(kHeaderKey);
    if (fields.trouble().empty() && version != kExportVersion) {
      return Error{Errc::version_mismatch, "a file of version " + std::to_string(version) +
                                               "; this program reads version " +
                                               std::to_string(kExportVersion)};
    }
    line = HeaderLine{};
  } else if (fields.has("box")) {
    line = read_box(fields);
  } else if (fields.has("number")) {
    line = read_message(fields);
  } else if (fields.has("end")) {
    if (!fields.flag("end")) fields.fail("end", "is not true");
    const std::uint64_t boxes = fields.number("boxes");
    line = EndLine{boxes, fields.number("messages")};
  } else {
    return bad("neither a box, a message nor the end");
  }
  if (!fields.trouble().empty()) return bad(fields.trouble());
  return line;
}

// --- reading -------------------------------------------------------------------------------------

Error ExportReader::at_line(Error error) const {
  error.detail = "line " + std::to_string(line_) + ": " + error.detail;
  return error;
}

Result<std::string> ExportReader::read_line() {
  std::string text;
  ++line_;
  // By hand: getline has no limit.
  std::streambuf* const bytes = in_.rdbuf();
  for (;;) {
    const int byte = bytes->sbumpc();
    if (byte == std::char_traits<char>::eof()) {
      return bad("the file ends before its last line: it was cut; export again");
    }
    if (byte == '\n') return text;
    if (text.size() == kLongestLine) return Error{Errc::too_large, "a line of more than 23 MiB"};
    text += static_cast<char>(byte);
  }
}

Result<std::optional<ExportLine>> ExportReader::next() {
  if (ended_) return std::optional<ExportLine>();
  const auto text = read_line();
  if (!text) return at_line(text.error());
  auto line = decode_line(*text);
  if (!line) return at_line(line.error());
  const bool header = std::holds_alternative<HeaderLine>(*line);
  if (header != !begun_) {
    return at_line(bad(begun_ ? "a second header" : "not the header of an export"));
  }
  begun_ = true;
  if (header) return next();
  Result<> taken;
  if (const auto* box = std::get_if<BoxLine>(&*line)) taken = take(*box);
  if (const auto* message = std::get_if<MessageLine>(&*line)) taken = take(*message);
  if (const auto* end = std::get_if<EndLine>(&*line)) taken = take(*end);
  if (!taken) return at_line(taken.error());
  if (ended_) return std::optional<ExportLine>();
  return std::optional(std::move(*line));
}

Result<> ExportReader::end_of_box() const {
  if (!box_ || expected_ > box_->last) return {};
  return bad(box_->name + " ends at " + std::to_string(expected_ - 1) + " and not at " +
             std::to_string(box_->last));
}

Result<> ExportReader::take(const BoxLine& box) {
  if (auto ended = end_of_box(); !ended) return ended;
  box_ = box;
  expected_ = box.floor + 1;
  ++count_.boxes;
  return {};
}

Result<> ExportReader::take(const MessageLine& message) {
  if (!box_) return bad("a message before the first box");
  if (message.number != expected_ || message.number > box_->last) {
    return bad(
        "number " + std::to_string(message.number) + " where " +
        (expected_ > box_->last ? "the box has ended" : std::to_string(expected_) + " must come"));
  }
  ++expected_;
  ++count_.messages;
  return {};
}

Result<> ExportReader::take(const EndLine& end) {
  if (auto ended = end_of_box(); !ended) return ended;
  if (end != count_) {
    return bad("the end counts " + std::to_string(end.boxes) + " boxes and " +
               std::to_string(end.messages) + " messages; there were " +
               std::to_string(count_.boxes) + " and " + std::to_string(count_.messages));
  }
  if (in_.rdbuf()->sgetc() != std::char_traits<char>::eof()) return bad("data after the end");
  ended_ = true;
  return {};
}

}  // namespace starbus::mail_tool
