#include "nodes/db/remote/wire_parts.hpp"

namespace starbus::nodes::db::wire {
namespace {

template <class... Parts>
void put_all(Out& out, const Parts&... parts) {
  (put(out, parts), ...);
}
template <class... Parts>
void get_all(In& in, Parts&... parts) {
  (get(in, parts), ...);
}

/// A number that stands for one of `count` things.
template <class Enum>
void get_enum(In& in, Enum& it, std::uint8_t count) {
  const std::uint8_t number = in.bytes.byte();
  if (number >= count) return in.fail({Errc::bad_request, "a number without a meaning"});
  it = static_cast<Enum>(number);
}

template <std::size_t I = 0>
void get_write(In& in, Write& it, std::size_t kind) {
  if constexpr (I == std::variant_size_v<Write>) {
    in.fail({Errc::bad_request, "a write that this version does not have"});
  } else if (kind != I) {
    get_write<I + 1>(in, it, kind);
  } else {
    auto& write = it.emplace<I>();
    get_all(in, write.collection, write.id);
    if constexpr (requires { write.document; }) get(in, write.document);
    if constexpr (requires { write.changes; }) get_all(in, write.changes, write.upsert);
  }
}

}  // namespace

void put(Out& out, const std::string& it) {
  out.bytes.text(it);
}
void get(In& in, std::string& it) {
  const std::string_view text = in.bytes.text();
  if (in.bytes.charge(text.size())) it = text;
}

void put(Out& out, const std::uint64_t& it) {
  out.bytes.varint(it);
}
void get(In& in, std::uint64_t& it) {
  it = in.bytes.varint();
}

void put(Out& out, const bool& it) {
  out.bytes.number(it);
}
void get(In& in, bool& it) {
  it = in.bytes.number<bool>();
}

void put(Out& out, const Json& it) {
  const auto cbor = encode_value(it);
  if (!cbor) return out.fail(cbor.error());
  out.bytes.text(*cbor);
}
void get(In& in, Json& it) {
  const std::string_view cbor = in.bytes.text();
  if (!in.bytes.ok()) return;
  auto value = decode_value(cbor);
  if (!value) return in.fail(value.error());
  it = std::move(*value);
}

void put(Out& out, const Error& it) {
  out.bytes.number(it.code);
  out.bytes.text(it.detail);
}
void get(In& in, Error& it) {
  get_enum(in, it.code, static_cast<std::uint8_t>(error_catalogue().size() + 1));
  get(in, it.detail);
}

void put(Out& out, const Outcome& it) {
  out.bytes.number(it);
}
void get(In& in, Outcome& it) {
  get_enum(in, it, 4);
}

void put(Out& out, const Change& it) {
  out.bytes.number(it.what);
  put_all(out, it.path, it.value);
}
void get(In& in, Change& it) {
  get_enum(in, it.what, 5);
  get_all(in, it.path, it.value);
}

void put(Out& out, const Write& it) {
  out.bytes.byte(static_cast<std::uint8_t>(it.index()));
  std::visit(
      [&](const auto& write) {
        put_all(out, write.collection, write.id);
        if constexpr (requires { write.document; }) put(out, write.document);
        if constexpr (requires { write.changes; }) put_all(out, write.changes, write.upsert);
      },
      it);
}
void get(In& in, Write& it) {
  get_write(in, it, in.bytes.byte());
}

void put(Out& out, const WriteRequest& it) {
  put_all(out, it.request_id, it.writes);
}
void get(In& in, WriteRequest& it) {
  get_all(in, it.request_id, it.writes);
}

void put(Out& out, const Find& it) {
  put_all(out, it.collection, it.id, it.paths);
}
void get(In& in, Find& it) {
  get_all(in, it.collection, it.id, it.paths);
}

void put(Out& out, const Bound& it) {
  put_all(out, it.values, it.inclusive);
}
void get(In& in, Bound& it) {
  get_all(in, it.values, it.inclusive);
}

void put(Out& out, const Range& it) {
  put_all(out, it.collection, it.index, it.from, it.to);
}
void get(In& in, Range& it) {
  get_all(in, it.collection, it.index, it.from, it.to);
}

void put(Out& out, const Query& it) {
  put_all(out, it.range, it.limit, it.paths, it.token);
}
void get(In& in, Query& it) {
  get_all(in, it.range, it.limit, it.paths, it.token);
}

void put(Out& out, const Count& it) {
  put_all(out, it.range, it.token);
}
void get(In& in, Count& it) {
  get_all(in, it.range, it.token);
}

void put(Out& out, const IndexField& it) {
  put_all(out, it.path, it.descending);
}
void get(In& in, IndexField& it) {
  get_all(in, it.path, it.descending);
}

void put(Out& out, const DeclareIndex& it) {
  put_all(out, it.collection, it.name, it.fields);
}
void get(In& in, DeclareIndex& it) {
  get_all(in, it.collection, it.name, it.fields);
}

void put(Out& out, const DropIndex& it) {
  put_all(out, it.collection, it.name);
}
void get(In& in, DropIndex& it) {
  get_all(in, it.collection, it.name);
}

void put(Out& out, const ListIndexes& it) {
  put(out, it.collection);
}
void get(In& in, ListIndexes& it) {
  get(in, it.collection);
}

void put(Out&, const ListCollections&) {}
void get(In&, ListCollections&) {}
void put(Out&, const Nothing&) {}
void get(In&, Nothing&) {}

void put(Out& out, const Written& it) {
  put_all(out, it.outcomes, it.repeated);
}
void get(In& in, Written& it) {
  get_all(in, it.outcomes, it.repeated);
}

void put(Out& out, const Found& it) {
  put_all(out, it.id, it.document);
}
void get(In& in, Found& it) {
  get_all(in, it.id, it.document);
}

void put(Out& out, const Page& it) {
  put_all(out, it.found, it.damage, it.next);
}
void get(In& in, Page& it) {
  get_all(in, it.found, it.damage, it.next);
}

void put(Out& out, const Counted& it) {
  put_all(out, it.count, it.next);
}
void get(In& in, Counted& it) {
  get_all(in, it.count, it.next);
}

void put(Out& out, const IndexInfo& it) {
  put_all(out, it.name, it.fields, it.complete);
}
void get(In& in, IndexInfo& it) {
  get_all(in, it.name, it.fields, it.complete);
}

void put(Out& out, const CollectionInfo& it) {
  put_all(out, it.name, it.documents, it.indexes);
}
void get(In& in, CollectionInfo& it) {
  get_all(in, it.name, it.documents, it.indexes);
}

}  // namespace starbus::nodes::db::wire
