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
  if (number >= count) return in.fail({Errc::bad_request, "unknown enumerator"});
  it = static_cast<Enum>(number);
}

template <std::size_t I = 0>
void get_write(In& in, Write& it, std::size_t kind) {
  if constexpr (I == std::variant_size_v<Write>) {
    in.fail({Errc::bad_request, "unknown kind of write; the caller is newer"});
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
  out.bytes.number(it.code.domain());
  out.bytes.number(it.code.number());
  out.bytes.text(it.detail);
}
void get(In& in, Error& it) {
  // A newer node may have codes that this build does not know: the caller gets them as they are.
  const auto domain = in.bytes.number<std::uint16_t>();
  it.code = Code(domain, in.bytes.number<std::uint16_t>());
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
  get_enum(in, it.what, 6);
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

// The fields of a part, in the order of its bytes: one list for both directions.
#define FIELDS(Part, ...)              \
  void put(Out& out, const Part& it) { \
    put_all(out, __VA_ARGS__);         \
  }                                    \
  void get(In& in, Part& it) {         \
    get_all(in, __VA_ARGS__);          \
  }
FIELDS(WriteRequest, it.request_id, it.writes)
FIELDS(Find, it.collection, it.id, it.paths)
FIELDS(Bound, it.values, it.inclusive)
FIELDS(Range, it.collection, it.index, it.from, it.to)
FIELDS(Query, it.range, it.limit, it.paths, it.token)
FIELDS(Count, it.range, it.token)
FIELDS(IndexField, it.path, it.descending)
FIELDS(DeclareIndex, it.collection, it.name, it.fields)
FIELDS(DropIndex, it.collection, it.name)
FIELDS(ListIndexes, it.collection)

void put(Out&, const ListCollections&) {}
void get(In&, ListCollections&) {}
void put(Out&, const Nothing&) {}
void get(In&, Nothing&) {}

FIELDS(Written, it.outcomes, it.repeated)
FIELDS(Found, it.id, it.document)
FIELDS(Page, it.found, it.damage, it.next)
FIELDS(Counted, it.count, it.next)
FIELDS(IndexInfo, it.name, it.fields, it.complete)
FIELDS(CollectionInfo, it.name, it.documents, it.indexes)

#undef FIELDS

}  // namespace starbus::nodes::db::wire
