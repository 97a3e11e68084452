#include "bus/client/parts/group_members.hpp"

namespace starbus::bus {

Result<> GroupMembers::announce(std::string_view group, ByteView body, const SendOptions& options) {
  if (auto checked = check_channel_name(group); !checked) return checked;
  if (!is_group_name(group)) {
    return Error{Errc::bad_name, std::string(group) + " is not of the form group/NAME"};
  }
  if (auto allowed = context_.process.may_send(group); !allowed) return allowed;
  const std::string prefix = std::string(group) + "#";
  if (!watchers_.must_hold(prefix)) return announce_now(prefix, body, options);
  return watchers_.hold(
      prefix, body.size() + kItemHeader,
      [this, prefix, copy = Bytes(body.begin(), body.end()), options] {
        const auto sent = announce_now(prefix, copy, options);
        if (!sent) {
          context_.undelivered({channel_id(prefix), prefix, options.lane, sent.error()});
        }
      });
}

GroupMembers::Members GroupMembers::list(const RowSet& rows) {
  Members members;
  members.names.reserve(rows.rows().size());
  for (const auto& [text, row] : rows.rows()) {
    const auto name = context_.names.name_of(text);
    if (!name) continue;
    context_.names.remember(*name);
    members.names.push_back(*name);
    members.recipients.push_back({sender_.destination(members.names.back(), row.lineage)});
  }
  return members;
}

Result<> GroupMembers::announce_now(const std::string& prefix, ByteView body,
                                    const SendOptions& options) {
  if (context_.closed) return Error{Errc::closed};
  const RowSet* const rows = context_.process.rows(prefix);
  if (!rows || rows->rows().empty()) return {};  // a group without members reaches all of them
  if (rows->rows().size() > kMaxGroup) {
    return Error{Errc::group_too_large, prefix + ": " + std::to_string(rows->rows().size())};
  }
  auto found = members_.find(prefix);
  if (found == members_.end()) found = members_.emplace(prefix, list(*rows)).first;
  return sender_.multicast(found->second.recipients, body, options);
}

}  // namespace starbus::bus
