// examples/mail, as its first lines say: what is posted takes effect once, whatever is killed.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

class MailExampleTest : public ::testing::Test {
 protected:
  std::unique_ptr<Child> mail(const std::string& host, const std::vector<std::string>& arguments,
                              const std::string& log) {
    std::vector<std::string> command{"/usr/bin/env", "STARBUS_BUSD=" + cluster.endpoint(host),
                                     program("mail")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return cluster.run(command, log);
  }
  void post(const std::string& host, const std::string& text) {
    const auto poster = mail(host, {"post", "player/42", text}, "poster-" + text);
    EXPECT_EQ(poster->wait(20s), 0) << cluster.log_of("poster-" + text);
  }
  std::unique_ptr<Child> reader(const std::string& host, const std::string& log) {
    return mail(host, {"read", "player/42", diary().string()}, log);
  }
  std::filesystem::path diary() const { return cluster.folder() / "diary"; }
  std::string written() const {
    std::ostringstream text;
    text << std::ifstream(diary()).rdbuf();
    return text.str();
  }
  void expect_written(const std::string& text) {
    wait_for(20s, [&] { return written() == text; });
    EXPECT_EQ(written(), text);
  }

  Cluster cluster{{.more = {{"a", "[mail]\nshards = ['0-255']\n"}}}};
};

TEST_F(MailExampleTest, EveryMessageTakesEffectOnceWhateverIsKilled) {
  post("b", "one");  // nobody owns player/42 yet
  const auto first = reader("b", "first");
  expect_written("1 one\n");
  post("a", "two");
  expect_written("1 one\n2 two\n");

  first->kill();
  std::ofstream(diary(), std::ios::app) << "3 thr";  // what a power cut leaves of a line
  post("b", "three");
  cluster.busd("a").restart();
  post("b", "four");
  const auto second = reader("a", "second");
  expect_written("1 one\n2 two\n3 three\n4 four\n");
  EXPECT_NE(cluster.log_of("second").find("reading after number 2"), std::string::npos)
      << cluster.log_of("second");
}

TEST_F(MailExampleTest, AFileOfSomethingElseIsNotTouched) {
  std::ofstream(diary()) << "dear diary\n";
  const auto refused = reader("a", "refused");
  EXPECT_EQ(refused->wait(20s), 1);
  EXPECT_EQ(written(), "dear diary\n");
  EXPECT_NE(cluster.log_of("refused").find("holds something else"), std::string::npos);
}

TEST_F(MailExampleTest, ANameThatIsNoneIsToldBeforeItConnects) {
  cluster.busd("a").stop();
  const auto refused = mail("a", {"post", "player 42", "hello"}, "refused");
  EXPECT_EQ(refused->wait(20s), 1);
  EXPECT_NE(cluster.log_of("refused").find("bad_name"), std::string::npos);
}

}  // namespace
}  // namespace starbus::cluster_test
