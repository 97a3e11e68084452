#include "nodes/hosting/mail/mail_body.hpp"

#include "entity/rpc/limits.hpp"

namespace starbus::nodes::entities {
namespace {

constexpr std::uint8_t kMailForm = 1;
constexpr std::uint8_t kOnlyPresent = 1;  // the only flag
constexpr std::size_t kLongestMethod = 2 * entity::rpc::kMaxPart + 1;

}  // namespace

void put_mail_head(entity::Encoder& out, const MailHead& head) {
  out.byte(kMailForm);
  out.text(head.method);
  out.varint(head.signature);
  out.varint(head.valid_until);
  out.byte(head.only_present ? kOnlyPresent : 0);
}

MailHead get_mail_head(entity::Decoder& in) {
  MailHead head;
  if (in.byte() != kMailForm) in.fail(entity::DataErrc::malformed);
  head.method = in.text();
  head.signature = in.varint();
  head.valid_until = in.varint();
  const std::uint8_t flags = in.byte();
  if (flags > kOnlyPresent || head.method.empty() || head.method.size() > kLongestMethod) {
    in.fail(entity::DataErrc::malformed);
  }
  head.only_present = flags == kOnlyPresent;
  return head;
}

}  // namespace starbus::nodes::entities
