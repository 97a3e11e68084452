// starbus-db-tool on folders: what is exported is imported as it was, and damage is found.
#include <gmock/gmock.h>

#include <sstream>

#include "nodes/db/limits.hpp"
#include "nodes/db/rows.hpp"
#include "nodes/db/store_database.hpp"
#include "tests/storage/support.hpp"
#include "tools/db/cli.hpp"

namespace starbus::db_tool {
namespace {

using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string out, err;
};

class DbTool : public ::testing::Test {
 protected:
  Ran run(std::vector<std::string> arguments, const std::string& in = "") {
    std::istringstream input(in);
    std::ostringstream out, err;
    const int code = run_db_tool(std::move(arguments), {input, out, err});
    return {code, out.str(), err.str()};
  }
  Ran on(const std::string& folder, std::vector<std::string> arguments,
         const std::string& in = "") {
    arguments.insert(arguments.begin(), {"--folder", path(folder)});
    return run(std::move(arguments), in);
  }
  std::string path(const std::string& folder) const { return (folder_.path() / folder).string(); }
  void make(const std::string& folder) {
    ASSERT_NE(storage::test::open_or_fail({.folder = path(folder)}), nullptr);
  }

  const std::string kExport =
      "{\"starbus-db-export\":1}\n"
      "{\"collection\":\"c\",\"fields\":[{\"descending\":true,\"path\":\"n\"}],\"index\":\"i\"}\n"
      "{\"collection\":\"c\",\"document\":{\"n\":1},\"id\":\"1\"}\n"
      "{\"collection\":\"c\",\"document\":{\"n\":2.0,\"t\":\"\xc3\xa4\"},\"id\":\"2\"}\n"
      "{\"cbor\":\"oWFiQgEC\",\"collection\":\"d\",\"id\":\"1\"}\n"
      "{\"end\":3}\n";

 private:
  storage::test::TempFolder folder_;
};

TEST_F(DbTool, WhatIsImportedIsExportedAsItWas) {
  make("a");
  const Ran imported = on("a", {"import"}, kExport);
  EXPECT_EQ(imported.code, 0) << imported.err;
  EXPECT_EQ(imported.out, "3 documents\n");
  EXPECT_EQ(on("a", {"export"}).out, kExport);
  EXPECT_EQ(on("a", {"ls"}).out, "c  2 documents  i(-n)\nd  1 document\n");
  EXPECT_EQ(on("a", {"get", "c", "1"}).out, "{\"n\":1}\n");
  EXPECT_EQ(on("a", {"find", "c", "--index", "i"}).out,
            "2  {\"n\":2.0,\"t\":\"\xc3\xa4\"}\n1  {\"n\":1}\n");
  EXPECT_EQ(on("a", {"find", "c", "--to", "[\"1\"]", "--path", "n"}).out, "1  {\"n\":1}\n");
  EXPECT_EQ(on("a", {"find", "c", "--limit", "1"}).out, "1  {\"n\":1}\n");
  const Ran checked = on("a", {"check"});
  EXPECT_EQ(checked.code, 0);
  EXPECT_EQ(checked.out, "2 collections, 3 documents, 0 findings\n");
}

TEST_F(DbTool, AnExportThatIsNotWholeIsSaidSo) {
  make("a");
  const Ran cut = on("a", {"import"}, kExport.substr(0, kExport.find("{\"end\"")));
  EXPECT_EQ(cut.code, 1);
  EXPECT_THAT(cut.err, HasSubstr("its last line is missing"));
  std::string missing = kExport;
  missing.replace(missing.find("\"end\":3"), 7, "\"end\":4");
  EXPECT_THAT(on("a", {"import"}, missing).err,
              HasSubstr("line 6: bad_request: lines are missing"));
  for (const char* const line : {"", "[]", "{\"collection\":1}", "{\"collection\":\"c\",\"id\":1}",
                                 "{\"collection\":\"c\",\"index\":\"i\"}",
                                 "{\"collection\":\"c\",\"id\":\"1\",\"cbor\":\"!\"}"}) {
    const Ran ran = on("a", {"import"}, "{\"starbus-db-export\":1}\n" + std::string(line) + "\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("line 2: bad_request")) << line;
  }
}

TEST_F(DbTool, AHeaderOfAnotherKindIsRefused) {
  make("a");
  for (const char* const mark : {"\"1\"", "{}", "[]", "null", "true", "1.0", "-1", "2"}) {
    const Ran ran = on("a", {"import"}, "{\"starbus-db-export\":" + std::string(mark) + "}\n");
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("line 1: bad_request: malformed line of an export")) << mark;
  }
}

TEST_F(DbTool, WhatIsDeeperThanADocumentMayBeIsRefused) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  const auto file = [](const std::string& line) {
    return "{\"starbus-db-export\":1}\n" + line + "\n{\"end\":1}\n";
  };
  const auto put = [&](std::size_t levels) {
    return file("{\"collection\":\"c\",\"id\":\"1\",\"document\":{\"d\":" + nested(levels - 1) +
                "}}");
  };
  make("a");
  EXPECT_EQ(on("a", {"import"}, put(nodes::db::kMaxDepth)).code, 0);
  for (const std::string& text :
       {put(nodes::db::kMaxDepth + 1), put(100'000),
        file("{\"collection\":\"c\",\"index\":\"i\",\"fields\":" + nested(100'000) + "}"),
        file(nested(100'000)), file(std::string(100'000, '['))}) {
    const Ran ran = on("a", {"import"}, text);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("line 2: too_large: too deep"));
  }
  EXPECT_THAT(on("a", {"find", "c", "--from", nested(30'000)}).err,
              HasSubstr("is not a JSON array"));
}

TEST_F(DbTool, DamageIsFound) {
  make("a");
  ASSERT_EQ(on("a", {"import"}, kExport).code, 0);
  {
    const auto store = storage::test::open_or_fail({.folder = path("a")});
    ASSERT_TRUE(storage::test::commit(
        *store, storage::test::put(nodes::db::document_key("c", "1"), "\x7f\x7f")));
  }
  const Ran checked = on("a", {"check"});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.out, HasSubstr("corrupt: c/1"));
  EXPECT_THAT(checked.out, HasSubstr("its counter says 2, it has 1 documents"));
  EXPECT_EQ(on("a", {"export"}).code, 1) << "half of a database is no export";
}

TEST_F(DbTool, MistakesAreNamed) {
  EXPECT_EQ(run({}).code, 2);
  EXPECT_EQ(run({"--folder", "x", "--database", "y", "ls"}).code, 2);
  for (const char* const limit : {"-1", "0", "99999999999999999999999", "x"}) {
    EXPECT_EQ(on("none", {"find", "c", "--limit", limit}).code, 2) << limit;
  }
  EXPECT_THAT(on("none", {"ls"}).err, HasSubstr("is not a store"));
  make("a");
  const auto open = storage::test::open_or_fail({.folder = path("a")});
  EXPECT_THAT(on("a", {"ls"}).err, HasSubstr("in_use"));
}

}  // namespace
}  // namespace starbus::db_tool
