#include "clients/cpp/starbus_client.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "clients/cpp/calls.hpp"
#include "clients/cpp/client.hpp"

namespace game = starbus::game;

namespace {

const std::uint8_t* data_of(game::ByteView bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}
game::ByteView view_of(const void* data, std::size_t size) {
  return {static_cast<const std::byte*>(data), data == nullptr ? 0 : size};
}
std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}
void explain(const std::string& text, char* why, std::size_t size) {
  if (why == nullptr || size == 0) return;
  const std::size_t copied = std::min(text.size(), size - 1);
  std::memcpy(why, text.data(), copied);
  why[copied] = 0;
}

/// Hands the events of a client to functions of C.
class EventsOfC : public game::Events {
 public:
  explicit EventsOfC(const starbus_client_events& to) : to_(to) {}
  void on_waiting(const game::Waiting& w) override {
    if (to_.waiting) to_.waiting(to_.user, static_cast<int>(w.what), w.ahead, w.seconds);
  }
  void on_online(bool goes_on, const game::Ticket&) override {
    if (to_.online) to_.online(to_.user, goes_on ? 1 : 0);
  }
  void on_lost(const game::Lost& lost) override {
    if (!to_.lost) return;
    const int reason = lost.reason ? static_cast<int>(*lost.reason) : 0;
    to_.lost(to_.user, lost.was_online ? 1 : 0, reason, std::string(lost.text).c_str(),
             lost.again_in.count());
  }
  void on_full(const game::FullState& full) override {
    if (!to_.full) return;
    std::vector<const char*> groups;
    for (const std::string& group : full.groups) groups.push_back(group.c_str());
    const starbus_full state{full.subject.c_str(),  full.bind.epoch, full.bind.counter,
                             groups.data(),         groups.size(),   data_of(full.properties),
                             full.properties.size()};
    to_.full(to_.user, &state);
  }
  void on_call(const game::Call& call) override {
    if (!to_.call) return;
    to_.call(to_.user, call.method, call.types, data_of(call.arguments), call.arguments.size());
  }
  void on_news(game::ByteView news) override {
    if (to_.news) to_.news(to_.user, data_of(news), news.size());
  }
  void on_sight(game::ByteView body) override {
    if (to_.sight) to_.sight(to_.user, data_of(body), body.size());
  }
  void on_spoken(const game::Spoken& spoken) override {
    if (!to_.spoken) return;
    to_.spoken(to_.user, spoken.group.c_str(), data_of(spoken.body), spoken.body.size());
  }
  void on_over(const game::Over& over) override {
    if (to_.over) to_.over(to_.user, static_cast<int>(over.reason));
  }
  void on_ended(game::EndReason reason, std::string_view text) override {
    if (to_.ended) to_.ended(to_.user, static_cast<int>(reason), std::string(text).c_str());
  }

 private:
  starbus_client_events to_;
};

/// What a caller of an older header has filled; the rest is zero.
template <class T>
T whole(const T* given) {
  T options{};
  if (given != nullptr) std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

}  // namespace

struct starbus_tls {
  std::shared_ptr<const game::Tls> tls;
};
struct starbus_client {
  starbus_client(game::Options options, const starbus_client_events& to)
      : events(to), client(std::move(options), events) {}
  EventsOfC events;
  game::Client client;
};

starbus_tls* starbus_tls_new(const starbus_tls_options* given, char* why,
                             size_t why_size) noexcept {
  const starbus_tls_options from = whole(given);
  game::TlsOptions options{
      text_or(from.ca_file, ""), text_or(from.name, ""), {}, from.pins_alone != 0};
  for (std::size_t i = 0; i < from.pin_count; ++i) options.pins.emplace_back(from.pins[i]);
  std::string text;
  auto tls = game::Tls::make(options, text);
  if (!tls) return explain(text, why, why_size), nullptr;
  return new starbus_tls{std::move(tls)};
}

void starbus_tls_free(starbus_tls* tls) noexcept {
  delete tls;
}

starbus_client* starbus_client_new(const starbus_client_options* given,
                                   const starbus_client_events* events, char* why,
                                   size_t why_size) noexcept {
  const starbus_client_options from = whole(given);
  game::Options options;
  for (std::size_t i = 0; i < from.address_count; ++i) {
    options.settings.addresses.emplace_back(from.addresses[i]);
  }
  if (options.settings.addresses.empty()) {
    return explain("addresses: none, give host:port of a gate", why, why_size), nullptr;
  }
  options.settings.program = text_or(from.program, "starbus");
  options.settings.schema = from.schema;
  options.settings.seed = from.seed;
  if (from.tls != nullptr) options.tls = from.tls->tls;
  return new starbus_client(std::move(options), whole(events));
}

void starbus_client_free(starbus_client* client) noexcept {
  delete client;
}

int starbus_client_login(starbus_client* client, const char* method, const char* account,
                         const void* proof, size_t proof_size) noexcept {
  const game::ByteView bytes = view_of(proof, proof_size);
  const bool taken = client->client.login(
      {text_or(method, ""), text_or(account, ""), {bytes.begin(), bytes.end()}});
  return taken ? STARBUS_OK : STARBUS_TOO_LARGE;
}

int starbus_client_ask(starbus_client* client, const void* body, size_t size, starbus_told told,
                       void* user) noexcept {
  const auto asked = client->client.ask(view_of(body, size), [told, user](const auto& outcome) {
    if (told == nullptr) return;
    told(user, outcome.u, static_cast<int>(outcome.fate), data_of(outcome.answer),
         outcome.answer.size());
  });
  return static_cast<int>(asked);
}

int starbus_client_call(starbus_client* client, const char* method, const char* types,
                        const void* arguments, size_t size, starbus_told told,
                        void* user) noexcept {
  const game::Bytes body =
      game::call_body(game::hash_of(text_or(method, "")), game::hash_of(text_or(types, "")),
                      view_of(arguments, size));
  return starbus_client_ask(client, body.data(), body.size(), told, user);
}

void starbus_client_bye(starbus_client* client) noexcept {
  client->client.bye();
}
void starbus_client_poll(starbus_client* client, int milliseconds) noexcept {
  client->client.poll(game::milliseconds(milliseconds));
}
void starbus_client_service(starbus_client* client) noexcept {
  client->client.service();
}
int starbus_client_fd(const starbus_client* client) noexcept {
  return client->client.fd();
}
int starbus_client_wants_write(const starbus_client* client) noexcept {
  return client->client.wants_write() ? 1 : 0;
}
int64_t starbus_client_due_in(const starbus_client* client) noexcept {
  const game::Time due = client->client.deadline();
  if (due == game::Time::max()) return -1;
  return std::max<std::int64_t>((due - game::Client::now()).count(), 0);
}
int starbus_client_state(const starbus_client* client) noexcept {
  return static_cast<int>(client->client.state());
}
int64_t starbus_client_server_time(const starbus_client* client) noexcept {
  return client->client.server_time().value_or(game::milliseconds(0)).count();
}
int64_t starbus_client_round_trip(const starbus_client* client) noexcept {
  return client->client.session().clock().round_trip().value_or(game::milliseconds(-1)).count();
}
const char* starbus_client_trouble(const starbus_client* client) noexcept {
  return client->client.trouble().c_str();
}
const char* starbus_client_reason_name(int reason) noexcept {
  const bool known =
      (reason >= 1 && reason <= 18) || reason == STARBUS_UNREACHABLE || reason == STARBUS_BYE;
  return known ? game::name_of(static_cast<game::EndReason>(reason)).data() : "?";
}
