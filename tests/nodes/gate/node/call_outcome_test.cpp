// What the core of a gate learns of calls that failed.
#include "nodes/gate/node/call_outcome.hpp"

#include <gtest/gtest.h>

#include "entity/rpc/error.hpp"

namespace starbus::nodes::gate {
namespace {

namespace rpc = entity::rpc;

template <class E>
void expect_owner_lost_where_it_may_have_run(const ErrorDomain& domain) {
  for (const ErrorInfo& row : domain.errors) {
    if (row.retry != Retry::unknown) continue;
    EXPECT_EQ(outcome_of(Error(static_cast<E>(row.number))), Outcome::owner_lost) << row.name;
  }
}

TEST(CallOutcome, WhatMayHaveRunIsNeverSaidNotToHave) {
  expect_owner_lost_where_it_may_have_run<bus::Errc>(bus::kErrors);
  expect_owner_lost_where_it_may_have_run<rpc::Errc>(rpc::kErrors);
  // The method ran, or may have: its own error, and an answer that is too large or malformed.
  for (const auto code : {rpc::Errc::refused, rpc::Errc::too_large, rpc::Errc::bad_bytes}) {
    EXPECT_EQ(outcome_of(Error(code)), Outcome::owner_lost) << name_of(code);
  }
  EXPECT_EQ(outcome_of(Error(bus::Errc::lease_lost)), Outcome::owner_lost);
  EXPECT_EQ(outcome_of(Error(Code(999, 1))), Outcome::owner_lost);  // of a newer build
}

TEST(CallOutcome, WhatWasNotHandledIsSaidSo) {
  EXPECT_EQ(outcome_of(Error(bus::Errc::no_owner)), Outcome::no_owner);
  EXPECT_EQ(outcome_of(Error(rpc::Errc::no_such_entity)), Outcome::no_owner);
  for (const Code code :
       {Code(bus::Errc::denied), Code(bus::Errc::would_block), Code(bus::Errc::no_handler),
        Code(rpc::Errc::not_permitted), Code(rpc::Errc::would_block)}) {
    EXPECT_EQ(outcome_of(Error(code)), Outcome::refused) << name_of(code);
  }
}

}  // namespace
}  // namespace starbus::nodes::gate
