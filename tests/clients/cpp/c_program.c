/* A program in C11: logs in, asks, leaves. The test of its caller gives the gate. */
#include <stdio.h>
#include <string.h>

#include "clients/cpp/starbus_client.h"

struct player {
  starbus_client* client;
  int calls;
  int answers;
  int ended;
  char subject[64];
  char answer[64];
};

static void on_told(void* user, uint64_t u, int fate, const uint8_t* answer, size_t size) {
  struct player* player = user;
  if (u == 1 && fate == STARBUS_REPLIED && size < sizeof player->answer) {
    memcpy(player->answer, answer, size);
    ++player->answers;
  }
  starbus_client_bye(player->client);
}
static void on_full(void* user, const starbus_full* full) {
  struct player* player = user;
  snprintf(player->subject, sizeof player->subject, "%s", full->subject);
  if (starbus_client_ask(player->client, "buy", 3, on_told, player) != STARBUS_OK)
    player->ended = -1;
}
static void on_call(void* user, uint32_t method, uint32_t types, const uint8_t* arguments,
                    size_t size) {
  struct player* player = user;
  (void)method;
  (void)types;
  if (size == 3 && (memcmp(arguments, "one", 3) == 0 || memcmp(arguments, "two", 3) == 0)) {
    ++player->calls;
  }
}
static void on_ended(void* user, int reason, const char* text) {
  struct player* player = user;
  (void)text;
  player->ended = reason;
}

/* 0: as it should be; else the number of what is not. `serve` lets the gate work. */
int c_program(const char* address, void (*serve)(void*), void* gate);
int c_program(const char* address, void (*serve)(void*), void* gate) {
  struct player player = {0};
  starbus_client_events events = {.size = sizeof events, .user = &player};
  events.full = on_full;
  events.call = on_call;
  events.ended = on_ended;
  starbus_client_options options = {.size = sizeof options, .seed = 3};
  char why[128] = "";
  if (starbus_client_new(&options, &events, why, sizeof why) != NULL || why[0] == 0) return 1;
  options.addresses = &address;
  options.address_count = 1;
  player.client = starbus_client_new(&options, &events, why, sizeof why);
  if (player.client == NULL) return 2;
  if (starbus_client_ask(player.client, "x", 1, NULL, NULL) != STARBUS_NO_SUBJECT) return 3;
  if (starbus_client_call(player.client, "shop.buy", "(i32)->bool", "\2", 1, NULL, NULL) !=
      STARBUS_NO_SUBJECT) {
    return 3;
  }
  if (starbus_client_due_in(player.client) != -1 || starbus_client_fd(player.client) != -1)
    return 4;
  if (starbus_client_login(player.client, "password", "anna", "ssssss", 6) != STARBUS_OK) return 5;
  for (int turn = 0; turn < 10000 && player.ended == 0; ++turn) {
    serve(gate);
    starbus_client_poll(player.client, 1);
  }
  const int state = starbus_client_state(player.client);
  const int64_t server_time = starbus_client_server_time(player.client);
  starbus_client_free(player.client);
  if (player.ended != STARBUS_BYE || state != STARBUS_ENDED) return 6;
  if (strcmp(starbus_client_reason_name(player.ended), "bye") != 0) return 7;
  if (player.calls != 2 || player.answers != 1 || strcmp(player.answer, "buy") != 0) return 8;
  if (strcmp(player.subject, "player/7") != 0 || server_time == 0) return 9;
  starbus_tls_options trust = {.size = sizeof trust, .ca_file = "/nowhere.pem"};
  if (starbus_tls_new(&trust, why, sizeof why) != NULL) return 10;
  return 0;
}
