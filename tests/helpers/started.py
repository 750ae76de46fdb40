"""The service as it is installed: `costream serve` in a process of its own."""

import contextlib
import re
import signal
import subprocess
import threading

from helpers.commands import COSTREAM

COSTS = ("--fn-cost", "200", "--fp-cost", "5")
SMALL = ("-l", "carow-diag", *COSTS)


class Started:
    """A process that serves: its address, and all that it says."""

    def __init__(self, directory, *options):
        command = [COSTREAM, "serve", "--dir", directory, "--port", "0", *options]
        self.process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True)
        self.lines, self.url = [], None
        for line in self.process.stderr:
            self.lines.append(line)
            found = re.search(r"serving .* at (http://\S+)", line)
            if found:
                self.url = found[1]
            if "ready after" in line:
                break
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        self.lines += self.process.stderr

    @property
    def output(self):
        return "".join(self.lines)

    def end(self, how=signal.SIGTERM):
        """Ask it to end; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60.0)
        self._reader.join(60.0)
        self.process.stderr.close()
        return code


@contextlib.contextmanager
def started(directory, *options):
    """Start the command; it is ended afterwards in any case."""
    one = Started(directory, *options)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.end()
