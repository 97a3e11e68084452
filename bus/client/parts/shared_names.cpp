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
  const RowSet* const rows = context_.process.rows(shared + "#");
  if (!rows || rows->rows().empty()) return std::nullopt;
  Choice& choice = choices_[{shared, key}];
  choice.used = ++uses_;
  const auto present = rows->rows().find(choice.instance);
  if (present != rows->rows().end()) {
    const auto name = context_.names.name_of(choice.instance);
    if (name && context_.process.origin().unacknowledged(name->id(), lane)) {
      return Instance{*name, present->second.lineage};
    }
  }
  auto best = best_for(*rows, key);
  if (best) choice.instance = best->name.text();
  return best;
}

std::optional<SharedNames::Instance> SharedNames::best_for(const RowSet& rows, std::uint64_t key) {
  // Without a key all messages of this process go to one instance; each process has its own.
  const std::uint64_t rank = key != 0 ? key : hash_value(context_.process.self());
  std::optional<Instance> best;
  std::uint64_t best_weight = 0;
  for (const auto& [text, row] : rows.rows()) {
    const auto name = context_.names.name_of(text);
    if (!name) continue;
    const std::uint64_t present_weight = weight(rank, name->id());
    if (best && present_weight <= best_weight) continue;
    best = Instance{*name, row.lineage};
    best_weight = present_weight;
  }
  return best;
}

/// Drops keys that were not among the latest kStickyKept uses: those with traffic are used often.
void SharedNames::prune() {
  if (choices_.size() <= kStickyKept) return;
  std::erase_if(choices_, [&](const auto& item) { return item.second.used + kStickyKept < uses_; });
}

Result<> SharedNames::send(const Name& to, ByteView body, const SendOptions& options, Done<> done) {
  const std::string& shared = to.text();
  if (context_.closed) return Error{Errc::closed};
  if (auto allowed = context_.process.may_send(shared); !allowed) return allowed;
  const std::string prefix = shared + "#";
  if (watchers_.must_hold(prefix)) {
    return watchers_.hold(prefix, body.size() + kItemHeader,
                          [this, to, copy = Bytes(body.begin(), body.end()), options, done] {
                            send_later(to, copy, options, done);
                          });
  }
  const auto instance = choose(shared, options.hash_key, options.lane);
  if (!instance) return Error{Errc::no_owner, shared + " has no instance"};
  return sender_.send(instance->name, instance->lineage, body, options, std::move(done));
}

void SharedNames::send_later(const Name& to, const Bytes& body, const SendOptions& options,
                             const Done<>& done) {
  const auto sent = send(to, body, options, done);
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
    const auto waiting = watchers_.hold(prefix, body.size() + kItemHeader,
                                        [this, to, copy = Bytes(body.begin(), body.end()), key, id,
                                         trace] { call(to, copy, key, id, trace); });
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
