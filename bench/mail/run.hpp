// One row of the benchmark, once, on one system: a cluster of its own, load processes around it,
// and what they have measured.
#pragma once

#include <string>
#include <vector>

#include "bench/harness/figures.hpp"
#include "bench/mail/cluster.hpp"
#include "bench/mail/options.hpp"

namespace starbus::bench::mail {

struct Row {
  std::string name;
  std::string about;
  std::vector<std::string> metrics;  // in this order in the table
  std::vector<std::string> systems;  // that can do it
  Result<Metrics> (*run)(const Row& row, const std::string& system, const Options& options);
  std::uint64_t mailboxes = 1;
  int posters = 1;
  std::string beside = {};  // the role that works beside the posts
  bool reader = false;      // beside it messages are read, and not only posted
};

std::vector<Row> rows_of(const Options& options);
std::vector<Row> matching_rows(const std::vector<Row>& rows, const std::string& glob);

}  // namespace starbus::bench::mail
