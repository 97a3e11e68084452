#include "bus/client/parts/shared_names.hpp"

namespace starbus::bus {
namespace {

constexpr std::size_t kStickyKept = 65'536;

/// Rendezvous weight of an instance for a key: each key ranks the instances in its own order, so
/// that an instance which comes or goes moves only the keys that rank it first.
std::uint64_t weight(std::uint64_t key, const ChannelId& instance) {
  std::uint64_t x = key ^ instance.low;
  x = (x ^ (x >> 30)) * 0xbf58'476d'1ce4'e5b9ULL;  // finaliser of SplitMix64 (Steele et al., 2014)
  x = (x ^ (x >> 27)) * 0x94d0'49bb'1331'11ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::optional<SharedNames::Instance> SharedNames::choose(const std::string& shared,
                                                         std::uint64_t key, Lane lane) {
  const std::string prefix = shared + "#";
  const RowSet* const rows = context_.process.rows(prefix);
  if (!rows || rows->rows().empty()) return std::nullopt;
  Set& set = sets_[prefix];
  if (set.version == 0) list(set, *rows);
  Choice& choice = set.choices[{key, lane}];
  choice.used = ++uses_;
  if (choice.version == set.version) return choice.instance;
  if (choice.instance) {
    const auto present = rows->rows().find(choice.instance->name.text());
    if (present != rows->rows().end() &&
        context_.process.origin().unacknowledged(choice.instance->name.id(), lane)) {
      choice.instance->lineage = present->second.lineage;
      return choice.instance;
    }
  }
  const Instance* const best = best_for(set, key);
  choice.instance = best ? std::optional(*best) : std::nullopt;
  choice.version = set.version;
  return choice.instance;
}

void SharedNames::list(Set& set, const RowSet& rows) {
  set.instances.clear();
  for (const auto& [text, row] : rows.rows()) {
    if (const auto name = context_.names.name_of(text)) {
      set.instances.push_back({*name, row.lineage});
    }
  }
  set.version = ++versions_;
}

const SharedNames::Instance* SharedNames::best_for(const Set& set, std::uint64_t key) {
  // Without a key all messages of this process go to one instance; each process has its own.
  const std::uint64_t rank = key != 0 ? key : hash_value(context_.process.self());
  weighed_ += set.instances.size();
  const Instance* best = nullptr;
  std::uint64_t best_weight = 0;
  for (const Instance& instance : set.instances) {
    const std::uint64_t present_weight = weight(rank, instance.name.id());
    if (best && present_weight <= best_weight) continue;
    best = &instance;
    best_weight = present_weight;
  }
  return best;
}

void SharedNames::on_update(const std::string& prefix) {
  const auto found = sets_.find(prefix);
  if (found != sets_.end()) found->second.version = 0;
}

void SharedNames::on_given_up(const std::string& prefix) {
  const auto found = sets_.find(prefix);
  if (found == sets_.end()) return;
  Set& set = found->second;
  set.version = 0;
  set.instances = {};
  boost::unordered::erase_if(set.choices, [&](const auto& item) {
    const auto& [key, choice] = item;
    return !choice.instance ||
           !context_.process.origin().unacknowledged(choice.instance->name.id(), key.second);
  });
  if (set.choices.empty()) sets_.erase(found);
}

/// Drops keys that were not among the latest kStickyKept uses: those with traffic are used often.
void SharedNames::prune() {
  std::size_t choices = 0;
  for (const auto& [prefix, set] : sets_) choices += set.choices.size();
  if (choices <= kStickyKept) return;
  for (auto& [prefix, set] : sets_) {
    boost::unordered::erase_if(
        set.choices, [&](const auto& item) { return item.second.used + kStickyKept < uses_; });
  }
}

Result<> SharedNames::send(const Name& to, ByteView body, const SendOptions& options, Done<> done) {
  const std::string& shared = to.text();
  if (context_.closed) return Error{Errc::closed};
  if (auto allowed = context_.process.may_send(shared); !allowed) return allowed;
  const std::string prefix = shared + "#";
  if (watchers_.must_hold(prefix)) {
    return watchers_.hold(
        prefix, body.size() + kItemHeader,
        [this, to, copy = Bytes(body.begin(), body.end()), options, done](const Result<>& ready) {
          send_later(to, copy, options, done, ready);
        });
  }
  const auto instance = choose(shared, options.hash_key, options.lane);
  if (!instance) return Error{Errc::no_owner, shared + " has no instance"};
  return sender_.send(instance->name, instance->lineage, body, options, std::move(done));
}

void SharedNames::send_later(const Name& to, const Bytes& body, const SendOptions& options,
                             const Done<>& done, const Result<>& ready) {
  const auto sent = ready ? send(to, body, options, done) : ready;
  if (sent) return;
  if (done) {
    context_.complete<void>(done, sent.error());
  } else {
    context_.undelivered({to.id(), to.text(), options.lane, sent.error()});
  }
}

void SharedNames::call(const Name& to, ByteView body, std::uint64_t key, PendingCalls::Id id,
                       const Trace& trace) {
  const std::string prefix = to.text() + "#";
  if (watchers_.must_hold(prefix)) {
    const auto waiting = watchers_.hold(
        prefix, body.size() + kItemHeader,
        [this, to, copy = Bytes(body.begin(), body.end()), key, id, trace](const Result<>& ready) {
          if (!ready) return calls_.end(id, ready.error());
          call(to, copy, key, id, trace);
        });
    if (!waiting) calls_.end(id, waiting.error());
    return;
  }
  const auto lane = calls_.lane_of(id);
  if (!lane) return;
  const auto instance = choose(to.text(), key, *lane);
  if (!instance) return calls_.end(id, Error{Errc::no_owner, to.text() + " has no instance"});
  calls_.send(id, instance->name, instance->lineage, trace, body);
}

}  // namespace starbus::bus
