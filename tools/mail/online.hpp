// Common functions of commands that ask a busd which runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "daemon/admin/http_client.hpp"
#include "daemon/report/document.hpp"
#include "mail/repair/detach.hpp"
#include "tools/cluster/model.hpp"
#include "tools/mail/context.hpp"

namespace starbus::mail_tool {

/// Says what to do about an error of the busd's admin server; the exit code.
int unreachable(const Context& context, const std::string& admin, const Error& error);

/// The object that it answers with; bad_bytes if it is none.
Result<nlohmann::json> object_of(const Result<std::string>& text);
/// The document that it answers with.
template <class Document>
Result<Document> document_of(const Result<std::string>& text) {
  return text ? report::from_json<Document>(*text) : Result<Document>(text.error());
}
/// A field of the object; 0 if it is missing, or of another kind.
std::uint64_t number_in(const nlohmann::json& json, const char* key);

/// Asks the busd at `admin` for the store in `folder`, which it has open: it is this program's
/// until the Detach ends. Posts to its shards wait meanwhile.
Result<mail::Detach> detach_store(const std::string& admin, const std::filesystem::path& folder);

/// Which host has each shard, as the daemon at `admin` knows it.
Result<bustop::MailPlaces> mail_places(const std::string& admin);

}  // namespace starbus::mail_tool
