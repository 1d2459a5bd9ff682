#pragma once

#include <functional>
#include <memory>

#include <halfopen/app/demo_inbox.hpp>
#include <halfopen/net/endpoint.hpp>

namespace halfopen::app {

/// A client that calls ten times a second, on a thread of its own, until it is destroyed.
class demo_traffic {
 public:
  demo_traffic(net::endpoint to, demo_inbox& inbox);
  ~demo_traffic();
  demo_traffic(demo_traffic const&) = delete;
  demo_traffic& operator=(demo_traffic const&) = delete;

 private:
  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace halfopen::app
