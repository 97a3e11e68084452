#include "daemon/admin/at_route.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include "daemon/admin/admin_access.hpp"
#include "daemon/admin/router_report.hpp"

namespace starbus::daemon {
namespace {

constexpr std::size_t kLongestPath = std::numeric_limits<std::uint8_t>::max();

}  // namespace

Result<AtRequest> parse_at(const Request& request) {
  const std::string_view rest =
      std::string_view(request.path).substr(std::string_view(kAtRoute).size());
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos) {
    return Error{bus::Errc::bad_name, "path: not of the form /at/TARGET/PATH"};
  }
  AtRequest at{std::string(rest.substr(0, slash)), std::string(rest.substr(slash))};
  char separator = '?';
  for (const auto& [name, value] : request.query) {
    at.path += separator;
    at.path.append(percent_encode(name)).append("=").append(percent_encode(value));
    separator = '&';
  }
  if (at.path.size() > kLongestPath) {
    return Error{bus::Errc::too_large, "a path over the bus has at most 255 bytes"};
  }
  return at;
}

Response response_of(const bus::Answer& answer) {
  if (answer.status < 200 || answer.status > 599) {
    return Response::error(502, "the daemon answered with the status " +
                                    std::to_string(answer.status) + ", which HTTP does not have");
  }
  Response response;
  response.status = answer.status;
  response.body = std::string(bus::as_text(answer.body));
  return response;
}

bus::Answer answer_to(const bus::Query& query, const Response& response) {
  const bus::ByteView body = bus::as_bytes(response.body);
  bus::Answer answer;
  answer.to_host = query.from_host;
  answer.number = query.number;
  answer.status = static_cast<std::uint16_t>(response.status);
  answer.body.assign(body.begin(), body.end());
  return answer;
}

void SharedRoutes::add(const std::string& path, AdminRole role, Route route) {
  server_.get_async(path, role, [this, route](const Request& request, const Reply& reply) {
    queue_.push(
        QueryQueue::From::here, [route, request] { return route(request); }, reply);
  });
  routes_[path] = {role, std::move(route)};
}

void SharedRoutes::answer(QueryQueue::From from, const std::string& path_and_query,
                          const AtCaller& caller, const Reply& reply) {
  // The refusals too: a router that asks is on the stack.
  const auto refuse = [&](Response response) {
    queue_.push(
        from, [response = std::move(response)] { return response; }, reply);
  };
  auto target = parse_target(path_and_query);
  if (!target) return refuse(error_response({bus::Errc::bad_name, "not a path"}));
  const auto found = routes_.find(target->path);
  if (found == routes_.end()) {
    return refuse(error_response({bus::Errc::no_owner, "no route " + target->path}));
  }
  const Entry& entry = found->second;
  if (caller.role < entry.role) return refuse(role_missing(entry.role, caller.role, caller.name));
  const Request request{"GET", target->path, std::move(target->query), {}, caller.role};
  queue_.push(
      from, [route = entry.route, request] { return route(request); }, reply);
}

}  // namespace starbus::daemon
