#include "tools/db/parse.hpp"

#include "nodes/db/limits.hpp"

namespace starbus::db_tool {

db::Result<db::Json> parse_json(std::string_view text) {
  using Event = db::Json::parse_event_t;
  bool too_deep = false;
  // The parser itself does not recurse. It reads refused values without keeping them.
  const auto keep = [&](int depth, Event event, const db::Json&) {
    const bool begins = event == Event::object_start || event == Event::array_start;
    // Depth 0 is the line around a document.
    too_deep |= begins && static_cast<std::uint64_t>(depth) > db::kMaxDepth;
    return !too_deep;
  };
  db::Json json = db::Json::parse(text, keep, false);
  if (too_deep) return db::Error(db::Errc::too_large, "too deep");
  if (json.is_discarded()) return db::Error(db::Errc::bad_request, "not JSON");
  return db::Result<db::Json>(in_place_value, std::move(json));
}

}  // namespace starbus::db_tool
