// A second starbus-db with another folder never takes over: processes over a real log.
#include <gmock/gmock.h>

#include "nodes/db/remote/remote_database.hpp"
#include "tests/cluster/cluster_test.hpp"

namespace starbus::cluster_test {
namespace {

namespace db = nodes::db;
using testing::HasSubstr;

ClusterOptions with_mail() {
  ClusterOptions options;
  options.more["b"] = "[mail]\nshards = ['0-255']\n";
  return options;
}

class DbIdentityTest : public ClusterTest {
 protected:
  std::unique_ptr<Daemon> node(const std::string& name, const std::string& keys = "") {
    auto made = std::make_unique<Daemon>(program("starbus-db"), name, cluster.folder());
    made->configure("node = '" + name + "'\nstate_directory = '" + made->state_folder().string() +
                    "'\n" + keys + "\n[bus]\nendpoint = '" + cluster.endpoint("a") + "'\n");
    return made;
  }
  static bool started(Daemon& daemon) {
    daemon.start();
    return wait_for(20s, [&] { return daemon.serves(); });
  }
  static std::string identity_of(Daemon& daemon) {
    return daemon.json("/db").value("identity", std::string());
  }

  Cluster cluster{with_mail()};
};

TEST_F(DbIdentityTest, EmptyStoreIsRefusedAlsoAfterTheFirstHasDied) {
  const auto main = node("db-1");
  ASSERT_TRUE(started(*main)) << main->log();
  const std::string identity = identity_of(*main);
  EXPECT_EQ(identity.size(), 32u);
  const auto second = node("db-2");
  second->start();
  EXPECT_EQ(second->process().wait(20s), 1) << second->log();
  EXPECT_THAT(second->log(), HasSubstr("the cluster's is " + identity));
  main->process().signal(SIGKILL);
  ASSERT_TRUE(wait_for(10s, [&] { return main->process().ended().has_value(); }));
  const auto third = node("db-3");
  third->start();
  EXPECT_EQ(third->process().wait(20s), 1) << third->log();
  EXPECT_THAT(third->log(), HasSubstr("replaces = '" + identity + "'"));
  ASSERT_TRUE(started(*main)) << "it is still the one";
  EXPECT_EQ(main->terminate(20s), 0);

  const auto fourth = node("db-4", "replaces = '" + identity + "'");
  ASSERT_TRUE(started(*fourth)) << fourth->log();
  EXPECT_NE(identity_of(*fourth), identity);
  EXPECT_EQ(fourth->terminate(20s), 0);
  main->start();
  EXPECT_EQ(main->process().wait(20s), 1) << "it was replaced";
}

}  // namespace
}  // namespace starbus::cluster_test
