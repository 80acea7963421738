// The properties that terminal_at finds for pseudo-terminals and pipes, under several environments.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "cli/messages.hpp"

namespace gpuimg::test_terminal {
namespace {

/// Sets or unsets an environment variable until the end of the scope.
class Variable {
 public:
  Variable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* before = std::getenv(name)) {
      before_ = before;
    }
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) const {
    value ? ::setenv(name_, value->c_str(), 1) : ::unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> before_;
};

/// A pseudo-terminal with `columns`, open until the end of the scope.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns) : controller_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    ::grantpt(controller_);
    ::unlockpt(controller_);
    terminal_ = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY);
    winsize size{};
    size.ws_col = columns;
    ::ioctl(terminal_, TIOCSWINSZ, &size);
  }
  ~PseudoTerminal() {
    ::close(terminal_);
    ::close(controller_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  [[nodiscard]] int descriptor() const { return terminal_; }

 private:
  int controller_;
  int terminal_ = -1;
};

TEST(Terminal, WidthIsThatOfTheWindowOr80) {
  const Terminal narrow = terminal_at(PseudoTerminal(37).descriptor());
  EXPECT_TRUE(narrow.is_terminal);
  EXPECT_EQ(narrow.columns, 37);
  EXPECT_EQ(terminal_at(PseudoTerminal(0).descriptor()).columns, 80);
  EXPECT_EQ(terminal_at(-1).columns, 80);
}

TEST(Terminal, ColorNeedsACapableTerminalAndNoNoColorVariable) {
  const PseudoTerminal pseudo(80);
  const auto capabilities = [&](std::optional<std::string> type, std::optional<std::string> no_color) {
    const Variable term("TERM", std::move(type));
    const Variable color("NO_COLOR", std::move(no_color));
    const Terminal terminal = terminal_at(pseudo.descriptor());
    return std::string(terminal.escapes ? "escapes" : "plain") + (terminal.color ? " color" : "");
  };
  EXPECT_EQ(capabilities("xterm", std::nullopt), "escapes color");
  EXPECT_EQ(capabilities("xterm", ""), "escapes color");
  EXPECT_EQ(capabilities("xterm", "0"), "escapes");
  EXPECT_EQ(capabilities("dumb", std::nullopt), "plain");
  EXPECT_EQ(capabilities("", std::nullopt), "plain");
  EXPECT_EQ(capabilities(std::nullopt, std::nullopt), "plain");
}

TEST(Terminal, PipesHaveNeitherEscapesNorColor) {
  const Variable term("TERM", "xterm");
  const Variable color("NO_COLOR", std::nullopt);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const Terminal pipe = terminal_at(ends[1]);
  ::close(ends[0]);
  ::close(ends[1]);
  EXPECT_FALSE(pipe.is_terminal);
  EXPECT_FALSE(pipe.escapes);
  EXPECT_FALSE(pipe.color);
  EXPECT_EQ(pipe.columns, 80);
}

TEST(Terminal, Utf8FollowsTheLocale) {
  const auto is_utf8 = [](std::optional<std::string> all, std::optional<std::string> type,
                          std::optional<std::string> language) {
    const Variable lc_all("LC_ALL", std::move(all));
    const Variable lc_ctype("LC_CTYPE", std::move(type));
    const Variable lang("LANG", std::move(language));
    return terminal_at(-1).utf8;
  };
  EXPECT_FALSE(is_utf8(std::nullopt, std::nullopt, std::nullopt));
  EXPECT_TRUE(is_utf8("C.UTF-8", std::nullopt, std::nullopt));
  EXPECT_TRUE(is_utf8(std::nullopt, "C.UTF-8", "C"));
  EXPECT_TRUE(is_utf8(std::nullopt, std::nullopt, "C.UTF-8"));
  EXPECT_FALSE(is_utf8("C", "C.UTF-8", "C.UTF-8"));
  EXPECT_FALSE(is_utf8("xx_XX.no-such", std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace gpuimg::test_terminal
