#include <csignal>
#include <ostream>

#include <halfopen/app/demo.hpp>
#include <halfopen/app/demo_director.hpp>
#include <halfopen/app/demo_screen.hpp>
#include <halfopen/app/demo_stage.hpp>
#include <halfopen/app/signals.hpp>
#include <halfopen/net/event_loop.hpp>

namespace halfopen::app {
namespace {

using namespace std::chrono_literals;

// The main thread's half of the demo: takes what happened, asks the director, tells the story.
class performance {
 public:
  performance(demo_command const& c, terminal& t, demo_inbox& inbox, demo_stage& stage)
      : command_{c},
        terminal_{t},
        screen_{c.json, t, net::steady_now()},
        inbox_{inbox},
        stage_{stage},
        director_{net::steady_now()} {}

  exit_code play() {
    screen_.open();
    for (;;) {
      if (auto const e = inbox_.take(std::min(director_.wake_at(), screen_.wake_at()))) {
        if (std::holds_alternative<signalled>(e->what)) return screen_.close(), exit_code::done;
        hear(*e);
      }
      screen_.refresh(net::steady_now());
      if (told_) continue;
      if (auto const end = act()) return *end;
    }
  }

 private:
  void hear(demo_event const& e) {
    screen_.show(e);
    if (auto const* const t = std::get_if<demo_transition>(&e.what)) director_.saw(t->to, e.at);
  }

  std::optional<exit_code> act() {
    switch (director_.next(net::steady_now())) {
      case demo_director::action::wait: break;
      case demo_director::action::break_upstream: stage_.upstream().set_failing(true); break;
      case demo_director::action::heal_upstream: stage_.upstream().set_failing(false); break;
      case demo_director::action::finish: return finish();
      case demo_director::action::give_up: return give_up();
    }
    return std::nullopt;
  }

  std::optional<exit_code> finish() {
    screen_.summarise();
    if (command_.once) return exit_code::done;
    told_ = true;
    director_ = demo_director{instant::max()};
    screen_.invite({stage_.server().endpoint().text(), stage_.server().admin_endpoint().text(),
                    stage_.upstream().local().text(), stage_.token_file().string()});
    return std::nullopt;
  }

  std::optional<exit_code> give_up() {
    screen_.summarise();
    complain(terminal_, "no recovery was seen within " + std::to_string(demo_director::patience / 1s) + " s");
    return exit_code::failed;
  }

  demo_command const& command_;
  terminal& terminal_;
  demo_screen screen_;
  demo_inbox& inbox_;
  demo_stage& stage_;
  demo_director director_;
  bool told_ = false;  // the story is over; what follows is the visitor's own
};

}  // namespace

exit_code run(demo_command const& c, terminal& t) {
  std::signal(SIGPIPE, SIG_IGN);
  signal_watch signals{SIGTERM, SIGINT, SIGHUP};
  demo_inbox inbox;
  signals.start([&inbox](int signal) { inbox.put({net::steady_now(), signalled{signal}}); });
  auto stage = demo_stage::make(inbox);
  if (!stage) {
    complain(t, stage.error());
    return exit_code::failed;
  }
  auto const code = performance{c, t, inbox, **stage}.play();
  stage->reset();
  signals.stop();
  return code;
}

}  // namespace halfopen::app
