#include <halfopen/net/http_forward.hpp>
#include <halfopen/net/http_text.hpp>

namespace halfopen::net {
namespace {

bool named_by_connection(message_head const& head, std::string_view name) noexcept {
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (head.known(i) != known_field::connection) continue;
    bool const elsewhere =
        for_each_token(head.value(i), [&](std::string_view t) { return !same_token(t, name); });
    if (!elsewhere) return true;
  }
  return false;
}

}  // namespace

bool is_hop_field(message_head const& head, std::size_t i) noexcept {
  switch (head.known(i)) {
    case known_field::connection:
    case known_field::keep_alive:
    case known_field::proxy_connection:
    case known_field::te:
    case known_field::upgrade: return true;
    case known_field::host:
    case known_field::content_length:
    case known_field::transfer_encoding:
      return false;  // the framing is sent on as it is; naming these is refused
    case known_field::content_type:
    case known_field::expect:
    case known_field::retry_after:
    case known_field::authorization:
    case known_field::other:
      return head.has(known_field::connection) && named_by_connection(head, head.name(i));
  }
  return false;
}

forwarded_head::forwarded_head(message_head const& head, std::string_view first_line,
                               std::string_view added) {
  if (!head.has_hop_fields() && first_line.empty() && added.empty())
    append(head.bytes());
  else if (!slice(head, first_line, added))
    join(head, first_line, added);
}

/// False where more pieces are needed than there are.
bool forwarded_head::slice(message_head const& head, std::string_view first_line, std::string_view added) {
  constexpr std::size_t pieces_at_the_end = 3;
  auto const all = head.bytes();
  append(first_line);
  std::size_t from =
      first_line.empty() ? 0 : head.first_line().size() + 2;  // where the run being kept begins
  for (std::size_t i = 0; head.has_hop_fields() && i < head.size(); ++i) {
    if (!is_hop_field(head, i)) continue;
    if (count_ + pieces_at_the_end == pieces_max) return false;
    auto const line = head.line(i);
    auto const at = static_cast<std::size_t>(line.data() - all.data());
    append(all.substr(from, at - from));
    from = at + line.size();
  }
  std::size_t const empty_line = all.size() - 2;
  append(all.substr(from, added.empty() ? all.npos : empty_line - from));
  append(added);
  if (!added.empty()) append(all.substr(empty_line));
  return true;
}

void forwarded_head::append(std::string_view bytes) {
  if (bytes.empty()) return;
  size_ += bytes.size();
  pieces_[count_++] = {const_cast<char*>(bytes.data()), bytes.size()};
}

void forwarded_head::join(message_head const& head, std::string_view first_line, std::string_view added) {
  joined_ = first_line.empty() ? std::string{head.first_line()} + "\r\n" : std::string{first_line};
  for (std::size_t i = 0; i < head.size(); ++i)
    if (!is_hop_field(head, i)) joined_ += head.line(i);
  joined_ += added;
  joined_ += "\r\n";
  count_ = size_ = 0;
  append(joined_);
}

std::string forwarded_head::text() const {
  std::string all;
  for (iovec const& piece : pieces()) all.append(static_cast<char const*>(piece.iov_base), piece.iov_len);
  return all;
}

}  // namespace halfopen::net
