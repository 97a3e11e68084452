#include "mail/batch/post_keys.hpp"

#include "mail/batch/batch_boxes.hpp"
#include "mail/sweeper.hpp"

namespace starbus::mail {

Result<std::optional<std::uint64_t>> seen_before(const MailState& mail, const MailBatch& batch,
                                                 const std::string& key) {
  std::optional<std::uint64_t> number;
  if (const auto again = batch.keys.find(key); again != batch.keys.end()) {
    number = again->second.number;
    return number;
  }
  const auto stored = mail.store.get(key);
  if (!stored) return refusal_of(stored.error());
  if (!stored->has_value()) return number;
  const auto row = decode_key(**stored);
  if (!row) return Error{Errc::corrupt};
  if (!Sweeper::outlived(*row, mail.shell.wall_ms())) number = row->number;
  return number;
}

}  // namespace starbus::mail
