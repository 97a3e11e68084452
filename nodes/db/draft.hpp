/// The changes of one batch to the store: requests are applied one after the other, each sees what
/// the
/// earlier ones have done, and all of it becomes one storage::Batch. Nothing is changed until that
/// is durable; then `keep` brings it into the catalogue. A request that fails leaves no trace.
///
/// Index rows are made at the end, from each document as it was on the disk and as it is now. Where
/// it cannot be read there, its former rows are not known: the indexes are built again. Belongs to
/// the owner's thread; refers to the store and the catalogue, which outlive it. Blocks for disk
/// reads.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "nodes/db/catalogue.hpp"
#include "storage/batch.hpp"

namespace starbus::nodes::db {

/// Whether all its writes are Erase: a full disk takes it.
bool only_erases(const WriteRequest& request);

/// How long answers are kept.
struct Memory {
  std::uint64_t age_ms = 0;
  std::uint64_t requests = 0;
};

class Draft {
 public:
  Draft(const storage::Store& store, const Catalogue& catalogue, Memory memory,
        std::uint64_t now_ms)
      : store_(store), catalogue_(catalogue), memory_(memory), now_ms_(now_ms) {}

  /// From now on, of what was not carried out before: what puts is refused so, or all that writes.
  void refuse(Error reason, bool erases_too) {
    refusing_ = std::move(reason);
    refuses_erasing_ = erases_too;
  }

  /// As Database says; all of the request or nothing.
  Result<Written> write(const WriteRequest& request);
  Result<std::optional<Json>> find(const Find& request);
  Result<> declare(const DeclareIndex& request);
  Result<> drop(const DropIndex& request);
  /// The next few documents of an index that is being built, if there is one.
  Result<> build();

  /// About what the batch will have.
  std::size_t bytes() const { return bytes_; }

  /// Once, at the end.
  Result<storage::Batch> batch();
  /// The batch is durable.
  void keep(Catalogue& catalogue);

 private:
  /// A document; no value: there is none, or one that cannot be read.
  struct Version {
    std::optional<Json> value;
    std::string cbor;
    std::string damage;  // why it cannot be read
    bool exists() const { return value.has_value() || !damage.empty(); }
  };
  struct Touched {
    std::string collection, id;
    Version before;  // as it is on the disk
    Version now;
  };
  using Scratch = std::map<std::string, Touched>;  // by key; what one request has changed

  Result<Touched*> touch(Scratch& scratch, const std::string& collection, const std::string& id);
  Result<Touched> load(const std::string& collection, const std::string& id) const;
  Result<Outcome> apply_to(Touched& document, const Write& write) const;
  Result<Outcome> run(Scratch& scratch, const Write& write);
  Result<> check_sizes(const Scratch& scratch) const;
  std::size_t known_collections() const;
  void accept(Scratch scratch);
  void rebuild_indexes(const std::string& collection);
  Result<std::optional<AnswerRow>> answer_to(const std::string& request_id) const;
  Result<std::optional<Written>> remembered(const WriteRequest& request, std::uint64_t print) const;

  /// To be changed: a copy of what the catalogue has.
  Collection& collection(const std::string& name);
  const Collection* look(const std::string& name) const;

  void put_documents(storage::Batch& batch);
  void put_entries(const Touched& document, const IndexState& index, storage::Batch& batch) const;
  void put_collections(storage::Batch& batch);
  Result<> put_answers(storage::Batch& batch);
  Result<> forget_answers(storage::Batch& batch);

  const storage::Store& store_;
  const Catalogue& catalogue_;
  const Memory memory_;
  const std::uint64_t now_ms_;

  std::optional<Error> refusing_;
  bool refuses_erasing_ = false;
  Scratch touched_;
  std::map<std::string, Collection> collections_;  // instead of those of the catalogue
  std::map<std::string, AnswerRow> answers_;
  std::vector<std::string> answered_;   // in their order
  std::vector<std::uint32_t> dropped_;  // indexes that are on the disk
  std::set<std::string> rebuilt_;       // collections whose indexes are built again
  std::vector<storage::Record> built_;  // entries, of documents that are not touched
  std::optional<MetaRow> meta_;
  std::optional<std::uint64_t> oldest_ms_;  // of an answer that stays
  std::uint64_t forgotten_ms_ = 0;          // the youngest of those that go
  std::size_t bytes_ = 0;
};

}  // namespace starbus::nodes::db
