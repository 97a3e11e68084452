// Google Benchmark's registered functions as a suite: each one is a case.
#pragma once

#include <string>

namespace starbus::bench {

// The main function of such a program. Rows: the processor time of an iteration, ns, by the
// function's name, and its counters.
int micro_main(int argc, char** argv, const std::string& suite, const std::string& about);

}  // namespace starbus::bench
