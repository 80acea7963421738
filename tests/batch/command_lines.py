"""Sends command lines to `gpuimg batch -`: many at a time, some of them invalid, and kills the process at random
moments. Each answer must belong to its line, an output named in an answer must exist, and no output may be partial.

usage: command_lines.py GPUIMG [TIMES]     TIMES: number of kills (GPUIMG_TEST_INTERRUPTIONS, or 8)
"""
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import batch_run
import image_tree
from batch_run import check

IMAGES = 60
STEPS = ["equalize", "threshold", "resize --size 50%", "flip horizontal", "integral --mean 5", "hsl --hue 20",
         "equalize --strength 0.5 --then rotate 90", "convert --depth 8"]
BROKEN = ["equalize missing.png {out}", "equalize 'no end {out}", "nonsense {in} {out}", "[\"resize\", 3]",
          "resize --size 0x0 {in} {out}"]


class Trial:
    def __init__(self, gpuimg, folder, random):
        self.gpuimg, self.folder, self.random = gpuimg, folder, random
        image_tree.write(os.path.join(folder, "in"), IMAGES, (61, 43), seed=random.randrange(1_000_000))
        self.inputs = sorted(os.path.join(root, name) for root, _, names in os.walk(os.path.join(folder, "in"))
                             for name in names)
        self.lines, self.names, self.expected = [], [], {}
        for number, path in enumerate(self.inputs * 3):
            out = os.path.join(folder, "out", f"{number}.png")
            if random.random() < 0.15:
                text = random.choice(BROKEN).replace("{in}", path).replace("{out}", out)
                self.names.append(None)
            else:
                words = shlex.split(random.choice(STEPS))
                place = words.index("--then") if "--then" in words else len(words)
                words[place:place] = [path, out]
                alone = os.path.join(folder, "alone.png")
                batch_run.expect(0, gpuimg, *[alone if word == out else word for word in words], "--force", "-q")
                with open(alone, "rb") as file:
                    self.expected[out] = file.read()
                text = json.dumps(words) if random.random() < 0.5 else shlex.join(words)
                self.names.append(out)
            self.lines.append(text)

    def start(self, lines=subprocess.PIPE):
        shutil.rmtree(os.path.join(self.folder, "out"), ignore_errors=True)
        os.mkdir(os.path.join(self.folder, "out"))
        jobs = str(self.random.choice([1, 2, 5]))
        return subprocess.Popen([self.gpuimg, "batch", "-", "--backend", "cpu", "-j", jobs], stdin=lines,
                                stdout=subprocess.PIPE, cwd=self.folder, text=True)

    def check_answers(self, answers):
        """Checks that each answer belongs to its line; returns the outputs that the answers name."""
        told = set()
        for number, (answer, name) in enumerate(zip(answers, self.names)):
            check(answer["line"] == number + 1, f"answer {number + 1} is of line {answer['line']}")
            if answer["exit_code"] in (batch_run.INTERRUPTED, batch_run.STOPPED_EARLY):
                check(not answer["outputs"], f"line {number + 1} was interrupted, but wrote: {answer}")
            elif name is None:
                check(answer["exit_code"] != 0 and answer["messages"], f"line {number + 1} was broken: {answer}")
            else:
                check(answer["exit_code"] == 0 and answer["outputs"] == [name], f"{self.lines[number]}: {answer}")
                told.add(name)
        return told

    def check_outputs(self, told):
        """Checks that all outputs named in answers exist, and that every existing output is complete."""
        found = {os.path.join(self.folder, "out", name) for name in os.listdir(os.path.join(self.folder, "out"))
                 if not name.startswith(".gpuimg-")}
        check(told <= found, f"missing: {told - found}")
        for name in found:
            with open(name, "rb") as file:
                check(file.read() == self.expected[name], f"{name} is not as the command alone writes it")
        return found

    def run_whole(self):
        running = self.start()
        started = time.monotonic()
        out, _ = running.communicate("\n".join(self.lines) + "\n")
        answers = [json.loads(line) for line in out.splitlines()]
        check(running.returncode == 1, f"exit code {running.returncode}: some lines are broken")
        check(len(answers) == len(self.lines), f"{len(answers)} answers to {len(self.lines)} lines")
        told = self.check_answers(answers)
        check(self.check_outputs(told) == told == set(self.expected), "an output is missing, or one too many is there")
        return time.monotonic() - started

    def run_one_by_one(self):
        """A client that waits for each answer before it writes the next line."""
        running = self.start()
        for number in range(0, len(self.lines), 5):
            running.stdin.write(self.lines[number] + "\n")
            running.stdin.flush()
            answer = json.loads(running.stdout.readline())
            check((answer["exit_code"] == 0) == (self.names[number] is not None), f"{self.lines[number]}: {answer}")
        running.stdin.close()
        running.stdout.close()
        running.wait()

    def kill(self, seconds, how):
        with tempfile.TemporaryFile("w+") as lines:
            lines.write("\n".join(self.lines) + "\n")
            lines.seek(0)
            running = self.start(lines)
        time.sleep(self.random.uniform(0, seconds))
        running.send_signal(how)
        out = running.stdout.read()
        code = running.wait()
        expected = {signal.SIGTERM: batch_run.STOPPED_EARLY, signal.SIGINT: batch_run.INTERRUPTED,
                    signal.SIGKILL: -signal.SIGKILL}[how]
        # The process may have ended earlier, or may not have installed its signal handlers yet.
        check(code in (expected, batch_run.SOME_FAILED) or not out and code == -how, f"{how.name}: exit code {code}")
        whole = [line for line in out.splitlines(keepends=True) if line.endswith("\n")]
        answers = [json.loads(line) for line in whole]
        told = self.check_answers(answers)
        found = self.check_outputs(told)
        return len(answers), len(found)


def main(gpuimg, times=None):
    batch_run.forget_environment()
    gpuimg = os.path.abspath(gpuimg)
    times = int(times or os.environ.get("GPUIMG_TEST_INTERRUPTIONS") or 8)
    random = batch_run.seeded_random()
    with tempfile.TemporaryDirectory(prefix="gpuimg-") as folder:
        trial = Trial(gpuimg, folder, random)
        seconds = trial.run_whole()
        trial.run_one_by_one()
        for number in range(times):
            how = [signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT][number % 4]
            answers, found = trial.kill(seconds, how)
            print(f"{how.name}: {answers} answers, {found} outputs")


main(*sys.argv[1:])
