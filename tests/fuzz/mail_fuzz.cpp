/// What a poster says, and what a disk gives back. The first byte says which of them.
#include <vector>

#include "bus/core/limits.hpp"
#include "bus/core/wire/name.hpp"
#include "bus/core/wire/post_head.hpp"
#include "mail/rows.hpp"
#include "tests/fuzz/fuzz_target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace starbus::bus;
  using namespace starbus::mail;
  if (size == 0) return 0;
  const ByteView input = fuzz_input(data + 1, size - 1);
  const std::string_view text = as_text(input);
  switch (data[0] % 8) {
    case 0:
      if (const auto post = decode_post(input)) {
        require(check_channel_name(post->head.name).has_value());
        require(post->head.key.size() <= kMaxPostKey);
        Bytes again;
        encode_post_head(post->head, again);
        again.insert(again.end(), post->body.begin(), post->body.end());
        require(again.size() == input.size() &&
                std::equal(again.begin(), again.end(), input.begin()));
      }
      break;
    case 1:
      if (const auto box = decode_box(text)) {
        require(box->floor <= box->last && box->floor_total <= box->total);
        require(encode(*box) == text);
      }
      break;
    case 2:
      if (const auto row = decode_message(text)) require(encode(*row) == text);
      break;
    case 3:
      if (const auto row = decode_shard(text)) require(encode(*row) == text);
      break;
    case 4:
      if (const auto row = decode_key(text)) require(encode(*row) == text);
      break;
    case 5:
      if (const auto row = decode_stream(text)) require(encode(*row) == text);
      break;
    case 6: {
      std::vector<PostResult> results;
      if (decode_results(text, results)) require(encode(results) == text);
      break;
    }
    default:
      (void)read_stream_key(text);
      break;
  }
  return 0;
}
