// starbus-mail offer: which hosts may take shards of the host of a busd which runs.
#include <ostream>

#include "daemon/admin/admin_http.hpp"
#include "tools/mail/commands.hpp"
#include "tools/mail/online.hpp"
#include "tools/terminal/json_text.hpp"
#include "tools/terminal/text.hpp"

namespace starbus::mail_tool {
namespace {

using daemon::HttpClient;

int show(const Context& context, const report::MailOffers& offers) {
  if (context.json) {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& [to, shards] : offers.offers) rows.push_back({{"to", to}, {"shards", shards}});
    context.out << bustop::dump({{"offers", std::move(rows)}});
    return kExitOk;
  }
  for (const auto& [to, shards] : offers.offers) {
    context.out << "host " << bustop::printable(to) << " may take " << bustop::printable(shards)
                << "\n";
  }
  if (offers.offers.empty()) context.out << "no shards are offered\n";
  return kExitOk;
}

}  // namespace

int run_offer(const Context& context, const OfferOptions& options) {
  const auto client = HttpClient::at(options.admin);
  if (!client) return fail(context, client.error());
  const std::string query = "?shards=" + daemon::percent_encode(options.shards);
  if (options.withdraw) {
    const auto done = object_of(client->post("/mail/offer/withdraw" + query, ""));
    if (!done) return unreachable(context, options.admin, done.error());
    if (context.json) context.out << bustop::dump(*done);
    if (!context.json) {
      context.out << "no host may take " << bustop::printable(options.shards) << " any more\n";
    }
    return kExitOk;
  }
  const auto offers = document_of<report::MailOffers>(
      options.shards.empty()
          ? client->get("/mail/offer")
          : client->post("/mail/offer" + query + "&to=" + daemon::percent_encode(options.to), ""));
  if (!offers) return unreachable(context, options.admin, offers.error());
  return show(context, *offers);
}

}  // namespace starbus::mail_tool
