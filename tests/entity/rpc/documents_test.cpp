// docs/guide/rpc.md says what the headers say.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "entity/rpc/error.hpp"
#include "entity/rpc/limits.hpp"
#include "tests/places.hpp"

namespace starbus::entity::rpc {
namespace {

std::string page() {
  std::ifstream file(source_file("docs/guide/rpc.md"));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(RpcDocument, HasEveryLimit) {
  const std::string text = page();
  for (const LimitInfo& limit : rpc_limits()) {
    std::ostringstream row;
    row << "| `" << limit.name << "` | " << limit.value << " " << limit.unit << " | "
        << limit.reason << " | " << limit.when_reached << " |";
    EXPECT_THAT(text, ::testing::HasSubstr(row.str()));
  }
}

TEST(RpcDocument, HasEveryErrorOfACall) {
  const std::string text = page();
  for (const ErrorRow& row : error_rows()) {
    if (row.code == Errc::duplicate || row.code == Errc::too_many_components) continue;
    EXPECT_THAT(text, ::testing::HasSubstr("| `" + std::string(row.name) + "` |"));
  }
}

}  // namespace
}  // namespace starbus::entity::rpc
