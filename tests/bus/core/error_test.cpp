/// The catalogue: its numbers travel on the wire, so they are pinned here.
#include "bus/core/error.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace starbus::bus {
namespace {

TEST(ErrorCatalogue, HasStableNumbers) {
  const std::map<std::uint16_t, std::string_view> pinned = {{1, "no_owner"},
                                                            {2, "owner_lost"},
                                                            {3, "denied"},
                                                            {4, "deadline"},
                                                            {5, "expired"},
                                                            {6, "would_block"},
                                                            {7, "too_large"},
                                                            {8, "bad_name"},
                                                            {9, "already_bound"},
                                                            {10, "not_bound"},
                                                            {11, "too_many_names"},
                                                            {12, "closed"},
                                                            {13, "no_handler"},
                                                            {14, "handler_failed"},
                                                            {15, "group_too_large"},
                                                            {16, "watch_too_large"},
                                                            {17, "too_many_watches"},
                                                            {18, "lease_lost"},
                                                            {19, "name_taken"},
                                                            {20, "version_mismatch"},
                                                            {21, "bad_bytes"},
                                                            {22, "unauthorized"},
                                                            {23, "too_many_processes"},
                                                            {24, "unreachable"},
                                                            {25, "bad_config"},
                                                            {26, "io_error"},
                                                            {27, "shutting_down"},
                                                            {28, "superseded"},
                                                            {29, "overloaded"},
                                                            {30, "silent"},
                                                            {31, "busy"},
                                                            {32, "move_refused"},
                                                            {33, "rolled_back"},
                                                            {34, "store_full"},
                                                            {35, "mailbox_full"},
                                                            {36, "corrupt"},
                                                            {37, "cursor_ahead"}};
  for (const auto& [number, name] : pinned) {
    EXPECT_EQ(name_of(static_cast<Errc>(number)), name) << "never reuse or rename a number";
  }
  EXPECT_EQ(kErrors.errors.size(), pinned.size()) << "pin the number of a new error here";
}

TEST(ErrorCatalogue, IsUniqueAndInOrder) {
  std::set<std::string_view> names;
  std::uint16_t previous = 0;
  for (const ErrorInfo& info : kErrors.errors) {
    const std::uint16_t number = info.number;
    EXPECT_GT(number, previous);
    previous = number;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.meaning.empty());
    EXPECT_FALSE(info.cure.empty());
    EXPECT_TRUE(known_error(number));
  }
  EXPECT_FALSE(known_error(0));
  EXPECT_FALSE(known_error(38));
  EXPECT_FALSE(known_error(9999));
}

TEST(Errors, AreText) {
  EXPECT_EQ(name_of(Errc::ok), "ok");
  EXPECT_EQ(name_of(static_cast<Errc>(9999)), "unknown");
  EXPECT_EQ(Error(Errc::no_owner).to_string(), "no_owner");
  EXPECT_EQ(Error(Errc::already_bound, "a.b owns it").to_string(), "already_bound: a.b owns it");
}

TEST(Results, ThrowWhenAFailureIsReadAsAValue) {
  const Result<int> failed = Error{Errc::closed};
  EXPECT_THROW(failed.value(), BadResult);
  EXPECT_EQ(failed.error(), Errc::closed);
}

}  // namespace
}  // namespace starbus::bus
