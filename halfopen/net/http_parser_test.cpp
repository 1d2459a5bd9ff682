#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/mman.h>
#include <unistd.h>

#include <halfopen/net/http_body.hpp>
#include <halfopen/net/http_parser.hpp>
#include <halfopen/net/http_samples.hpp>

namespace halfopen::net {
namespace {

enum class part { request, response, chunked };

std::vector<http_sample> const& samples_of(part p) {
  switch (p) {
    case part::request: return request_samples();
    case part::response: return response_samples();
    case part::chunked: return chunked_samples();
  }
  return request_samples();
}

constexpr part parts[] = {part::request, part::response, part::chunked};

/// Reads `bytes` in the pieces that end at each of `ends` (ascending, the last one the end), as they would
/// arrive.
template <class Parser>
parse_step read_head(std::string_view bytes, std::vector<std::size_t> const& ends) {
  Parser parser;
  parse_step step;
  for (std::size_t end : ends) {
    step = parser.next(bytes.substr(0, end));
    if (!step.wants_more()) break;
  }
  return step;
}

parse_step read_chunks(std::string_view bytes, std::vector<std::size_t> const& ends) {
  chunk_reader reader;
  std::size_t at = 0;
  for (std::size_t end : ends) {
    while (at < end) {
      auto const piece = reader.next(bytes.substr(at, end - at));
      if (piece.step.is_bad()) return parse_step::bad(piece.step.why, at + piece.step.at);
      at += piece.consumed;
      if (piece.step.is_complete()) return parse_step::complete(at);
    }
  }
  return parse_step::need_more();
}

parse_step read(part p, std::string_view bytes, std::vector<std::size_t> const& ends) {
  switch (p) {
    case part::request: return read_head<request_parser>(bytes, ends);
    case part::response: return read_head<response_parser>(bytes, ends);
    case part::chunked: return read_chunks(bytes, ends);
  }
  return {};
}

parse_step read(part p, std::string_view bytes) { return read(p, bytes, {bytes.size()}); }

std::string show(parse_step s) {
  if (s.is_complete()) return "consumed " + std::to_string(s.at);
  if (s.wants_more()) return "need more";
  return "bad at " + std::to_string(s.at) + " because " + std::string{rule_of(s.why).name};
}

TEST(http_parser, answers_every_sample_as_the_table_says) {
  for (part p : parts) {
    for (auto const& sample : samples_of(p)) {
      auto const step = read(p, sample.bytes);
      if (!sample.refused) {
        EXPECT_EQ(step, parse_step::complete(sample.bytes.size())) << sample.name << ": " << show(step);
        continue;
      }
      ASSERT_TRUE(step.is_bad()) << sample.name << ": " << show(step);
      EXPECT_EQ(step.why, *sample.refused) << sample.name << ": " << show(step);
      if (!sample.offending.empty()) {
        EXPECT_EQ(step.at, sample.bytes.find(sample.offending)) << sample.name << ": " << show(step);
      }
    }
  }
}

TEST(http_parser, says_of_every_prefix_need_more_or_what_it_says_of_the_whole) {
  for (part p : parts) {
    for (auto const& sample : samples_of(p)) {
      auto const whole = read(p, sample.bytes);
      for (std::size_t n = 0; n < sample.bytes.size(); ++n) {
        auto const step = read(p, std::string_view{sample.bytes}.substr(0, n));
        ASSERT_TRUE(step.wants_more() || (step == whole && n > 0))
            << sample.name << " cut at " << n << ": " << show(step);
        if (whole.is_complete()) {
          ASSERT_TRUE(step.wants_more()) << sample.name << " cut at " << n;
        }
      }
    }
  }
}

TEST(http_parser, does_not_care_how_the_bytes_arrive) {
  for (part p : parts) {
    for (auto const& sample : samples_of(p)) {
      auto const whole = read(p, sample.bytes);
      std::vector<std::size_t> one_by_one;
      for (std::size_t n = 1; n <= sample.bytes.size(); ++n) one_by_one.push_back(n);
      ASSERT_EQ(read(p, sample.bytes, one_by_one), whole) << sample.name;
    }
  }
  EXPECT_TRUE(rc::check("split at arbitrary points", [] {
    part const p = parts[*rc::gen::inRange(0, 3)];
    auto const& samples = samples_of(p);
    auto const& sample = samples[*rc::gen::inRange<std::size_t>(0, samples.size())];
    auto ends = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, sample.bytes.size() + 1));
    std::sort(ends.begin(), ends.end());
    ends.push_back(sample.bytes.size());
    RC_ASSERT(read(p, sample.bytes, ends) == read(p, sample.bytes));
  }));
}

