#include "mail/repair/repair_log.hpp"

#include <nlohmann/json.hpp>

#include "mail/repair/base64.hpp"

namespace starbus::bus::busd::mail {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Mended& mended) {
  Json json = {{"deed", std::string(name_of(mended.deed))},
               {"mailbox", mended.name.empty() ? Json() : Json(mended.name)},
               {"id", mended.id ? Json(mended.id->to_string()) : Json()},
               {"shard", mended.shard}};
  if (mended.last != 0) {
    json["first"] = mended.first;
    json["last"] = mended.last;
  }
  if (!mended.detail.empty()) json["detail"] = mended.detail;
  if (mended.deed == Deed::acknowledged) {
    json["time_ms"] = mended.time_ms;
    json["body"] = to_base64(mended.body);
  }
  return json;
}

}  // namespace

bool Diary::add(const Mended& mended) {
  if (!file_.is_open()) file_.open(path_, std::ios::binary | std::ios::app);
  // Names may come out of damaged files: what is no text is replaced.
  file_ << json_of(mended).dump(-1, ' ', true, Json::error_handler_t::replace) << '\n';
  file_.flush();
  if (mended.deed == Deed::lost) lost_ += mended.last - mended.first + 1;
  ++count_;
  return file_.good();
}

}  // namespace starbus::bus::busd::mail
