#include <halfopen/app/topics.hpp>

namespace halfopen::app {
namespace {

constexpr char const* exit_codes =
    "What `halfopen` returns:\n"
    "\n"
    "  0   done\n"
    "  1   a check failed, or the work could not be done: a port is taken, a gateway does not answer,\n"
    "      the demo saw no recovery, an audit log does not hold\n"
    "  2   the command line or a configuration is wrong (also: it names a database that another gateway\n"
    "      writes): nothing was done\n"
    "\n"
    "`halfopen check SPEC.tla` has TLC's, so that scripts carry over:\n"
    "\n"
    "  0   no error: every state was visited; or --simulate found nothing, which is not exhaustive;\n"
    "      or --eval, --repl or --parse-only did what was asked\n"
    "  10  an assumption or a postcondition is false\n"
    "  11  deadlock\n"
    "  12  an invariant is broken\n"
    "  13  a PROPERTY is broken: liveness, [][A]_v, an initial predicate\n"
    "  75  something cannot be evaluated\n"
    "  124 a limit ended it (--time, --memory, --max-states, --max-depth): never 0\n"
    "  150 the spec, or an expression of the command line, is wrong\n"
    "  151 the configuration of the model is wrong\n"
    "\n"
    "`halfopen check --all DIR` returns 0 if every outcome was expected, else 1.\n"
    "\n"
    "What is wrong is told on stderr, in one line; of a configuration, every problem in a line of its own\n"
    "as file:line:column, with a code that stays the same.\n";

}  // namespace

std::string topic_text(std::string_view topic) { return topic == "exit-codes" ? exit_codes : ""; }

std::vector<std::string> topic_names() { return {"exit-codes", "commands"}; }

}  // namespace halfopen::app
