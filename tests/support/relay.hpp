// Stands between a client and a server: passes bytes on, holds answers back, cuts the line.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>

namespace rowq::test {

// Listens on a free port of 127.0.0.1. The server is `host` (a folder: its unix socket) and `port`; an empty host: nobody ever answers.
class Relay {
public:
    Relay(std::string host, std::string port) : host_(std::move(host)), port_(std::move(port)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = local(0);
        socklen_t size = sizeof address;
        if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
            ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
            throw std::runtime_error("no port to listen on");
        listening_ = ntohs(address.sin_port);
        thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
    }
    ~Relay() {
        thread_.request_stop();
        thread_.join();
        ::close(listener_);
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;

    [[nodiscard]] std::string port() const { return std::to_string(listening_); }
    [[nodiscard]] std::string host_and_port() const { return "127.0.0.1:" + port(); }

    // From now on the server's answers stay here.
    void hold_answers(bool hold = true) { hold_ = hold; }

    // Ends every connection, without a word to either side. Returns when it is done.
    void cut() {
        cut_ = true;
        while (cut_) std::this_thread::yield();
    }

private:
    struct Line {
        int client;
        int server;
    };

    static sockaddr_in local(int port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<in_port_t>(port));
        return address;
    }

    int connect_to_server() const {
        if (host_.empty()) return -1;
        int result = -1;
        int fd = -1;
        if (host_.starts_with('/')) {
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            const std::string path = host_ + "/.s.PGSQL." + port_;
            path.copy(address.sun_path, sizeof address.sun_path - 1);
            fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            result = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
        } else {
            sockaddr_in address = local(std::atoi(port_.c_str()));
            fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            result = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
        }
        if (result == 0) return fd;
        ::close(fd);
        return -1;
    }

    void serve(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            pollfd ready{listener_, POLLIN, 0};
            if (::poll(&ready, 1, 1) > 0)
                lines_.push_back({::accept(listener_, nullptr, nullptr), connect_to_server()});
            const bool cut =
                cut_; // once for all lines: what is asked for meanwhile is the next round's
            lines_.remove_if([this, cut](const Line& line) {
                const bool goes_on = !cut && pass(line.client, line.server) &&
                                     (hold_ || pass(line.server, line.client));
                if (!goes_on) end(line);
                return !goes_on;
            });
            if (cut) cut_ = false;
        }
        for (const Line& line : lines_) end(line);
    }

    static void end(const Line& line) {
        ::close(line.client);
        if (line.server >= 0) ::close(line.server);
    }

    // What is there now; false when one side has ended.
    static bool pass(int from, int to) {
        pollfd ready{from, POLLIN, 0};
        if (from < 0 || ::poll(&ready, 1, 0) <= 0) return true;
        char bytes[65536];
        const ssize_t count = ::recv(from, bytes, sizeof bytes, 0);
        if (count <= 0) return false;
        for (ssize_t done = 0; to >= 0 && done < count;) {
            const ssize_t sent =
                ::send(to, bytes + done, static_cast<std::size_t>(count - done), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            done += sent;
        }
        return true;
    }

    std::string host_;
    std::string port_;
    int listener_ = -1;
    int listening_ = 0;
    std::atomic<bool> hold_{false};
    std::atomic<bool> cut_{false};
    std::list<Line> lines_; // the thread's own
    std::jthread thread_;
};

} // namespace rowq::test
