#include "bus/core/routers/root/root_queries.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "bus/core/wire/version.hpp"

namespace starbus::bus {

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
  if (query.target == kRootName) {
    root_.shell.answer_query(query);
  } else if (const HostEntry* target = root_.find_host(query.target); target && target->session) {
    send(*target->session, query);
  } else {
    constexpr std::string_view kBody =
        R"({"error":"unreachable","detail":"no host of that name is connected to busroot"})";
    const ByteView body = as_bytes(kBody);
    answer({host.name, query.number, 404, Bytes(body.begin(), body.end())});
  }
}

void RootQueries::send(RouterLink& to, const Query& query) {
  if (to.minor >= kAdminRoleMinor) {
    root_.links.tell(to, RoleQuery{query});
  } else {
    root_.links.tell(to, query);
  }
}

AdminRole RootQueries::role_of(const HostEntry&, const Query& query) {
  return query.role;
}

Result<> RootQueries::on_answer(ByteView payload) {
  const auto answered = decode<Answer>(payload);
  if (!answered) return answered.error();
  if (answered->to_host == kRootName) {
    root_.shell.on_answer(*answered);
  } else {
    answer(*answered);
  }
  return {};
}

bool RootQueries::ask(Query query) {
  const HostEntry* const target = root_.find_host(query.target);
  if (target == nullptr || target->session == nullptr) return false;
  query.from_host = kRootName;
  send(*target->session, query);
  return true;
}

void RootQueries::answer(const Answer& answered) {
  const HostEntry* const host = root_.find_host(answered.to_host);
  if (host != nullptr && host->session != nullptr) {
    root_.links.tell(*host->session, fit_to_send(answered));
  }
}

}  // namespace starbus::bus
