#include "tests/entity/client/sim/oracle.hpp"

#include <algorithm>

#include "tests/entity/client/sim/client.hpp"

namespace starbus::entity::sessions::sim {
namespace {

/// The gate consumes them: they have a number, and are not shown.
bool silent(PartKind kind) {
  return kind == PartKind::idle || kind == PartKind::join || kind == PartKind::leave;
}

std::string text_of(const Parcel& parcel) {
  const gates::Mark& at = parcel.mark;
  return "bind " + std::to_string(at.bind.epoch) + '.' + std::to_string(at.bind.counter) + " run " +
         std::to_string(at.run.epoch) + '.' + std::to_string(at.run.counter) + " n " +
         std::to_string(at.n) + " c " + std::to_string(parcel.c) + " kind " +
         std::to_string(static_cast<int>(parcel.kind));
}

}  // namespace

Body Update::body() const {
  bus::Bytes bytes(24);
  bus::store(bytes.data(), slot);
  bus::store(bytes.data() + 8, version);
  bus::store(bytes.data() + 16, born);
  return std::make_shared<const bus::Bytes>(std::move(bytes));
}

std::optional<Update> Update::read(const Body& body) {
  if (body->size() != 24) return {};
  const std::byte* const at = body->data();
  return Update{bus::load<std::uint64_t>(at), bus::load<std::uint64_t>(at + 8),
                bus::load<std::uint64_t>(at + 16)};
}

// --- down ----------------------------------------------------------------------------------------

void Oracle::said(const std::string& subject, const Introduction& at, const Section& section,
                  LinkTime now) {
  const SaidKey key{at.session, subject, at.bind, at.run};
  std::vector<Part>& parts = said_[key];
  if (parts.size() + 1 != section.first) bad("P1 a home has drawn a number twice: " + subject);
  parts.insert(parts.end(), section.parts.begin(), section.parts.end());
  for (const Part& part : section.parts) {
    if (part.kind == PartKind::call) check_said_update(key, part.body, now);
  }
  if (section.first == 1) died_at[{at.session, at.bind}] = died[account_of(subject)];
}

void Oracle::was_on_the_way(const std::string& subject, LinkTime from, LinkTime to) {
  ways_[subject].emplace_back(from, to);
}

/// In a stretch the versions of each slot grow, and what is too old gets no number.
void Oracle::check_said_update(const SaidKey& key, const Body& body, LinkTime now) {
  const auto update = Update::read(body);
  if (!update) return;
  ++count["updates said"];
  std::uint64_t& last = updated_[{key, update->slot}];
  if (update->version <= last) bad("D1 an older update of its slot was said: " + key.subject);
  last = update->version;
  const LinkTime born(static_cast<LinkTime::rep>(update->born));
  LinkTime age = now - born;
  for (const auto& [from, to] : ways_[key.subject]) {
    if (from >= born) age -= to - from;
  }
  if (update->slot != Update::kStays && age >= Update::kMaxAge) {
    bad("D2 an update that is too old was said: " + key.subject + ", slot " +
        std::to_string(update->slot) + ", " + std::to_string(age.count()) + " ms old, at " +
        std::to_string(now.count()) + " ms");
  }
}

const std::vector<Part>& Oracle::said_to(const SaidKey& key) const {
  static const std::vector<Part> kNothing;
  const auto found = said_.find(key);
  return found == said_.end() ? kNothing : found->second;
}

void Oracle::show(Client& client, const Parcel& parcel) {
  if (parcel.c != client.position.c + 1) bad("P1 a packet of another number: " + text_of(parcel));
  ++count["shown"];
  if (parcel.kind == gates::PacketKind::spoken) return check_spoken(client, parcel);
  if (parcel.kind != gates::PacketKind::ended) check_part(client, parcel);
}

void Oracle::check_part(Client& client, const Parcel& parcel) {
  const Body& body = std::get<Body>(parcel.body);
  const gates::Mark& at = parcel.mark;
  const auto key = std::pair(at.bind, at.run);
  const auto have = std::pair(client.bind, client.run);
  std::string subject = client.subject;
  std::uint64_t before = client.n;
  if (at.n == 1) {
    client.seen.clear();
    if (key <= have) bad("P1 a stretch that is not later: " + text_of(parcel));
    subject = decode_full(*body)->subject;
    before = 0;
  } else if (key != have) {
    bad("P2 a part of another stretch: " + text_of(parcel));
  }
  const auto& parts = said_to({client.session, subject, at.bind, at.run});
  if (parts.size() < at.n || *parts[at.n - 1].body != *body ||
      static_cast<int>(parts[at.n - 1].kind) != static_cast<int>(parcel.kind)) {
    bad("P1 not what was said to " + client.name + " by " + subject + " (" +
        std::to_string(parts.size()) + " parts): " + text_of(parcel));
  }
  if (parcel.kind == gates::PacketKind::call) check_shown_update(client, body);
  if (at.n <= before) bad("P1 a double: " + text_of(parcel));
  for (std::uint64_t n = before + 1; n < at.n; ++n) {
    if (!silent(parts[n - 1].kind)) bad("P1 a hole: " + text_of(parcel));
  }
}

void Oracle::check_shown_update(Client& client, const Body& body) {
  const auto update = Update::read(body);
  if (!update) return;
  ++count["updates shown"];
  std::uint64_t& last = client.seen[update->slot];
  if (update->version <= last) bad("D1 an older update of its slot is shown: " + client.name);
  last = update->version;
}

/// Once in a session, and only in a group that its subject has named in this stretch.
void Oracle::check_spoken(Client& client, const Parcel& parcel) {
  const std::string said(bus::as_text(*std::get<Body>(parcel.body)));
  ++count["announcements shown"];
  if (!client.heard.insert(said).second) bad("P1 an announcement twice: " + said);
  const std::string group = said.substr(0, said.find(':'));
  if (group.empty()) return;
  for (const Part& part : said_to({client.session, client.subject, client.bind, client.run})) {
    if (part.kind == PartKind::join && bus::as_text(*part.body) == group) return;
    if (part.kind != PartKind::full) continue;
    const auto groups = decode_full(*part.body)->groups;
    if (std::ranges::find(groups, group) != groups.end()) return;
  }
  bad("P2 an announcement to a group of another: " + said);
}

bool Oracle::all_silent(const Client& client) const {
  const auto& parts = said_to({client.session, client.subject, client.bind, client.run});
  return std::ranges::all_of(
      parts.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(client.n, parts.size())),
      parts.end(), [](const Part& part) { return silent(part.kind); });
}

