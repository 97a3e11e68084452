#include "bus/core/routers/root/root_queries.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "bus/core/wire/version.hpp"

namespace starbus::bus {
namespace {

/// Each waits 3 s at its asker; operators and their scripts wait for each.
constexpr std::size_t kMostOpen = 16'384;
constexpr Time kQuestionLife = std::chrono::seconds(5);

}  // namespace

Result<> RootQueries::on_query(const HostEntry& host, ByteView payload) {
  auto query = decode<Query>(payload);
  if (!query) return query.error();
  pass_on(host, std::move(*query));
  return {};
}

Result<> RootQueries::on_role_query(const HostEntry& host, ByteView payload) {
  auto query = decode<RoleQuery>(payload);
  if (!query) return query.error();
  pass_on(host, std::move(*query));
  return {};
}

void RootQueries::pass_on(const HostEntry& host, Query query) {
  query.from_host = host.name;
  query.role = role_of(host, query);
  const HostEntry* const target = root_.find_host(query.target);
  if (!host.rights.may_ask(query.path)) {
    refuse(query, 403, R"({"error":"denied","detail":"busroot's configuration forbids it"})");
  } else if (query.target == kRootName) {
    root_.shell.answer_query(query);
  } else if (target == nullptr || target->session == nullptr) {
    refuse(query, 404,
           R"({"error":"unreachable","detail":"no host of that name is connected to busroot"})");
  } else if (!note_question(query, *target)) {
    refuse(query, 503, R"({"error":"busy","detail":"too many questions wait for an answer"})");
  } else {
    send(*target->session, query);
  }
}

void RootQueries::send(RouterLink& to, const Query& query) {
  if (to.minor >= kAdminRoleMinor) {
    root_.links.tell(to, RoleQuery{query});
  } else {
    root_.links.tell(to, query);
  }
}

AdminRole RootQueries::role_of(const HostEntry& host, const Query& query) {
  if (host.rights.admin == HostRights::Admin::read) return query.role;
  return std::min(query.role, AdminRole::observe);
}

void RootQueries::refuse(const Query& query, std::uint16_t status, std::string_view body) {
  const ByteView bytes = as_bytes(body);
  answer({query.from_host, query.number, status, Bytes(bytes.begin(), bytes.end())});
}

/// False if too many questions are open.
bool RootQueries::note_question(const Query& query, const HostEntry& target) {
  const Asked asked{query.from_host, query.number};
  if (open_.size() >= kMostOpen && !open_.contains(asked)) return false;
  open_.insert_or_assign(asked, Question{target.id, root_.links.now()});
  return true;
}

/// Only the host that was asked answers, and once.
Result<> RootQueries::on_answer(const HostEntry& host, ByteView payload) {
  const auto answered = decode<Answer>(payload);
  if (!answered) return answered.error();
  const auto question = open_.find({answered->to_host, answered->number});
  if (question == open_.end() || question->second.host != host.id) {
    ++root_.links.counters().dropped_replies;
    return {};
  }
  open_.erase(question);
  if (answered->to_host == kRootName) {
    root_.shell.on_answer(*answered);
  } else {
    answer(*answered);
  }
  return {};
}

bool RootQueries::ask(Query query) {
  const HostEntry* const target = root_.find_host(query.target);
  query.from_host = kRootName;
  if (target == nullptr || target->session == nullptr || !note_question(query, *target)) {
    return false;
  }
  send(*target->session, query);
  return true;
}

void RootQueries::tick() {
  std::erase_if(open_, [&](const auto& question) {
    return root_.links.now() - question.second.asked_at > kQuestionLife;
  });
}

void RootQueries::answer(const Answer& answered) {
  const HostEntry* const host = root_.find_host(answered.to_host);
  if (host != nullptr && host->session != nullptr) {
    root_.links.tell(*host->session, fit_to_send(answered));
  }
}

}  // namespace starbus::bus
