/// The admin documents of docs/operate/admin-api.md as plain values, to JSON and from it. Daemons
/// fill them in; bustop and starbus-mail read them. Pure functions, for any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "bus/core/error.hpp"
#include "daemon/report/daemon_status.hpp"
#include "daemon/report/link_info.hpp"
#include "daemon/report/mail.hpp"
#include "daemon/report/messages.hpp"
#include "daemon/report/names.hpp"
#include "daemon/report/topology.hpp"

namespace starbus::report {

/// Defined for the documents that document.cpp lists. `Json`: nlohmann::json, or ordered_json for
/// the order in which a document lists its fields.
template <class Json = nlohmann::json, class Document>
Json to_json(const Document& document);

/// Missing fields keep their defaults, unknown ones are ignored, values of a wrong type count as
/// missing: daemons of other versions must not break the tool that diagnoses them. Errc::bad_bytes
/// if the text is not a JSON object.
template <class Document>
bus::Result<Document> from_json(std::string_view text);

}  // namespace starbus::report
