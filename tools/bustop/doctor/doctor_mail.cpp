// Checks of the mail of the cluster: which store serves which shard.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/core/wire/shard_list.hpp"
#include "tools/bustop/doctor/doctor_checks.hpp"

namespace starbus::bustop::checks {
namespace {

std::string count_shards(const std::vector<std::uint8_t>& shards) {
  return std::to_string(shards.size()) + (shards.size() == 1 ? " shard" : " shards") +
         " of mail (" + bus::shards_text(shards) + ")";
}

/// Shards that a host lists and others serve.
void check_listed(const DaemonReading& host, const MailPlaces& places, Findings& to) {
  if (!host.status.mail) return;
  std::map<std::string, std::vector<std::uint8_t>> others;
  for (const std::uint8_t shard : host.status.mail->shards_listed) {
    const std::string& owner = places.host[shard];
    if (!owner.empty() && owner != host.name) others[owner].push_back(shard);
  }
  for (const auto& [owner, shards] : others) {
    add(to, Severity::warning, Check::mail_shards_refused, host.name,
        "lists " + count_shards(shards) + ", which " + owner + " serves",
        "if its log says that they are not served there, two stores have them: "
        "docs/operate/mail-tools.md, "
        "\"Two stores with one shard\"; otherwise take them out of [mail] shards of " +
            host.name +
            "; or, to have them there: starbus-mail move SHARDS --admin URL of its busd");
  }
}

using Shards = std::vector<std::uint8_t>;

bool has(const Shards& shards, std::uint8_t shard) {
  return std::ranges::find(shards, shard) != shards.end();
}

/// Shards that a host lists, that its store does not have, and that no store serves.
void check_left(const DaemonReading& host, const MailPlaces& places, Findings& to) {
  Shards left;
  for (const std::uint8_t shard : host.status.mail->shards_listed) {
    if (!has(*host.status.mail->shards_kept, shard) && places.host[shard].empty())
      left.push_back(shard);
  }
  if (left.empty()) return;
  add(to, Severity::warning, Check::mail_shards_left, host.name,
      "lists " + count_shards(left) + ", which its store does not have, and no host serves");
}

/// Shards that a host's store has and that no configuration lists.
void check_unlisted(const DaemonReading& host, const std::vector<DaemonReading>& all,
                    Findings& to) {
  Shards unlisted;
  for (const std::uint8_t shard : *host.status.mail->shards_kept) {
    const auto lists = [shard](const DaemonReading& one) {
      return one.status.mail && has(one.status.mail->shards_listed, shard);
    };
    if (std::ranges::none_of(all, lists)) unlisted.push_back(shard);
  }
  if (unlisted.empty()) return;
  add(to, Severity::info, Check::mail_shards_unlisted, host.name,
      "keeps " + count_shards(unlisted) + ", which no configuration lists");
}

}  // namespace

void check_mail_shards(const Examination& examination, Findings& to) {
  const std::optional<MailPlaces>& places = examination.mail;
  const std::optional<RootTopology>& root = examination.cluster.root;
  // Only busroot knows all of them, and in grace not even that.
  if (!places || !places->from_root || !root || root->grace) return;
  const auto nobodys = places->of("");
  if (nobodys.size() == bus::kShards) return;  // a cluster without mail
  if (!nobodys.empty()) {
    add(to, Severity::error, Check::mail_shards_missing, "cluster",
        "no host serves " + count_shards(nobodys) + ": posts to them wait");
  }
  for (const DaemonReading& reading : examination.after) {
    if (reading.trouble.code != Errc::ok) continue;
    check_listed(reading, *places, to);
    if (!reading.status.mail || !reading.status.mail->shards_kept) continue;
    check_left(reading, *places, to);
    check_unlisted(reading, examination.after, to);
  }
}

}  // namespace starbus::bustop::checks
