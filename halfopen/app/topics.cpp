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
    "`halfopen check` has TLC's: 10 assumption false, 11 deadlock, 12 invariant broken, 13 property broken,\n"
    "75 evaluation error, 150 error in the spec, 151 error in the configuration; 124 when a limit ended it.\n"
    "\n"
    "What is wrong is told on stderr, in one line; of a configuration, every problem in a line of its own\n"
    "as file:line:column, with a code that stays the same.\n";

}  // namespace

std::string topic_text(std::string_view topic) { return topic == "exit-codes" ? exit_codes : ""; }

std::vector<std::string> topic_names() { return {"exit-codes", "commands"}; }

}  // namespace halfopen::app
