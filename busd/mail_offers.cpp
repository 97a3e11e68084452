// The admin paths below /mail/offer: which hosts may take shards of this one.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bus/core/wire/shard_list.hpp"
#include "busd/mail_admin.hpp"
#include "daemon/admin/router_report.hpp"
#include "daemon/report/document.hpp"

namespace starbus::busd {

using daemon::Reply;
using daemon::Request;
using daemon::Response;

namespace {

/// nullopt: the reply that says why is sent.
std::optional<std::vector<std::uint8_t>> shards_of(const Request& request, const Reply& reply) {
  const std::string text = request.parameter_or("shards", "");
  auto shards = bus::parse_shards(text);
  if (shards && !shards->empty()) return std::move(*shards);
  reply(Response::error(400, "shards: '" + text + "' is not a list such as 0-15,40"));
  return std::nullopt;
}

}  // namespace

void MailAdmin::offers(const Request&, const Reply& reply) {
  if (!is_open(reply)) return;
  report::MailOffers answer;
  for (const auto& [host, shards] : node_()->figures().offers) {
    answer.offers.push_back({host, bus::shards_text(shards)});
  }
  reply(Response::json(report::to_json(answer)));
}

void MailAdmin::offer(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  auto shards = shards_of(request, reply);
  if (!shards) return;
  const std::string host = request.parameter_or("to", "");
  node_()->offer(
      std::move(*shards), host,
      [&loop = loop_, reply, host](const bus::Result<std::vector<std::uint8_t>>& offered) {
        const Response response =
            offered ? Response::json(
                          report::to_json(report::MailOffers{{{host, bus::shards_text(*offered)}}}))
                    : Response::error(409, offered.error().detail);
        boost::asio::post(loop, [reply, response] { reply(response); });
      });
}

void MailAdmin::withdraw(const Request& request, const Reply& reply) {
  if (!is_open(reply)) return;
  auto shards = shards_of(request, reply);
  if (!shards) return;
  std::ranges::sort(*shards);
  const std::string text = bus::shards_text(*shards);
  node_()->withdraw(std::move(*shards));
  reply(Response::json({{"withdrawn", text}}));
}

}  // namespace starbus::busd