TEST(http_parser, does_not_care_what_follows_the_message) {
  for (part p : parts)
    for (auto const& sample : samples_of(p))
      if (!sample.refused) {
        EXPECT_EQ(read(p, sample.bytes + "GET / HTTP/1.1\r\n\x01"), parse_step::complete(sample.bytes.size()))
            << sample.name;
      }
}

/// Two pages, the second of which must not be touched.
class guarded {
 public:
  guarded() : page_{static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) * 4} {
    void* const at = ::mmap(nullptr, page_ * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    start_ = static_cast<char*>(at);
    ::mprotect(start_ + page_, page_, PROT_NONE);
  }
  guarded(guarded const&) = delete;
  guarded& operator=(guarded const&) = delete;
  ~guarded() { ::munmap(start_, page_ * 2); }

  std::string_view place(std::string_view bytes) {
    char* const at = start_ + page_ - bytes.size();
    std::memcpy(at, bytes.data(), bytes.size());
    return {at, bytes.size()};
  }

 private:
  std::size_t page_;
  char* start_;
};

TEST(http_parser, reads_no_byte_behind_what_it_was_given) {
  guarded memory;
  for (part p : parts)
    for (auto const& sample : samples_of(p))
      for (std::size_t n = 0; n <= sample.bytes.size(); ++n)
        (void)read(p, memory.place(std::string_view{sample.bytes}.substr(0, n)));
}

TEST(http_parser, survives_any_bytes) {
  EXPECT_TRUE(rc::check("any bytes", [](std::string const& bytes) {
    for (part p : parts) {
      auto const step = read(p, bytes);
      RC_ASSERT((step.is_bad() ? step.at < bytes.size() : step.at <= bytes.size()));
    }
  }));
  EXPECT_TRUE(rc::check("samples with one byte changed", [] {
    part const p = parts[*rc::gen::inRange(0, 3)];
    auto const& samples = samples_of(p);
    std::string bytes = samples[*rc::gen::inRange<std::size_t>(0, samples.size())].bytes;
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    auto const step = read(p, bytes);
    RC_ASSERT(step.at <= bytes.size());
    std::size_t const stride = 1 + bytes.size() / 200;
    for (std::size_t n = 0; n < bytes.size(); n += stride) {
      auto const prefix = read(p, bytes.substr(0, n));
      RC_ASSERT(prefix.wants_more() || prefix == step);
    }
  }));
}

TEST(http_fault, tells_a_client_apart_what_it_can_do_about_it) {
  EXPECT_EQ(rule_of(http_fault::long_target).status, 414);
  EXPECT_EQ(rule_of(http_fault::long_head).status, 431);
  EXPECT_EQ(rule_of(http_fault::many_fields).status, 431);
  EXPECT_EQ(rule_of(http_fault::unknown_transfer_encoding).status, 501);
  EXPECT_EQ(rule_of(http_fault::unsupported_version).status, 505);
  EXPECT_EQ(rule_of(http_fault::length_with_transfer_encoding).status, 400);
}

TEST(request_parser, tells_what_the_request_is) {
  request_parser parser;
  std::string const bytes =
      "POST http://Example.com/a/b?c=d HTTP/1.1\r\nhost: example.com\r\nContent-Length: 7\r\n"
      "Expect: 100-Continue\r\nX-One:  1 \r\n\r\nbody...";
  auto const step = parser.next(bytes);
  ASSERT_TRUE(step.is_complete()) << show(step);
  auto const& head = parser.head();
  EXPECT_EQ(step.at, bytes.size() - 7);
  EXPECT_EQ(head.method(), http_method::post);
  EXPECT_EQ(head.target_form(), request_head::form::absolute);
  EXPECT_EQ(head.path_and_query(), "/a/b?c=d");
  EXPECT_EQ(head.path(), "/a/b");
  EXPECT_EQ(head.host(), "example.com");
  EXPECT_EQ(head.content_length(), 7U);
  EXPECT_TRUE(head.expects_continue());
  EXPECT_TRUE(head.keeps_alive());
  EXPECT_FALSE(head.has_hop_fields());
  EXPECT_EQ(head.find("x-one"), "1");
  EXPECT_EQ(head.find("x-two"), std::nullopt);
  EXPECT_EQ(framing_of(head), (body_framing{body_framing::kind::length, 7}));
}

