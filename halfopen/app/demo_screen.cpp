#include <ostream>

#include <halfopen/app/demo_screen.hpp>

namespace halfopen::app {
namespace {

std::string milliseconds(duration d) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(d).count());
}

}  // namespace

void demo_screen::open() {
  if (!json_) line(story_.opening());
}

void demo_screen::show(demo_event const& e) {
  if (auto const* const o = std::get_if<call_outcome>(&e.what)) return count(*o);
  if (json_) return show_json(e);
  if (auto const* const t = std::get_if<demo_transition>(&e.what)) {
    probe_at_ = e.at + t->wait;
    line(story_.transition(e.at - start_, *t, counts_));
  }
  if (auto const* const u = std::get_if<upstream_changed>(&e.what))
    line(story_.upstream(e.at - start_, u->failing));
}

void demo_screen::refresh(instant now) {
  if (!in_place() || now < due_) return;
  due_ = now + between_frames;
  terminal_.out << "\r\x1b[K" << story_.live(now - start_, counts_, probe_at_ - now) << std::flush;
}

void demo_screen::summarise() {
  if (json_) return;
  line("");
  line("          " + story_.summary(counts_));
}

void demo_screen::invite(demo_addresses const& a) {
  if (json_) {
    terminal_.out << R"({"event":"serving","gateway":")" << a.gateway << R"(","admin":")" << a.admin
                  << R"(","service":")" << a.upstream << R"(","token_file":")" << a.token_file << "\"}\n"
                  << std::flush;
    return;
  }
  auto const head = [&](std::string const& s) { return "  " + padded(s, 16); };
  line("\nThe gateway keeps serving, and the calls go on. In another terminal:\n\n" + head("call it") +
       "curl -i http://" + a.gateway + "/\n" + head("break it") + "curl -X POST http://" + a.upstream +
       "/break\n" + head("heal it") + "curl -X POST http://" + a.upstream + "/heal\n" +
       head("see its breaker") + "curl -H \"Authorization: Bearer $(cat " + a.token_file + ")\" http://" +
       a.admin + "/v1/tools/service/breaker\n" + head("or in short") + "halfopen status --admin " + a.admin +
       " --token-file " + a.token_file + "\n\n" + "Ctrl-C ends it.\n");
}

void demo_screen::close() { clear(); }

void demo_screen::line(std::string const& text) {
  clear();
  terminal_.out << text << '\n' << std::flush;
  due_ = instant{};
}

void demo_screen::clear() {
  if (in_place()) terminal_.out << "\r\x1b[K" << std::flush;
}

void demo_screen::count(call_outcome o) {
  switch (o) {
    case call_outcome::passed: ++counts_.passed; return;
    case call_outcome::failed: ++counts_.failed; return;
    case call_outcome::refused: ++counts_.refused; return;
    case call_outcome::lost: ++counts_.lost; return;
  }
}

void demo_screen::show_json(demo_event const& e) {
  auto& out = terminal_.out;
  out << R"({"at_ms":)" << milliseconds(e.at - start_);
  if (auto const* const t = std::get_if<demo_transition>(&e.what))
    out << R"(,"event":"transition","to":")" << name(t->to) << R"(","cause":")" << name(t->cause)
        << R"(","wait_ms":)" << milliseconds(t->wait);
  if (auto const* const u = std::get_if<upstream_changed>(&e.what))
    out << R"(,"event":")" << (u->failing ? "broken" : "healed") << '"';
  out << R"(,"passed":)" << counts_.passed << R"(,"failed":)" << counts_.failed << R"(,"refused":)"
      << counts_.refused << "}\n"
      << std::flush;
}

}  // namespace halfopen::app
