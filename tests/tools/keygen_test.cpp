#include "tools/keygen/keygen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <toml++/toml.h>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bus/io/key_file.hpp"
#include "nodes/login/tickets/keys.hpp"

namespace starbus::keygen {
namespace {

using bus::Errc;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class Keygen : public testing::Test {
 protected:
  Keygen() {
    std::string pattern = testing::TempDir() + "keygen.XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Keygen() override { fs::remove_all(folder_); }

  int keygen(const std::vector<std::string>& arguments) {
    out_.str("");
    err_.str("");
    return run_keygen(arguments, out_, err_);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  mode_t mode(const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat(path(name).c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  fs::path folder_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Keygen, LoginPairSignsAndIsNotReplaced) {
  ASSERT_EQ(keygen({"login", "--out", folder_.string()}), 0) << err_.str();
  EXPECT_EQ(mode("login.key"), 0600U);
  const auto secret = nodes::login::SigningKey::read(path("login.key"));
  const auto shown = nodes::login::VerifyingKey::read(path("login.pub"));
  ASSERT_TRUE(secret && shown);
  EXPECT_EQ(secret->verifying().id(), shown->id());
  EXPECT_EQ(keygen({"login", "--out", folder_.string()}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("exists already"));
  EXPECT_EQ(keygen({"login", "east", "--out", folder_.string()}), 0);
  EXPECT_EQ(keygen({"login", "../east", "--out", folder_.string()}), 1);
  EXPECT_EQ(keygen({"login", "--out", folder_.string(), "--force"}), 0);
}

TEST_F(Keygen, HostRoundTrip) {
  ASSERT_EQ(keygen({"host", "hostA", "--out", folder_.string()}), 0) << err_.str();
  EXPECT_EQ(mode("hostA.key"), 0600U);
  EXPECT_EQ(mode("hostA.pub"), 0644U);
  const auto keys = bus::io::read_secret_key_file(path("hostA.key"));
  ASSERT_TRUE(keys) << keys.error().to_string();
  EXPECT_EQ(bus::io::read_public_key_file(path("hostA.pub")).value(), keys->public_key);
  EXPECT_THAT(out_.str(), Not(HasSubstr(keys->secret_key)));
  // Both snippets in one file, to be pasted apart: each is TOML.
  const toml::table config = toml::parse(out_.str());
  EXPECT_EQ(config["security"]["hosts"][0]["name"].value_or(""), std::string("hostA"));
  EXPECT_EQ(config["security"]["hosts"][0]["keys"][0].value_or(""), keys->public_key);
  EXPECT_TRUE(config["busroot"]["secret_key_file"].is_string());
  ASSERT_EQ(keygen({"public", path("hostA.key")}), 0);
  EXPECT_EQ(out_.str(), keys->public_key + "\n");
}

TEST_F(Keygen, RootRoundTrip) {
  ASSERT_EQ(keygen({"root", "--out", path("new/folder")}), 0) << err_.str();
  const auto keys = bus::io::read_secret_key_file(path("new/folder/root.key"));
  ASSERT_TRUE(keys) << keys.error().to_string();
  const toml::table config = toml::parse(out_.str());
  EXPECT_EQ(config["busroot"]["server_keys"][0].value_or(""), keys->public_key);
}

TEST_F(Keygen, OverwritesOnlyByForce) {
  ASSERT_EQ(keygen({"host", "a", "--out", folder_.string()}), 0);
  const auto first = bus::io::read_public_key_file(path("a.pub")).value();
  EXPECT_EQ(keygen({"host", "a", "--out", folder_.string()}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--force"));
  fs::remove(path("a.pub"));  // the secret alone is protected too
  EXPECT_EQ(keygen({"host", "a", "--out", folder_.string()}), 1);
  EXPECT_FALSE(fs::exists(path("a.pub")));
  ASSERT_EQ(keygen({"host", "a", "--force", "--out", folder_.string()}), 0) << err_.str();
  EXPECT_NE(bus::io::read_public_key_file(path("a.pub")).value(), first);
  EXPECT_EQ(mode("a.key"), 0600U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);  // no temporary files
}

TEST_F(Keygen, BadNamesAndHelp) {
  EXPECT_EQ(keygen({"host", "root"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("host name: root is reserved"));
  EXPECT_EQ(keygen({"host", "../evil", "--out", folder_.string()}), 1);
  EXPECT_EQ(keygen({}), 64);
  EXPECT_EQ(keygen({"public", path("missing")}), 1);
  EXPECT_EQ(keygen({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("rotate"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("restart")));  // a reload does
}

class KeyFile : public Keygen {
 protected:
  void write(const std::string& name, const std::string& text, mode_t mode = 0600) {
    std::ofstream(path(name)) << text;
    ::chmod(path(name).c_str(), mode);
  }
  const std::string key_ = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
};

TEST_F(KeyFile, RefusesSecretsThatOthersMayUse) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0601U}) {
    write("k", "starbus-curve-secret " + key_ + "\n", mode);
    const auto keys = bus::io::read_secret_key_file(path("k"));
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error(), Errc::io_error);
    EXPECT_THAT(keys.error().detail, HasSubstr("chmod 600 " + path("k")));
  }
  write("k", "starbus-curve-secret " + key_ + "\n", 0400);
  EXPECT_TRUE(bus::io::read_secret_key_file(path("k")));
}

TEST_F(KeyFile, RefusesWhatIsNoKeyWithoutShowingIt) {
  for (const std::string& text :
       {std::string(), key_, "starbus-curve-secret " + key_ + "x", "starbus-curve-secret  " + key_,
        "starbus-curve-secret " + key_.substr(1), "starbus-curve-secret " + std::string(40, '"'),
        "starbus-curve-secret " + key_ + "\nmore", std::string(100'000, 'x')}) {
    write("k", text);
    const auto keys = bus::io::read_secret_key_file(path("k"));
    ASSERT_FALSE(keys) << text.substr(0, 80);
    EXPECT_EQ(keys.error(), Errc::bad_config);
    EXPECT_THAT(keys.error().detail, Not(HasSubstr(key_.substr(1, 20))));
  }
}

TEST_F(KeyFile, TellsTheHalvesApart) {
  write("k", "starbus-curve-public " + key_ + "\n");
  EXPECT_EQ(bus::io::read_public_key_file(path("k")).value(), key_);
  EXPECT_THAT(bus::io::read_secret_key_file(path("k")).error().detail, HasSubstr("other half"));
}

TEST_F(KeyFile, WhatIsNoFile) {
  EXPECT_EQ(bus::io::read_secret_key_file(path("none")).error(), Errc::io_error);
  EXPECT_EQ(bus::io::read_secret_key_file(folder_.string()).error(), Errc::io_error);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(bus::io::read_secret_key_file(path("pipe")).error(), Errc::io_error);
  EXPECT_EQ(bus::io::write_secret_key_file(path("no/such"), key_).error(), Errc::io_error);
  EXPECT_EQ(bus::io::write_secret_key_file(path("k"), "short").error(), Errc::bad_config);
}

}  // namespace
}  // namespace starbus::keygen
