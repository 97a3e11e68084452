/// The commands of starbus-mail: each prints and returns the exit code of the process. Failures go
/// to `err` with what to do about them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/mail/context.hpp"

namespace starbus::mail_tool {

using Folder = std::filesystem::path;

// --- on a folder that no busd has open ---
struct CheckOptions {
  Folder directory;
  bool acknowledge = false;  // what is noted of damage has been read
};
int run_check(const Context& context, const CheckOptions& options);

struct RepairOptions {
  Folder directory;
  Folder report;  // a file that is not there yet; empty: beside the folder
};
int run_repair(const Context& context, const RepairOptions& options);

struct LsOptions {
  Folder directory;
  std::string prefix;
  std::uint64_t limit = 100;  // 0: all
};
int run_ls(const Context& context, const LsOptions& options);

struct PeekOptions {
  Folder directory;
  std::string name;
  std::uint64_t from = 0;
  std::uint64_t limit = 20;
};
int run_peek(const Context& context, const PeekOptions& options);

int run_stats(const Context& context, const Folder& directory, bool shards);

// The same by the busd at `busd`, its admin socket, which has the store open and keeps it.
int run_ls_online(const Context& context, const LsOptions& options, const std::string& busd);
int run_peek_online(const Context& context, const PeekOptions& options, const std::string& busd);
int run_stats_online(const Context& context, bool shards, const std::string& busd);

struct ExportOptions {
  Folder directory;
  Folder file;                         // "-": standard output
  std::vector<std::string> mailboxes;  // none: all
};
int run_export(const Context& context, const ExportOptions& options);

struct ImportOptions {
  Folder directory;
  Folder file;
  bool append = false;
};
int run_import(const Context& context, const ImportOptions& options);

struct RestoreOptions {
  Folder backup;
  Folder directory;
  bool damaged = false;  // also a backup with findings
  std::string shards;    // only these, "0-15,40"; empty: all that it has
  std::string busd;      // admin socket of the busd that has `directory` open; empty: a new folder
};
int run_restore(const Context& context, const RestoreOptions& options);

struct AdoptOptions {
  Folder directory;
  std::string shards;  // "0-15,40"
};
int run_adopt(const Context& context, const AdoptOptions& options);

// --- by a busd that runs ---
int run_shards(const Context& context, const std::string& admin);

/// An operator has read the damage notes there.
int run_acknowledge(const Context& context, const std::string& admin);

struct BackupOptions {
  std::string target;
  std::string admin;
};
int run_backup(const Context& context, const BackupOptions& options);

struct OfferOptions {
  std::string shards;     // "0-15,40"; empty: what is offered is shown
  std::string to;         // host
  bool withdraw = false;  // the shards are not offered any more
  std::string admin;      // of the busd that has them
};
int run_offer(const Context& context, const OfferOptions& options);

struct MoveOptions {
  std::string shards;   // "0-15,40"
  std::string from;     // all of a host; neither: what is under way is shown
  bool stop = false;    // it is ended
  bool follow = false;  // the move is shown until it has ended, also where there is no terminal
  std::string admin;    // of the busd that takes them
};
int run_move(const Context& context, const MoveOptions& options);

}  // namespace starbus::mail_tool
