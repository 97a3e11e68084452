#include "bus/client/parts/group_members.hpp"

#include <utility>

namespace starbus::bus {

Result<> GroupMembers::announce(std::string_view group, ByteView body, const SendOptions& options,
                                const Done<GroupOutcome>& done) {
  if (auto checked = check_channel_name(group); !checked) return checked;
  if (!is_group_name(group)) {
    return Error{Errc::bad_name, std::string(group) + " is not of the form group/NAME"};
  }
  if (auto allowed = context_.process.may_send(group); !allowed) return allowed;
  const std::string prefix = std::string(group) + "#";
  if (!watchers_.must_hold(prefix)) return announce_now(prefix, body, options, done);
  return watchers_.hold(
      prefix, body.size() + kItemHeader,
      [this, prefix, copy = Bytes(body.begin(), body.end()), options, done](const Result<>& ready) {
        announce_later(prefix, copy, options, done, ready);
      });
}

void GroupMembers::announce_later(const std::string& prefix, ByteView body,
                                  const SendOptions& options, const Done<GroupOutcome>& done,
                                  const Result<>& ready) {
  const auto sent = ready ? announce_now(prefix, body, options, done) : ready;
  if (sent) return;
  if (done) {
    context_.complete<GroupOutcome>(done, sent.error());
  } else {
    context_.undelivered({channel_id(prefix), prefix, options.lane, sent.error()});
  }
}

void GroupMembers::on_update(const std::string& prefix) {
  const auto found = groups_.find(prefix);
  if (found != groups_.end()) found->second.listed = false;
}

void GroupMembers::list(Group& group, const RowSet& rows) {
  MulticastSender::Receivers members;
  members.names.reserve(rows.rows().size());  // the recipients refer to the names
  std::map<std::string, Lineage> given_up;
  for (const auto& [text, row] : rows.rows()) {
    const auto name = context_.names.name_of(text);
    if (!name) continue;
    const auto left = group.given_up.find(text);
    if (left != group.given_up.end() && left->second == row.lineage) {
      given_up.insert(*left);
      continue;
    }
    context_.names.remember(*name);
    members.names.push_back(*name);
    members.recipients.push_back({sender_.destination(members.names.back(), row.lineage)});
  }
  group.members = std::move(members);
  group.given_up = std::move(given_up);
  group.listed = true;
}

const MulticastSender::Receivers* GroupMembers::members(const std::string& prefix) {
  const RowSet* const rows = context_.process.rows(prefix);
  if (!rows || rows->rows().empty()) return nullptr;
  Group& group = groups_[prefix];
  if (!group.listed) list(group, *rows);
  return &group.members;
}

Result<> GroupMembers::announce_now(const std::string& prefix, ByteView body,
                                    const SendOptions& options, const Done<GroupOutcome>& done) {
  if (context_.closed) return Error{Errc::closed};
  const MulticastSender::Receivers* const to = members(prefix);
  if (!to) {  // a group without members reaches all of them
    context_.complete<GroupOutcome>(done, GroupOutcome{});
    return {};
  }
  if (to->names.size() > kMaxGroup) {
    return Error{Errc::group_too_large, prefix + ": " + std::to_string(to->names.size())};
  }
  FullReceivers full;
  auto sent = multicasts_.send(*to, body, options, done, full);
  const bool counts = sent || !full.places.empty();  // not if the window of the process is full
  if (options.when_full == WhenFull::drop && counts) note_full(prefix, full, options.lane);
  return sent;
}

/// Gives up the members that had no room for kGiveUpAfter.
void GroupMembers::note_full(const std::string& prefix, const FullReceivers& full, Lane lane) {
  Group& group = groups_.at(prefix);
  const RowSet* const rows = context_.process.rows(prefix);
  const Time now = io::boot_now();
  std::map<std::string, Time>& before = group.full_since[static_cast<std::size_t>(lane)];
  std::map<std::string, Time> since;
  for (const std::size_t place : full.places) {
    const Name& name = group.members.names[place];
    const auto known = before.find(name.text());
    const Time began = known == before.end() ? now : known->second;
    const auto row = rows->rows().find(name.text());
    if (now - began < kGiveUpAfter || row == rows->rows().end()) {
      since.emplace(name.text(), began);
      continue;
    }
    group.given_up[name.text()] = row->second.lineage;
    group.listed = false;
    boost::asio::post(context_.loop, [this, weak = context_.self, name, lane] {
      const auto held = weak.lock();
      if (!held || context_.closed) return;
      context_.undelivered(
          {name.id(), name.text(), lane,
           Error{Errc::would_block, name.text() + ": given up until it binds again"}});
    });
  }
  before = std::move(since);
}

}  // namespace starbus::bus
