/// What players type, and what operators, databases and servers of accounts say: addresses, names
/// of accounts and characters, stored hashes, urls, answers.
#include <string>

#include "nodes/login/core/address.hpp"
#include "nodes/login/passwords/account_name.hpp"
#include "nodes/login/passwords/password_hash.hpp"
#include "nodes/login/verify/http_mapping.hpp"
#include "nodes/players/character_name.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace {

using namespace starbus::nodes::login;
using starbus::bus::require;

void take_names(std::string_view text) {
  if (const auto network = parse_network(text)) {
    require(parse_network(to_text(*network)).value() == *network);
  }
  if (const auto name = normalised_name(text)) require(normalised_name(*name).value() == *name);
  static_cast<void>(cost_of(text));
  if (const auto url = parse_url(std::string(text))) require(!url->host.empty());
}

void take_character(std::string_view text) {
  using starbus::nodes::players::is_character_name;
  using starbus::nodes::players::kCharacterName;
  if (!is_character_name(text)) return;
  require(!text.empty() && text.size() <= kCharacterName && starbus::bus::is_utf8(text));
  for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  // It stays one as long as it is not too long, and cut within a letter it is none.
  require(is_character_name(std::string(text) + "x") == (text.size() < kCharacterName));
  const bool within = (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80;
  require(!within || !is_character_name(text.substr(0, text.size() - 1)));
  require(!is_character_name(std::string(text.substr(1)) + '\n'));
}

void take_answer(std::string_view text) {
  static const HttpMapping mapping{.url = "http://h/?t={ticket_url}",
                                   .headers = {{"Authorization", "Bearer {ticket}"}},
                                   .account = "a.id",
                                   .prefix = "x:",
                                   .required = {{"ok", "1"}}};
  const Verdict verdict = verdict_of(mapping, {200, std::string(text)});
  if (verdict.kind == Verdict::Kind::right) {
    require(verdict.account.starts_with("x:") && verdict.account.size() > 2);
    for (const char c : verdict.account) require(c > ' ' && c < 0x7f && c != '/');
  }
  const auto question =
      question_of(mapping, parse_url(mapping.url).value(), starbus::bus::as_bytes(text));
  if (!question) return;
  for (const char c : question->target) require(c > ' ' && c < 0x7f);
  for (const char c : question->headers.front().second) require(c >= ' ' && c < 0x7f);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = starbus::bus::as_text(starbus::bus::fuzz_input(data, size));
  take_names(text);
  take_character(text);
  take_answer(text);
  return 0;
}