// --- up ------------------------------------------------------------------------------------------

void Oracle::begin(const std::string& subject, std::uint64_t id) {
  Asked& asked = requests[id];
  ++count["begun"];
  if (++asked.begun > 1) bad("P3 begun twice: " + std::to_string(id));
  if (!asked.fate.empty() && asked.fate != "unknown" && asked.fate != "lost") {
    bad("P3 begun after its client was told " + asked.fate);
  }
  if (asked.subject != subject) bad("P3 begun by " + subject + ", meant for " + asked.subject);
  if (id < last_begun_[asked.client]) bad("P3 begun out of order by " + subject);
  last_begun_[asked.client] = id;
}

void Oracle::fate(std::uint64_t id, const std::string& what) {
  Asked& asked = requests[id];
  asked.fate = what;
  ++count["fate: " + what];
  if ((what == "reply" || what == "gone") && asked.begun == 0) {
    bad("P3 said to be begun, and it was not: " + std::to_string(id));
  }
  if (what == "not begun" && asked.begun != 0) {
    bad("P3 said to be not begun, and it was: " + std::to_string(id));
  }
  if (what == "unknown" && died[account_of(asked.subject)] == asked.deaths) {
    bad("P3 unknown, and nobody died: " + std::to_string(id));
  }
}

// --- binds ---------------------------------------------------------------------------------------

std::optional<nodes::players::AccountRow> Oracle::row_of(const std::string& account) const {
  const auto found = disk.find(account);
  if (found == disk.end()) return {};
  return nodes::players::decode_row(std::any_cast<bus::Bytes>(found->second)).value();
}

bool Oracle::came_back(const Client& client) const {
  const auto row = row_of(client.account);
  return row && row->session != client.session && row->login == client.login;
}

void Oracle::check_replaced(const Client& client) const {
  const auto row = row_of(client.account);
  if (!client.session || !row) return;
  const auto bound = logins.find(client.account);
  const std::uint64_t latest = std::max(row->login, bound == logins.end() ? 0 : bound->second);
  if (latest <= client.login) bad("P4 told to be replaced, and it was not: " + client.name);
}

}  // namespace starbus::entity::sessions::sim
