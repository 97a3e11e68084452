// Shop: the server of accounts of a benchmark's cluster. It believes everybody: GET /?ticket=NAME
// is answered with {"account": "NAME"}. So thousands log in without the hashes of their passwords,
// which would be most of the time.
#pragma once

namespace starbus::bench::gate {

// Prints "ready" when it listens; until its input ends. The exit code.
int run_shop(int port);

}  // namespace starbus::bench::gate
