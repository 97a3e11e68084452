#include "tools/keygen/keygen.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <ostream>

#include "bus/core/wire/name.hpp"
#include "bus/io/key_file.hpp"
#include "nodes/login/tickets/keys.hpp"
#include "tools/terminal/command_line.hpp"

namespace starbus::keygen {
namespace {

using bus::Errc;
using bus::Error;
using bus::Result;
using bus::io::CurveKeys;
using bus::io::Overwrite;

constexpr const char* kRoot = "root";  // names busroot wherever hosts are named
constexpr int kExitRefused = 1;
constexpr int kExitUsage = 64;
constexpr const char* kRotation =
    "To rotate a host's key without downtime: (1) make a new pair under another folder, and add "
    "its\n"
    "public key to the host's list in busroot.toml (two are accepted at a time), then reload "
    "busroot;\n"
    "(2) install the new secret on the host and reload its busd; (3) remove the old public key.";

struct Options {
  std::string name = "login";
  std::string folder = ".";
  bool force = false;
  std::string file;
};

struct Files {
  std::string secret;
  std::string shown;
};

Files files_of(const Options& options, const std::string& name) {
  const std::filesystem::path folder(options.folder);
  return {(folder / (name + ".key")).string(), (folder / (name + ".pub")).string()};
}

Error with_hint(Error error) {
  if (error.detail.ends_with("exists already")) {
    error.detail +=
        "; --force replaces it, and peers that know the old key will refuse the new one";
  }
  return error;
}

Result<CurveKeys> make_pair(const Options& options, const Files& files) {
  std::error_code failure;
  std::filesystem::create_directories(options.folder, failure);
  if (failure) return Error{Errc::io_error, options.folder + ": " + failure.message()};
  const Overwrite overwrite = options.force ? Overwrite::yes : Overwrite::no;
  // A public half without its secret would be left behind if the secret could not be written.
  if (!options.force && std::filesystem::exists(files.shown)) {
    return with_hint({Errc::io_error, files.shown + ": exists already"});
  }
  const auto keys = bus::io::generate_curve_keys();
  if (!keys) return keys.error();
  auto written = bus::io::write_secret_key_file(files.secret, keys->secret_key, overwrite);
  if (written) written = bus::io::write_public_key_file(files.shown, keys->public_key, overwrite);
  if (!written) return with_hint(written.error());
  return *keys;
}

/// The setting that names a file: a daemon has a working folder of its own.
std::string setting(const std::string& file) {
  return "secret_key_file = \"" + std::filesystem::absolute(file).lexically_normal().string() +
         "\"  # or where you put it there\n";
}

/// Z85 has no quotes and no backslash, so a key is a TOML literal string as it stands.
std::string toml(const std::string& text) {
  return "'" + text + "'";
}

Result<> make_host(const Options& options, std::ostream& out) {
  if (auto checked = bus::check_node_name(options.name); !checked) return checked.error();
  if (options.name == kRoot)
    return Error{Errc::bad_name,
                 "host name: root is reserved; for busroot use  starbus-keygen root"};
  const Files files = files_of(options, options.name);
  const auto keys = make_pair(options, files);
  if (!keys) return keys.error();
  out << "# " << files.secret << " (secret: keep it on host " << options.name << ") and "
      << files.shown << " are written.\n\n"
      << "# busroot.toml, so that busroot lets this host in:\n"
      << "[[security.hosts]]\n"
      << "name = \"" << options.name << "\"\n"
      << "keys = [" << toml(keys->public_key) << "]\n\n"
      << "# busd.toml of host " << options.name << ":\n"
      << "[busroot]\n"
      << setting(files.secret)
      << "server_keys = ['<the public key that starbus-keygen root printed>']\n";
  return {};
}

Result<> make_root(const Options& options, std::ostream& out) {
  const Files files = files_of(options, kRoot);
  const auto keys = make_pair(options, files);
  if (!keys) return keys.error();
  out << "# " << files.secret << " (secret: keep it where busroot runs) and " << files.shown
      << " are written.\n\n"
      << "# busroot.toml:\n"
      << "[security]\n"
      << setting(files.secret) << "\n"
      << "# busd.toml of every host:\n"
      << "[busroot]\n"
      << "server_keys = [" << toml(keys->public_key) << "]\n";
  return {};
}

Result<> make_login(const Options& options, std::ostream& out) {
  if (auto checked = bus::check_node_name(options.name); !checked) return checked.error();
  const Files files = files_of(options, options.name);
  std::error_code failure;
  std::filesystem::create_directories(options.folder, failure);
  if (failure) return Error{Errc::io_error, options.folder + ": " + failure.message()};
  const auto key = nodes::login::SigningKey::generate();
  if (!key) return key.error();
  if (auto made = key->write(files.secret, files.shown, options.force); !made) return made.error();
  out << "# " << files.secret << " (secret: keep it where the login runs) and " << files.shown
      << " (give it to accounts and gates) are written.\n";
  return {};
}

Result<> show_public(const Options& options, std::ostream& out) {
  const auto keys = bus::io::read_secret_key_file(options.file);
  if (!keys) return keys.error();
  out << keys->public_key << "\n";
  return {};
}

void add_output_options(CLI::App& app, Options& options) {
  app.add_option("--out", options.folder, "folder for the files; default: here")->type_name("DIR");
  app.add_flag("--force", options.force, "replace files that exist");
}

}  // namespace

int run_keygen(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Options options;
  CLI::App app("starbus-keygen: the keys by which busd and busroot know each other, and of tickets",
               "starbus-keygen");
  app.require_subcommand(1);
  app.set_version_flag("--version", STARBUS_VERSION);
  app.footer(kRotation);
  CLI::App& host = *app.add_subcommand("host", "a key pair for the busd of a host");
  host.add_option("name", options.name, "host, as in busd.toml")->required()->type_name("NAME");
  add_output_options(host, options);
  CLI::App& root = *app.add_subcommand("root", "the key pair of busroot");
  add_output_options(root, options);
  CLI::App& login = *app.add_subcommand("login", "a key pair for the tickets of logins");
  login.add_option("name", options.name, "name of the files; default: login")->type_name("NAME");
  add_output_options(login, options);
  CLI::App& shown = *app.add_subcommand("public", "print the public key of a secret key file");
  shown.add_option("file", options.file, "a .key file")->required()->type_name("FILE");
  if (const auto ended = tools::parse(app, arguments, out, err, kExitUsage)) return *ended;
  const Result<> done = host.parsed()    ? make_host(options, out)
                        : root.parsed()  ? make_root(options, out)
                        : login.parsed() ? make_login(options, out)
                                         : show_public(options, out);
  if (done) return 0;
  err << "starbus-keygen: " << done.error().to_string() << "\n";
  return kExitRefused;
}

}  // namespace starbus::keygen
