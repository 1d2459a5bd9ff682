#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <halfopen/net/event_loop.hpp>
#include <halfopen/net/poller.hpp>
#include <halfopen/net/send_queue.hpp>
#include <halfopen/net/unique_fd.hpp>

namespace halfopen::gateway {

/// A stream socket on a loop, seen as events: bytes may be read, what was written has left, the peer is gone.
///
/// Writing never waits: what the kernel does not take is kept, and goes out by itself when it can. Whoever
/// writes looks at unsent() and stops its own source while that is too much. What it can take leaves when the
/// loop's turn ends, together with what the others have written.
/// Threads: its loop's.
class event_socket : private net::io_source, private net::send_queue::entry {
 public:
  enum class read_end : unsigned char { data, drained, closed, broken };
  struct read_result {
    std::string_view bytes{};
    read_end end = read_end::data;
  };

  event_socket(event_socket const&) = delete;
  event_socket& operator=(event_socket const&) = delete;

  [[nodiscard]] bool is_open() const noexcept { return static_cast<bool>(fd_); }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] std::size_t unsent() const noexcept { return out_.size() - sent_; }
  [[nodiscard]] bool peer_closed() const noexcept { return peer_closed_; }
  [[nodiscard]] bool may_read() const noexcept { return readable_; }

 protected:
  explicit event_socket(net::event_loop& loop) noexcept : loop_{loop} {}
  ~event_socket() { close(); }

  /// False: the loop cannot watch it, and it has been closed.
  bool open(net::unique_fd fd);
  /// The same for a socket whose connect() is under way: on_connected follows.
  bool open_connecting(net::unique_fd fd);
  void close() noexcept;
  /// Closes so that the peer sees a broken connection, not an end.
  void reset() noexcept;
  /// Says that nothing more will be sent.
  void finish_sending() noexcept;

  /// The next bytes, in the loop's scratch memory: yours until you return to the loop.
  [[nodiscard]] read_result read() noexcept;

  /// Sends `a` and `b`, at the end of the turn or at once, as far as the kernel takes them. False: the
  /// connection is known to be broken.
  bool write(std::string_view a, std::string_view b = {});
  /// Takes back the last `size` bytes that were written. False: some of them have left.
  [[nodiscard]] bool take_back(std::size_t size);
  /// Sends now what waits for the end of the turn, so that unsent() tells all. False: as write().
  bool hurry() { return !waiting() || write({}); }

  [[nodiscard]] net::event_loop& loop() const noexcept { return loop_; }

 private:
  virtual void on_connected(int error) { (void)error; }  // errno, or 0
  virtual void on_readable() = 0;
  virtual void on_drained() = 0;  // everything that was kept has been sent
  virtual void on_broken() = 0;   // reset, or writing failed: nothing more will come or go
  virtual void on_peer_closed() = 0;

  /// Whether bytes would be taken if there were any.
  [[nodiscard]] virtual bool wants_bytes() const noexcept = 0;

  void on_ready(net::readiness r) final;
  void tell(net::readiness const& r);
  [[nodiscard]] bool reads_ahead() const noexcept final {
    return !readable_ && !connecting_ && early_.empty() && wants_bytes();
  }
  [[nodiscard]] read_result take(net::arrival const& a) noexcept;
  void on_unsent(std::string_view a, std::string_view b, int error) final;
  void connected();
  bool flush();
  void send_what_waits() noexcept;
  using parts = std::array<std::string_view, 4>;
  [[nodiscard]] std::size_t send_now(parts const& bytes, bool& broken) noexcept;

  net::event_loop& loop_;
  net::unique_fd fd_;
  std::string out_;  // what the kernel has not taken yet, from sent_ on
  std::size_t sent_ = 0;
  net::arrival const* arrived_ = nullptr;  // what the loop has read already, while it tells so
  std::string early_;                      // what of that was not taken
  bool readable_ = false;
  bool writable_ = true;
  bool peer_closed_ = false;
  bool connecting_ = false;
};

}  // namespace halfopen::gateway
