/* The client of a game in C: what clients/cpp/client.hpp has, for programs and engines that speak C
 * (C11), or load a library. docs/guide/game-client.md shows a whole program.
 *
 * A client belongs to one thread, the one that calls starbus_client_poll() or _service(): callbacks
 * come from within these and within login and bye. Pointers that a callback gets are good until it
 * returns. A callback may call anything but starbus_client_free, _poll and _service. Nothing throws
 * into the caller; when memory runs out the process ends. */
#ifndef STARBUS_CLIENT_H
#define STARBUS_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define STARBUS_NOEXCEPT noexcept
extern "C" {
#else
#define STARBUS_NOEXCEPT
#endif

typedef struct starbus_client starbus_client;
/* Whom clients trust: shared by any number of clients and threads. */
typedef struct starbus_tls starbus_tls;

/* Set `size` to sizeof of the type, and the rest to zero: fields may be added at the end. */
typedef struct starbus_tls_options {
  size_t size;
  const char* ca_file;     /* PEM; NULL: the authorities of the system */
  const char* name;        /* that the certificate must have; NULL: the host of the address */
  const char* const* pins; /* SHA-256 of public keys, 64 hexadecimal digits each */
  size_t pin_count;
  int pins_alone; /* not 0: neither authority nor name are checked, the pins count */
} starbus_tls_options;

typedef struct starbus_client_options {
  size_t size;
  const char* const* addresses; /* of gates, host:port */
  size_t address_count;
  const starbus_tls* tls; /* NULL: in the clear */
  const char* program;    /* name and version, for logs; at most 64 bytes; NULL: "starbus" */
  uint64_t schema;        /* hash of the schema that the program was written from; 0: none */
  uint64_t seed;          /* of pauses; 0: one is drawn */
} starbus_client_options;

/* Where a session stands. */
enum {
  STARBUS_ENDED = 0,
  STARBUS_CONNECTING = 1,
  STARBUS_GREETING = 2,
  STARBUS_WAITING = 3,
  STARBUS_ONLINE = 4,
  STARBUS_AWAY = 5
};
/* What has become of a request. */
enum {
  STARBUS_REPLIED = 1,
  STARBUS_REPLY_LOST = 2, /* begun, and its reply is gone */
  STARBUS_NOT_BEGUN = 3,  /* ask again, or not */
  STARBUS_UNKNOWN = 4
};
/* What functions return. */
enum {
  STARBUS_OK = 0,
  STARBUS_NO_SUBJECT = 1, /* no full state yet, or the stretch is over */
  STARBUS_TOO_MANY = 2,   /* 64 requests have no fate yet */
  STARBUS_TOO_LARGE = 3,
  STARBUS_DIFFERS = 4 /* not of clients in C, which have no table of names */
};
/* Why a session has ended, beside the close reasons of docs/reference/client-protocol.md. */
enum { STARBUS_UNREACHABLE = 100, STARBUS_BYE = 101 };

typedef struct starbus_full {
  const char* subject; /* ends with a zero */
  uint64_t bind_epoch;
  uint64_t bind_counter;
  const char* const* groups;
  size_t group_count;
  const uint8_t* properties;
  size_t properties_size;
} starbus_full;

/* NULL: not of interest. */
typedef struct starbus_client_events {
  size_t size;
  void* user; /* given to each */
  /* what: 1 place in the queue, 2 account, 3 subject, 4 another gate */
  void (*waiting)(void* user, int what, uint64_t ahead, uint32_t seconds);
  void (*online)(void* user, int goes_on);
  /* reason: of the gate; 0: the connection broke. The next attempt is in so many milliseconds. */
  void (*lost)(void* user, int was_online, int reason, const char* text, int64_t again_in);
  void (*full)(void* user, const starbus_full* full);
  void (*call)(void* user, uint32_t method, uint32_t types, const uint8_t* arguments, size_t size);
  void (*news)(void* user, const uint8_t* changes, size_t size);
  void (*spoken)(void* user, const char* group, const uint8_t* body, size_t size);
  void (*over)(void* user, int reason);
  void (*ended)(void* user, int reason, const char* text);
  /* Of the space around the subject: docs/reference/client-protocol.md has the bytes. */
  void (*sight)(void* user, const uint8_t* body, size_t size);
} starbus_client_events;

/* Called once for each request, unless its client is freed before. */
typedef void (*starbus_told)(void* user, uint64_t u, int fate, const uint8_t* answer, size_t size);

/* NULL if the options are not right; then `why` has a text that ends with a zero. */
starbus_tls* starbus_tls_new(const starbus_tls_options* options, char* why,
                             size_t why_size) STARBUS_NOEXCEPT;
/* Clients that use it go on. */
void starbus_tls_free(starbus_tls* tls) STARBUS_NOEXCEPT;

/* NULL as above. The events are copied. */
starbus_client* starbus_client_new(const starbus_client_options* options,
                                   const starbus_client_events* events, char* why,
                                   size_t why_size) STARBUS_NOEXCEPT;
void starbus_client_free(starbus_client* client) STARBUS_NOEXCEPT;

/* STARBUS_OK, or STARBUS_TOO_LARGE if a text or the proof is too long, or a text is not UTF-8. A
 * session before it ends. */
int starbus_client_login(starbus_client* client, const char* method, const char* account,
                         const void* proof, size_t proof_size) STARBUS_NOEXCEPT;
/* The body is a call as docs/guide/rpc.md has it, section "Bytes", and so is the answer.
 * STARBUS_OK, or why it was not taken: then `told`, which may be NULL, is not called. */
int starbus_client_ask(starbus_client* client, const void* body, size_t size, starbus_told told,
                       void* user) STARBUS_NOEXCEPT;
/* The same with the head of the call: method "class.method", types "(str,i32)->b". */
int starbus_client_call(starbus_client* client, const char* method, const char* types,
                        const void* arguments, size_t size, starbus_told told,
                        void* user) STARBUS_NOEXCEPT;
/* Leaves: `ended` follows. */
void starbus_client_bye(starbus_client* client) STARBUS_NOEXCEPT;

/* Waits until something comes or is due, at most so long, and does it. */
void starbus_client_poll(starbus_client* client, int milliseconds) STARBUS_NOEXCEPT;
/* Does what is due, without waiting. */
void starbus_client_service(starbus_client* client) STARBUS_NOEXCEPT;
/* The socket to wait for, level-triggered; -1: none. It may change with each service. */
int starbus_client_fd(const starbus_client* client) STARBUS_NOEXCEPT;
/* Not 0: wait until it is writable, too. */
int starbus_client_wants_write(const starbus_client* client) STARBUS_NOEXCEPT;
/* Milliseconds until service must be called at the latest; -1: never. */
int64_t starbus_client_due_in(const starbus_client* client) STARBUS_NOEXCEPT;

int starbus_client_state(const starbus_client* client) STARBUS_NOEXCEPT;
/* Milliseconds since 1970 at the gate; 0: not known. */
int64_t starbus_client_server_time(const starbus_client* client) STARBUS_NOEXCEPT;
/* Milliseconds; -1: not known. */
int64_t starbus_client_round_trip(const starbus_client* client) STARBUS_NOEXCEPT;
/* Why the last connection was not made, or was lost; good until the next call. */
const char* starbus_client_trouble(const starbus_client* client) STARBUS_NOEXCEPT;
/* The name of a close reason, STARBUS_UNREACHABLE or STARBUS_BYE; "?" for others. */
const char* starbus_client_reason_name(int reason) STARBUS_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
