#include "tests/cluster/crash_points/mail_account.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starbus::cluster_test {
namespace {

constexpr std::size_t kLargeOne = 3;

/// Of a body, which begins with it.
std::optional<std::size_t> post_of(std::string_view name, std::string_view body) {
  if (!body.starts_with(name) || body.size() <= name.size()) return std::nullopt;
  return std::stoul(std::string(body.substr(name.size() + 1, 8)));
}

}  // namespace

MailAccount::Next MailAccount::next() {
  Next next{.post = posts_.size()};
  next.body = plan_.name + ":" + std::to_string(next.post) + ":";
  const std::size_t size = next.post == kLargeOne ? std::max(plan_.size, plan_.large) : plan_.size;
  if (next.body.size() < size) next.body.resize(size, static_cast<char>('a' + next.post % 26));
  if (plan_.keyed) next.key = "key-" + std::to_string(next.post / 2);
  posts_.push_back({next.body, next.key});
  return next;
}

std::size_t MailAccount::first_with_key_of(std::size_t post) const {
  return plan_.keyed ? post - post % 2 : post;
}

void MailAccount::end(std::size_t post, const bus::Result<std::uint64_t>& result) {
  ++ended_;
  EXPECT_FALSE(posts_[post].result) << name() << ": a post that ended twice";
  posts_[post].result = result;
  if (!result) {
    const bool refused = plan_.may_be_full && result.error() == bus::Errc::mailbox_full;
    const bool expired = plan_.ttl.count() > 0 && result.error() == bus::Errc::expired;
    EXPECT_TRUE(refused || expired) << name() << " " << post << ": " << result.error().to_string();
    return;
  }
  const std::size_t first = first_with_key_of(post);
  const auto [told, fresh] = told_.emplace(*result, first);
  EXPECT_EQ(told->second, first) << name() << ": number " << *result << " given twice";
}

void MailAccount::save(const bus::Mail& mail) {
  EXPECT_FALSE(mail.damaged) << name() << " " << mail.number;
  EXPECT_GT(mail.number, cursor_) << name() << ": read again";
  if (!plan_.log) {
    EXPECT_EQ(mail.number, cursor_ + 1) << name() << ": skipped";
  }
  expect_as_told(mail);
  cursor_ = mail.number;
  read_[mail.number] = mail.text();
}

void MailAccount::expect_as_told(const bus::Mail& mail) const {
  const auto post = post_of(name(), mail.text());
  const bool known = post && *post < posts_.size() && posts_[*post].body == mail.text();
  EXPECT_TRUE(known) << name() << " " << mail.number << ": a body that nobody posted";
  const auto told = told_.find(mail.number);
  if (told != told_.end()) {
    EXPECT_EQ(posts_[told->second].body, mail.text()) << name() << " " << mail.number;
  }
  const auto before = read_.find(mail.number);
  if (before != read_.end()) {
    EXPECT_EQ(before->second, mail.text()) << name() << " " << mail.number;
  }
}

std::string MailAccount::state() const {
  return name() + ": " + std::to_string(posts_.size()) + " of " + std::to_string(plan_.count) +
         " posted, " + std::to_string(ended_) + " ended, the last told " + std::to_string(last()) +
         ", cursor " + std::to_string(cursor_);
}

void MailAccount::verify() const {
  EXPECT_TRUE(ended()) << name();
  // As they were read: in the order in which they were posted, so none of them twice.
  std::optional<std::size_t> before;
  for (const auto& [number, body] : read_) {
    const auto post = post_of(name(), body);
    ASSERT_TRUE(post) << name() << " " << number;
    if (before) {
      EXPECT_GT(*post, *before) << name() << " " << number << ": order, or twice";
    }
    before = post;
    EXPECT_EQ(*post, first_with_key_of(*post)) << name() << ": stored twice under one key";
    const auto& result = posts_[*post].result;
    const bool refused = result && !*result && result->error() != bus::Errc::expired;
    EXPECT_FALSE(refused) << name() << " " << number << ": stored although refused";
  }
  // As they were told: under that number, unless that is not to be read any more.
  for (const auto& [number, post] : told_) {
    const auto found = read_.find(number);
    if (found == read_.end()) {
      const bool gone = plan_.log || (!read_.empty() && number < read_.begin()->first);
      EXPECT_TRUE(gone) << name() << " " << number << ": acknowledged and not there";
    } else {
      EXPECT_EQ(found->second, posts_[post].body) << name() << " " << number;
    }
  }
  if (!plan_.log) {
    EXPECT_EQ(cursor_, last()) << name() << ": more than was told";
  }
  const bool certain = !plan_.may_be_full && plan_.ttl.count() == 0;
  if (certain) {
    EXPECT_EQ(last(), plan_.keyed ? plan_.count / 2 : plan_.count) << name();
  }
}

}  // namespace starbus::cluster_test
