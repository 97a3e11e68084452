/// Runs a fuzz target without libFuzzer: every file of the folder that is named, then a bounded
/// number of mutations of them with a fixed seed. So each target is a regression test with any
/// compiler.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

using Input = std::vector<std::uint8_t>;

constexpr int kMutations = 20'000;  // unless the command line says otherwise
constexpr std::size_t kLargest = 4096;

std::vector<Input> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the same order everywhere
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

class Mutator {
 public:
  void change(Input& input) {
    switch (below(input.empty() ? 1 : 6)) {
      case 0:
        input.insert(input.begin() + at(input.size() + 1), byte());
        break;
      case 1:
        input.erase(input.begin() + at(input.size()));
        break;
      case 2:
        input[below(input.size())] = byte();
        break;
      case 3:
        input[below(input.size())] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 4:
        input.resize(below(input.size()));
        break;
      default:
        repeat(input);
        break;
    }
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  std::ptrdiff_t at(std::size_t bound) { return static_cast<std::ptrdiff_t>(below(bound)); }
  std::uint8_t byte() {
    constexpr std::uint8_t kEdges[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    return below(2) == 0 ? kEdges[below(std::size(kEdges))] : static_cast<std::uint8_t>(random_());
  }
  void repeat(Input& input) {
    const Input copy(input.begin() + at(input.size()), input.end());
    if (input.size() + copy.size() <= kLargest) {
      input.insert(input.end(), copy.begin(), copy.end());
    }
  }

  std::mt19937_64 random_{20'261'121};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: " << argv[0] << " CORPUS_FOLDER [MUTATIONS]\n";
    return 2;
  }
  const int mutations = argc == 3 ? std::atoi(argv[2]) : kMutations;
  std::vector<Input> corpus = read_corpus(argv[1]);
  if (corpus.empty()) {
    std::cerr << "no corpus in " << argv[1] << "\n";
    return 2;
  }
  for (const Input& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());
  Mutator mutator;
  for (int i = 0; i < mutations; ++i) {
    Input input = corpus[mutator.below(corpus.size())];
    for (std::size_t changes = 1 + mutator.below(4); changes > 0; --changes) mutator.change(input);
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  std::cout << corpus.size() << " files and " << mutations << " mutations of them\n";
  return 0;
}
