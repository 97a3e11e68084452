#include "mail/repair/repair_log.hpp"

#include <nlohmann/json.hpp>

#include "base/base64.hpp"

namespace starbus::mail {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const RepairStep& step) {
  Json json = {{"action", std::string(name_of(step.action))},
               {"mailbox", step.name.empty() ? Json() : Json(step.name)},
               {"id", step.id ? Json(step.id->to_string()) : Json()},
               {"shard", step.shard}};
  if (step.last != 0) {
    json["first"] = step.first;
    json["last"] = step.last;
  }
  if (!step.detail.empty()) json["detail"] = step.detail;
  if (step.action == RepairAction::acknowledged) {
    json["time_ms"] = step.time_ms;
    json["body"] = to_base64(step.body);
  }
  return json;
}

}  // namespace

bool RepairLog::add(const RepairStep& step) {
  if (!file_.is_open()) file_.open(path_, std::ios::binary | std::ios::app);
  // Names may come out of damaged files: what is no text is replaced.
  file_ << json_of(step).dump(-1, ' ', true, Json::error_handler_t::replace) << '\n';
  file_.flush();
  if (step.action == RepairAction::lost) lost_ += step.last - step.first + 1;
  ++count_;
  return file_.good();
}

}  // namespace starbus::mail