TEST(request_parser, keeps_its_head_when_the_bytes_move) {
  request_parser parser;
  auto first = std::make_unique<std::string>("GET /a HTTP/1.1\r\nHo");
  ASSERT_TRUE(parser.next(*first).wants_more());
  std::string const second = *first + "st: a\r\n\r\n";
  first.reset();
  ASSERT_TRUE(parser.next(second).is_complete());
  std::string const third = second;
  parser.head().rebase(third.data());
  EXPECT_EQ(parser.head().host().data(), third.data() + third.find("a\r\n\r\n"));
}

TEST(request_parser, reads_the_next_request_after_reset) {
  request_parser parser;
  ASSERT_TRUE(
      parser.next("POST /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n")
          .is_complete());
  EXPECT_FALSE(parser.head().keeps_alive());
  parser.reset();
  ASSERT_TRUE(parser.next("GET /b HTTP/1.1\r\nHost: b\r\n\r\n").is_complete());
  EXPECT_EQ(parser.head().size(), 1U);
  EXPECT_TRUE(parser.head().keeps_alive());
  EXPECT_FALSE(parser.head().chunked());
  EXPECT_EQ(framing_of(parser.head()).by, body_framing::kind::none);
}

TEST(request_parser, leaves_an_empty_line_before_the_request_out_of_its_bytes) {
  request_parser parser;
  ASSERT_TRUE(parser.next("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n").is_complete());
  EXPECT_EQ(parser.head().bytes(), "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(parser.head().first_line(), "GET / HTTP/1.1");
  EXPECT_EQ(parser.head().method_text(), "GET");
}

TEST(request_parser, keeps_a_connection_as_the_versions_say) {
  auto const keeps = [](std::string_view head) {
    request_parser parser;
    EXPECT_TRUE(parser.next(head).is_complete()) << head;
    return parser.head().keeps_alive();
  };
  EXPECT_TRUE(keeps("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n"));
}

TEST(request_parser, bounds_the_head_the_target_and_the_fields) {
  head_limits const limits{.head_max = 200, .target_max = 20, .fields_max = 3};
  auto const say = [&](std::string const& bytes) {
    request_parser parser{limits};
    return parser.next(bytes);
  };
  std::string const begin = "GET / HTTP/1.1\r\nHost: a\r\n";
  std::string const exact = begin + "X: " + std::string(200 - begin.size() - 7, 'x') + "\r\n\r\n";
  ASSERT_EQ(exact.size(), 200U);
  EXPECT_EQ(say(exact), parse_step::complete(200));
  std::string const longer = begin + "X: " + std::string(200 - begin.size() - 6, 'x') + "\r\n\r\n";
  EXPECT_EQ(say(longer), parse_step::bad(http_fault::long_head, 200));
  EXPECT_EQ(say(longer.substr(0, 200)), parse_step::bad(http_fault::long_head, 200));
  EXPECT_TRUE(say(longer.substr(0, 199)).wants_more());
  EXPECT_TRUE(say("GET /" + std::string(19, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n").is_complete());
  EXPECT_EQ(say("GET /" + std::string(20, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n").why,
            http_fault::long_target);
  EXPECT_EQ(say("GET /" + std::string(400, 'a')).why, http_fault::long_target);
  EXPECT_TRUE(say(begin + "A:1\r\nB:2\r\n\r\n").is_complete());
  EXPECT_EQ(say(begin + "A:1\r\nB:2\r\nC:3\r\n\r\n").why, http_fault::many_fields);
}

TEST(request_parser, bounds_a_name_that_its_record_could_not_hold) {
  request_parser parser;
  EXPECT_EQ(parser.next("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(256, 'n') + ": 1\r\n\r\n").why,
            http_fault::long_head);
}

TEST(response_parser, tells_where_the_body_ends) {
  using enum body_framing::kind;
  auto const framing = [](std::string_view head, http_method m = http_method::get) {
    response_parser parser;
    EXPECT_TRUE(parser.next(head).is_complete()) << head;
    return framing_of(parser.head(), m);
  };
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), (body_framing{length, 5}));
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").by, none);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", http_method::head).by, none);
  EXPECT_EQ(framing("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").by, none);
  EXPECT_EQ(framing("HTTP/1.1 204 No Content\r\n\r\n").by, none);
  EXPECT_EQ(framing("HTTP/1.1 103 Early Hints\r\n\r\n").by, none);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n").by, chunked);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\n\r\n").by, until_close);
  EXPECT_EQ(framing("HTTP/1.1 200 OK\r\n\r\n", http_method::connect).by, none);
}

}  // namespace
}  // namespace halfopen::net
