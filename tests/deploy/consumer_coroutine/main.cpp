#include "waits.hpp"

Task count_in_source(int& seen) {
  const bool there = co_await Ready{};
  if (there) ++seen;
}

int main() {
  int seen = 0;
  count_in_header(seen);
  count_in_source(seen);
  return seen == 2 ? 0 : 1;
}
