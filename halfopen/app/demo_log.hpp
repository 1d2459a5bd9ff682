#pragma once

#include <optional>

#include <halfopen/app/demo_story.hpp>
#include <halfopen/gateway/server.hpp>

namespace halfopen::app {

/// What the gateway's log says about a breaker, or nothing where it is about something else.
[[nodiscard]] std::optional<demo_transition> transition_of(gateway::log_message const& m);

}  // namespace halfopen::app
