#!/usr/bin/env python3
"""Types command lines into a shell in a terminal, presses Tab, and checks the terminal's output.

usage: complete.py GPUIMG bash|zsh|fish      exit 77: the shell is not installed
"""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
import fcntl

SKIPPED = 77
READY = 'ready-for-a-line'
CTRL_U = '\x15'  # clears the line; Ctrl-C would also discard what is typed after it

# (text before Tab, text that must appear after it, text that must not appear)
CASES = [
    ('gpuimg eq', ['equalize '], []),
    ('gpuimg ', ['hist', 'equalize', 'integral', 'hsl', 'completion'], []),
    ('gpuimg equalize --stren', ['--strength'], []),
    ('gpuimg equalize --color y', ['ycbcr'], []),
    ('gpuimg equalize --color=y', ['ycbcr'], []),
    ('gpuimg equalize --formula ', ['opencv', 'cdf', 'pillow'], []),
    ('gpuimg --backend cp', ['cpu'], []),
    ('gpuimg --backend cpu eq', ['equalize '], []),
    ('gpuimg hist --timin', ['--timing'], []),
    ('gpuimg hist first', ['first.png'], ['first.txt']),
    ('gpuimg hist SECOND', ['SECOND.JPG'], ['SECOND.TXT']),
    ('gpuimg hist sub', ['subfolder/'], []),
    ('gpuimg equalize --apply ta', ['table.csv'], ['table.txt']),
    ('gpuimg equalize --mask sec', ['second.mask'], []),
    ('gpuimg equalize --the', ['--then'], []),
    ('gpuimg denoise in.png out.png --then thr', ['threshold '], []),
    ('gpuimg denoise in.png out.png --then equalize --cla', ['--clahe'], []),
    ('gpuimg equalize in.png out.png --then denoise --pat', ['--patch'], []),
    # The options of the step and of the run, but not the options of other steps.
    ('gpuimg denoise in.png out.png --then equalize --', ['--clahe', '--timing', '--quality', '--then'],
     ['--patch', '--search']),
    ('gpuimg equalize in.png out.png --then denoise --then threshold --', ['--window', '--max-memory', '--jobs'],
     ['--clahe', '--patch']),
    ('gpuimg equalize --patc', [], ['--patch']),
    ('gpuimg denoise in.png out.png --then equalize --color y', ['ycbcr'], []),
    ('gpuimg denoise in.png out.png --then inf', [], ['info ']),
    ('gpuimg help hs', ['hsl '], []),
    ('gpuimg completion z', ['zsh'], []),
    ('gpuimg flip ver', ['vertical '], []),
    ('gpuimg flip vertical fir', ['first.png'], ['first.txt']),
    ('gpuimg rotate 90 in.png out.png --then flip ver', ['vertical '], []),
]
FILES = ['first.png', 'first.txt', 'SECOND.JPG', 'SECOND.TXT', 'table.csv', 'table.txt', 'second.mask']

START = {
    'bash': (['bash', '--norc', '--noprofile', '-i'],
             "bind 'set show-all-if-ambiguous on'; bind 'set completion-query-items 0'; bind 'set page-completions off'; "
             'eval "$(gpuimg completion bash)"'),
    'zsh': (['zsh', '-f', '-i'],
            'autoload -Uz compinit; compinit -u -D; LISTMAX=9999; PS1="% "; eval "$(gpuimg completion zsh)"'),
    'fish': (['fish', '--no-config', '-i'], 'gpuimg completion fish | source'),
}


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command, folder, path):
        self.child, self.descriptor = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, {
                'PATH': path, 'HOME': folder, 'TERM': 'xterm', 'LC_ALL': 'C.UTF-8', 'XDG_DATA_HOME': folder,
                'XDG_CONFIG_HOME': folder, 'HISTFILE': '/dev/null', 'fish_features': 'no-query-term'})
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack('HHHH', 200, 200, 0, 0))
        self.seen = ''

    def send(self, text):
        self.seen = ''
        os.write(self.descriptor, text.encode())

    def read(self, seconds):
        """Reads for up to `seconds`; returns False if nothing appeared."""
        if not select.select([self.descriptor], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.descriptor, 65536).decode(errors='replace')
        except OSError:
            return False
        return True

    def wait_for(self, is_there, seconds=20):
        end = time.monotonic() + seconds
        while not is_there(self.text()) and time.monotonic() < end:
            self.read(0.2)
        return is_there(self.text())

    def text(self):
        """The output so far, without colors and cursor movements."""
        return re.sub(r'\x1b(\[[0-9;?>=]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-Za-z]|[=>])', '', self.seen)

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.descriptor)


def check(terminal, typed, wanted, unwanted):
    terminal.send(typed + '\t')
    complete = terminal.wait_for(lambda text: all(one in text for one in wanted))
    while terminal.read(0.2):
        pass
    text = terminal.text()
    wrong = [one for one in unwanted if one in text]
    terminal.send(CTRL_U)
    terminal.send(f'echo {READY[:5]}""{READY[5:]}\n')
    terminal.wait_for(lambda text: READY in text)
    if complete and not wrong:
        return True
    print(f'after {typed!r} and Tab: wanted {wanted}, unwanted {unwanted}; the terminal shows {text!r}')
    return False


def main():
    gpuimg, shell = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if shutil.which(shell) is None:
        print(f'skipped: {shell} is not installed')
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            pathlib.Path(folder, name).touch()
        pathlib.Path(folder, 'subfolder').mkdir()
        pathlib.Path(folder, 'bin').mkdir()
        pathlib.Path(folder, 'bin', 'gpuimg').symlink_to(gpuimg)
        command, setup = START[shell]
        terminal = Terminal(command, folder, f'{folder}/bin:/usr/bin:/bin')
        try:
            terminal.read(5)
            terminal.send(f'{setup}; echo {READY[:5]}""{READY[5:]}\n')
            if not terminal.wait_for(lambda text: READY in text, 60):
                print(f'{shell} did not start: {terminal.text()!r}')
                return 1
            results = [check(terminal, *case) for case in CASES]
        finally:
            terminal.end()
    print(f'{shell}: {sum(results)} of {len(results)} completions as wanted')
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main())
