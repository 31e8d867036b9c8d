#pragma once

// A headless Chromium driven as a user would drive it: real mouse and keyboard events, and everything the
// page complains about is kept. It is spoken to over the DevTools protocol, through two pipes.

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/run_program.hpp"

namespace taut::test {

class Browser {
 public:
  using Json = nlohmann::json;

  Browser() {
    std::signal(SIGPIPE, SIG_IGN);  // a browser that has ended is noticed by its pipe
    std::array<int, 2> to = {}, from = {};
    if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipes");
    process_ = fork();
    if (process_ == 0) start(to[0], from[1]);
    close(to[0]);
    close(from[1]);
    write_ = to[1];
    read_ = from[0];
    const Json target = call("Target.createTarget", {{"url", "about:blank"}});
    session_ =
        call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
    for (const char* domain : {"Page", "Runtime", "Log", "Network"}) call(std::string(domain) + ".enable");
  }

  ~Browser() {
    close(write_);
    close(read_);
    kill(process_, SIGTERM);
    int status = 0;
    waitpid(process_, &status, 0);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Opens a file of this machine and forgets what an earlier page complained about.
  void open(const std::string& path, int width = 1280, int height = 900) {
    problems.clear();
    requests.clear();
    loaded_ = false;
    call("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    call("Page.navigate", {{"url", "file://" + path}});
    for (const auto end = now() + patience; !loaded_;) {
      if (now() > end) throw std::runtime_error("the page did not load: " + path);
      receive(100);
    }
  }

  // Returns the value of an expression; waits for a promise. Throws what the expression throws.
  Json evaluate(const std::string& expression) {
    const Json answer = call("Runtime.evaluate",
                             {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
    if (answer.contains("exceptionDetails"))
      throw std::runtime_error(expression + ": " + answer["exceptionDetails"].dump());
    return answer["result"].value("value", Json());
  }

  void wait(int milliseconds) {
    for (const auto end = now() + std::chrono::milliseconds(milliseconds); now() < end;) receive(10);
  }
  // Waits until the expression is true.
  bool wait_for(const std::string& expression) {
    for (const auto end = now() + patience; now() < end; wait(30))
      if (evaluate(expression) == Json(true)) return true;
    return false;
  }

  void drag(double x0, double y0, double x1, double y1) {
    mouse("mouseMoved", x0, y0, 0);
    mouse("mousePressed", x0, y0, 1);
    for (int k = 1; k <= 5; ++k) mouse("mouseMoved", x0 + (x1 - x0) * k / 5, y0 + (y1 - y0) * k / 5, 1);
    mouse("mouseReleased", x1, y1, 1);
  }
  void click(double x, double y, int times = 1) {
    mouse("mouseMoved", x, y, 0);
    for (int k = 1; k <= times; ++k) {
      mouse("mousePressed", x, y, 1, k);
      mouse("mouseReleased", x, y, 1, k);
    }
  }
  void point_at(double x, double y) { mouse("mouseMoved", x, y, 0); }
  void key(const std::string& name) {
    for (const char* type : {"rawKeyDown", "keyUp"})
      call("Input.dispatchKeyEvent", {{"type", type}, {"key", name}, {"code", name == " " ? "Space" : name}});
  }

  void media(const std::string& colours) {
    call("Emulation.setEmulatedMedia",
         {{"features", {{{"name", "prefers-color-scheme"}, {"value", colours}}}}});
  }
  // Returns a PNG of the whole page, in base64.
  std::string picture() {
    return call("Page.captureScreenshot", {{"format", "png"}, {"captureBeyondViewport", true}})["data"];
  }
  // Returns the page on A4, in base64.
  std::string pdf() {
    return call("Page.printToPDF",
                {{"printBackground", true}, {"paperWidth", 8.27}, {"paperHeight", 11.69}})["data"];
  }

  std::vector<std::string> problems;  // errors and warnings on the console, exceptions nobody caught
  std::vector<std::string> requests;  // addresses the page asked for

 private:
  using Clock = std::chrono::steady_clock;
  static Clock::time_point now() { return Clock::now(); }
  static constexpr std::chrono::seconds patience{30};

  // Runs in the child: the pipes become 3 and 4, where --remote-debugging-pipe looks for them.
  [[noreturn]] void start(int read, int write) {
    const int in = fcntl(read, F_DUPFD, 10), out = fcntl(write, F_DUPFD, 10);
    const int silence = ::open("/dev/null", O_RDWR);
    for (const int stream : {0, 1, 2}) dup2(silence, stream);
    dup2(in, 3);
    dup2(out, 4);
    const std::string profile = "--user-data-dir=" + folder_.string();
    execlp("chromium", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
           "--no-first-run", "--disable-background-networking", "--disable-component-update",
           "--disable-sync", "--disable-dev-shm-usage", "--remote-debugging-pipe", profile.c_str(),
           static_cast<char*>(nullptr));
    _exit(127);
  }

  void mouse(const char* type, double x, double y, int buttons, int count = 1) {
    call("Input.dispatchMouseEvent", {{"type", type},
                                      {"x", x},
                                      {"y", y},
                                      {"button", buttons != 0 ? "left" : "none"},
                                      {"buttons", std::string(type) == "mouseReleased" ? 0 : buttons},
                                      {"clickCount", count}});
  }

  Json call(const std::string& method, const Json& parameters = Json::object()) {
    Json message = {{"id", ++count_}, {"method", method}, {"params", parameters}};
    if (!session_.empty()) message["sessionId"] = session_;
    const std::string text = message.dump() + '\0';
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = write(write_, text.data() + sent, text.size() - sent);
      if (n <= 0) throw std::runtime_error("chromium is not there; is the package installed?");
      sent += static_cast<std::size_t>(n);
    }
    answer_ = Json();
    for (const auto end = now() + patience; answer_.is_null();) {
      if (now() > end) throw std::runtime_error("no answer to " + method);
      receive(100);
    }
    if (answer_.contains("error")) throw std::runtime_error(method + ": " + answer_["error"].dump());
    return answer_["result"];
  }

  void receive(int milliseconds) {
    pollfd ready{read_, POLLIN, 0};
    if (poll(&ready, 1, milliseconds) <= 0) return;
    std::array<char, 65536> some = {};
    const ssize_t n = read(read_, some.data(), some.size());
    if (n <= 0) throw std::runtime_error("chromium has ended; is the package installed?");
    buffer_.append(some.data(), static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = buffer_.find('\0')) != std::string::npos;) {
      const Json message = Json::parse(buffer_.substr(0, end));
      buffer_.erase(0, end + 1);
      if (message.contains("id")) {
        if (message["id"] == count_) answer_ = message;
      } else {
        heed(message["method"], message["params"]);
      }
    }
  }

  void heed(const std::string& event, const Json& what) {
    if (event == "Page.loadEventFired") loaded_ = true;
    if (event == "Runtime.exceptionThrown") problems.push_back(what["exceptionDetails"].dump());
    if (event == "Runtime.consoleAPICalled" && what["type"] != "log") problems.push_back(what.dump());
    if (event == "Log.entryAdded") problems.push_back(what["entry"].dump());
    if (event == "Network.requestWillBeSent") requests.push_back(what["request"]["url"]);
  }

  OwnFolder folder_;
  pid_t process_ = -1;
  int write_ = -1, read_ = -1, count_ = 0;
  bool loaded_ = false;
  std::string session_, buffer_;
  Json answer_;
};

}  // namespace taut::test
