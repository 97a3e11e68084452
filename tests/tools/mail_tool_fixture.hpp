// A store of mail in a folder, and starbus-mail run on it.
#pragma once

#include <fcntl.h>
#include <sys/file.h>

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/base64.hpp"
#include "base/file_descriptor.hpp"
#include "mail/dead_letters.hpp"
#include "mail/repair/backup.hpp"
#include "mail/repair/check.hpp"
#include "mail/repair/inspect.hpp"
#include "mail/row_keys.hpp"
#include "mail/shards/shard_row.hpp"
#include "tests/mail/filled_store.hpp"
#include "tools/mail/cli.hpp"
#include "tools/mail/export_format.hpp"

namespace starbus::mail_tool::test {

namespace fs = std::filesystem;
using mail::test::body_of;
using mail::test::FilledStore;
using nlohmann::json;
using storage::test::content_of;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};
inline Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_mail_tool(arguments, {out, err, "http://127.0.0.1:1"});
  return {code, out.str(), err.str()};
}

class MailTool : public testing::Test {
 protected:
  MailTool() {
    for (int i = 0; i < 20; ++i) filled_.fill("player/" + std::to_string(i), 2, 9);
    filled_.close();
  }
  /// On the store of this test.
  Ran tool(std::vector<std::string> arguments) {
    filled_.close();
    arguments.insert(arguments.end(), {"--directory", filled_.path()});
    return run(arguments);
  }
  fs::path path(const std::string& name) const { return filled_.folder() / name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  static std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  storage::test::Content content() {
    filled_.open();
    auto content = content_of(filled_.store());
    filled_.close();
    return content;
  }
  void expect_clean() {
    filled_.open();
    const auto report = mail::check_store(*filled_.snapshot());
    ASSERT_TRUE(report);
    for (const auto& finding : report->findings) {
      EXPECT_TRUE(mail::is_note(finding.problem)) << finding.to_string();
    }
    filled_.close();
  }
  /// Message rows of a mailbox, with numbers from its row.
  std::map<std::uint64_t, std::string> messages(const std::string& name) {
    filled_.open();
    const auto snapshot = filled_.snapshot();
    const auto box = mail::find_box(*snapshot, name);
    std::map<std::uint64_t, std::string> found;
    if (box && *box) {
      const auto page = mail::peek(*snapshot, **box, 0, 1'000);
      for (const auto& message : page->messages) {
        found[message.number] = message.trouble.empty() ? message.body : message.trouble;
      }
    }
    filled_.close();
    return found;
  }

  FilledStore filled_;
};

}  // namespace starbus::mail_tool::test
