/// Mail for entities as a poster writes it: the head, then arguments, here those of a letter.
#include "entity/archive/archive.hpp"
#include "nodes/hosting/mail/mail_body.hpp"
#include "nodes/hosting/mail/postbox.hpp"
#include "tests/fuzz/fuzz_target.hpp"

using namespace starbus;
namespace entities = nodes::entities;

/// What is understood is written as the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bus::ByteView input = bus::fuzz_input(data, size);
  entity::Decoder in(input);
  const entities::MailHead head = entities::get_mail_head(in);
  if (!in.ok()) return 0;
  bus::Bytes again;
  entity::Encoder out(again);
  entities::put_mail_head(out, head);
  bus::require(out.ok() && again.size() == input.size() - in.left());
  bus::require(std::equal(again.begin(), again.end(), input.begin()));
  entities::Letter letter;
  entity::get_value(in, letter);
  static_cast<void>(in.finish());
  return 0;
}
