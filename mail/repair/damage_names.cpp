#include "mail/repair/damage_names.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "mail/repair/row_cursor.hpp"
#include "mail/row_keys.hpp"
#include "mail/rows.hpp"

namespace starbus::mail {
namespace {

constexpr std::size_t kIdEnd = 2 + 16;  // of a key: kind, shard, id

class DamageNames {
 public:
  DamageNames(const storage::Snapshot& snapshot, const storage::FileDamage& damage,
              std::size_t most)
      : snapshot_(snapshot), damage_(damage), most_(most) {}

  storage::Result<std::vector<Finding>> run() {
    findings_.push_back({.problem = Problem::damaged_block, .detail = describe()});
    if (damage_.from.empty() || damage_.from >= damage_.to) return std::move(findings_);
    for (const char kind : {kMessageRows, kPostKeyRows, kBoxRows}) {
      // Few mailboxes have them: they are supposed only where a key of one is known.
      const bool known = damage_.from.front() == kind || damage_.to.front() == kind;
      if (kind == kPostKeyRows && !known) continue;
      for (std::size_t shard = 0; shard < kShards; ++shard) {
        if (auto named = name(kind, static_cast<std::uint8_t>(shard)); !named) {
          return named.error();
        }
      }
    }
    return std::move(findings_);
  }

 private:
  std::string describe() const {
    std::string text = damage_.file + ": " + damage_.reason;
    if (damage_.from < damage_.to) {
      text += "; between " + describe_key(damage_.from) + " and " + describe_key(damage_.to);
    }
    return text;
  }

  /// Mailboxes whose rows of this kind lie in what is damaged.
  storage::Result<> name(char kind, std::uint8_t shard) {
    const std::string begin = kind_prefix(kind, shard);
    const std::string end = prefix_end(begin);
    const std::string from = std::max(begin, damage_.from);
    const std::string to = std::min(end, damage_.to);
    if (from >= to) return {};
    // The same ids, of the rows of mailboxes; that of `to` may have some before it.
    const std::string boxes = kind_prefix(kBoxRows, shard);
    RowCursor cursor(snapshot_, boxes + from.substr(2, kIdEnd - 2),
                     to == end ? prefix_end(boxes) : boxes + to.substr(2, kIdEnd - 2) + '\0');
    for (;; cursor.step()) {
      const auto row = cursor.row();
      if (!row) return row.error();
      if (*row == nullptr || findings_.size() > most_) return {};
      name_box(kind, shard, **row, from, to);
    }
  }

  void name_box(char kind, std::uint8_t shard, const ScannedRow& row, const std::string& from,
                const std::string& to) {
    const auto key = read_mail_key(row.key);
    if (!key) return;
    Finding finding{.problem = Problem::damaged_block, .shard = shard, .id = key->id};
    const bool readable = row.damage.code == storage::Errc::ok;
    const auto box = readable ? decode_box(row.value) : std::nullopt;
    if (box) finding.name = box->name;
    if (kind == kBoxRows) {
      if (row.key < from || row.key >= to) return;
      finding.detail = "its row";
    } else if (kind == kPostKeyRows) {
      finding.detail = "idempotency keys, perhaps";
    } else {
      finding.first = std::max(first_of(key->id, from), box ? box->floor + 1 : 1);
      finding.last = std::min(last_of(key->id, to), box ? box->last : kMostNumber);
      if (finding.first > finding.last) return;  // none, or all were erased long ago
    }
    finding.detail += (finding.detail.empty() ? "in " : ", in ") + damage_.file;
    findings_.push_back(std::move(finding));
  }

  /// The lowest number of the mailbox whose key is not before `from`.
  static std::uint64_t first_of(const ChannelId& id, const std::string& from) {
    const bool behind = from.ends_with('\0') && !read_mail_key(from);
    const auto key = read_mail_key(behind ? std::string_view(from).substr(0, from.size() - 1)
                                          : std::string_view(from));
    if (!key || key->id != id) return 1;
    return behind ? key->number + 1 : key->number;
  }
  /// The highest whose key is before `to`.
  static std::uint64_t last_of(const ChannelId& id, const std::string& to) {
    const bool behind = to.ends_with('\0') && !read_mail_key(to);
    const auto key = read_mail_key(behind ? std::string_view(to).substr(0, to.size() - 1)
                                          : std::string_view(to));
    if (!key || key->id != id) return kMostNumber;
    return behind || key->number == 0 ? key->number : key->number - 1;
  }

  const storage::Snapshot& snapshot_;
  const storage::FileDamage& damage_;
  const std::size_t most_;
  std::vector<Finding> findings_;
};

}  // namespace

storage::Result<std::vector<Finding>> name_damage(const storage::Snapshot& snapshot,
                                                  const storage::FileDamage& damage,
                                                  std::size_t most) {
  return DamageNames(snapshot, damage, most).run();
}

}  // namespace starbus::mail
